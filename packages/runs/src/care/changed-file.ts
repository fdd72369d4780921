/**
 * The content of a file that a run may have changed, before or after.
 *
 * - `changedFile(context, run, file, side, maxBytes)` its bytes; undefined when there is none on that side, or it is longer.
 *
 * The path comes from a request: it is not followed out of the worktree, and links are not followed at all.
 */
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { git } from "@devflow/git";
import type { EngineContext } from "../engine/context.ts";
import { type RunPlace, workOf } from "./run-diff.ts";

type Env = Pick<EngineContext, "env">;

export interface NamedFile {
  readonly path: string;
  /** Where a renamed file came from. */
  readonly from?: string | null;
}

export async function changedFile(
  { env }: Env,
  run: RunPlace,
  { path, from }: NamedFile,
  side: "before" | "after",
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  if (side === "before") return await committed(run.repository, run.diffBase, from ?? path, env, maxBytes);
  const place = await workOf(run, env);
  if (!place) return undefined;
  return place.tip === undefined
    ? await inFolder(place.worktree, path, maxBytes)
    : await committed(run.repository, place.tip, path, env, maxBytes);
}

async function committed(cwd: string, commit: string, path: string, env: Env["env"], maxBytes: number) {
  const found = await git(["cat-file", "blob"], {
    cwd,
    env,
    revisions: [`${commit}:${path}`],
    answers: [128],
    maxOutput: maxBytes,
  }).catch(() => undefined);
  return found?.exit === 0 ? Buffer.from(found.bytes) : undefined;
}

async function inFolder(worktree: string, path: string, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const whole = join(worktree, path);
  const [root, folder] = await Promise.all([realpath(worktree), realpath(dirname(whole)).catch(() => "")]);
  if (folder !== root && !folder.startsWith(`${root}/`)) return undefined;
  const file = await open(whole, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!file) return undefined;
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= maxBytes ? Buffer.from(await file.readFile()) : undefined;
  } finally {
    await file.close();
  }
}
