/**
 * The team of a repository, from its committed `.devflow.json`: the server's address and the team's slug.
 *
 * - `readRepositoryTeam(context)` undefined outside a repository, and when the file names none.
 * - `writeRepositoryTeam(context, team)` adds it to the file and keeps the rest; undefined outside a repository.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { repositoryRoot } from "@devflow/git";
import { z } from "zod";
import { serverUrl } from "./server-url.ts";

export interface RepositoryTeam {
  readonly server: string;
  readonly team: string;
  /** Of a Supabase project: public, and what tells it from a Devflow server. */
  readonly anonKey?: string;
}

type Place = Pick<CommandContext, "cwd" | "env" | "signal">;

const Content = z.looseObject({
  server: z.string().optional(),
  team: z.string().optional(),
  anonKey: z.string().min(1).optional(),
});

export async function readRepositoryTeam(place: Place): Promise<RepositoryTeam | undefined> {
  const root = await repositoryRoot(place);
  const { server, team, anonKey } = root === undefined ? {} : ((await readContent(root)) ?? {});
  if (server === undefined || team === undefined) return undefined;
  return { server: serverUrl(server), team, ...(anonKey === undefined ? {} : { anonKey }) };
}

export async function writeRepositoryTeam(
  place: Place,
  { server, team, anonKey }: RepositoryTeam,
): Promise<string | undefined> {
  const root = await repositoryRoot(place);
  if (root === undefined) return undefined;
  const path = fileIn(root);
  const { anonKey: _other, ...before } = (await readContent(root)) ?? {};
  const content = { ...before, server, team, ...(anonKey === undefined ? {} : { anonKey }) };
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`);
  return path;
}

const fileIn = (root: string): string => join(root, ".devflow.json");

async function readContent(root: string): Promise<z.infer<typeof Content> | undefined> {
  const text = await readIfThere(fileIn(root));
  if (text === undefined) return undefined;
  const parsed = Content.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new DevflowError("input_invalid", {
    details: {
      problem: `${fileIn(root)} is not valid JSON, or its server, team and anonKey are not text.`,
      next: "Fix it, then repeat the command.",
    },
  });
}
