/**
 * The demo workspace of a first start: a small repository, registered with the demo team through the data plane like
 * any client would do it. Safe to repeat.
 */
import { join } from "node:path";
import type { Output } from "@devflow/core/command";
import type { Config } from "@devflow/core/config";
import { uuidv5 } from "@devflow/core/ids";
import { initRepository } from "@devflow/git";
import { type ServerState, ServerStatus } from "@devflow/protocol";
import { z } from "zod";
import { callServer } from "../server/client.ts";

export interface Demo {
  readonly repository: string;
  readonly team: string;
  readonly changes: number;
  readonly summary: string;
}

interface DemoOptions {
  readonly config: Config;
  readonly state: ServerState;
  readonly output: Output;
  readonly signal: AbortSignal;
}

const files = {
  "README.md": "# Demo\n\nA small repository that Devflow made, to try things on.\n",
  "greet.ts": `export const greet = (name: string): string => \`Hello, \${name}!\`;\n`,
  "greet.test.ts":
    'import { expect, test } from "bun:test";\nimport { greet } from "./greet";\n\ntest("greets by name", () => expect(greet("Ada")).toBe("Hello, Ada!"));\n',
} as const;

export async function makeDemo({ config, state, output, signal }: DemoOptions): Promise<Demo> {
  const repository = join(config.workspaceRoot, "demo");
  output.note("Making the demo repository …");
  await initRepository(repository, { files, message: "A small demo", signal });
  const { teams } = await callServer(state, "/api/status", ServerStatus);
  const team = teams[0];
  if (!team) throw new Error("the local user belongs to no team");
  // The id is derived from team and name, so that a repeated demo finds its own row.
  const id = uuidv5(team.id, "repository:demo");
  await rpc(state, "register_repo", { team_id: team.id, name: "demo", path_hint: repository, id });
  const ping = await rpc(state, "ping", { team_id: team.id, note: { from: "demo" } });
  if (!ping) throw new Error("the ping came back empty");
  const changes = z.array(z.unknown()).parse(await rpc(state, "changes", { team_id: team.id, max_rows: 500 }));
  const summary = [
    `  Demo  team ${team.name}, repository ${repository}`,
    `        stored under row-level security, ${changes.length} changes in the team's log`,
  ].join("\n");
  return { repository, team: team.name, changes: changes.length, summary };
}

const rpc = (state: ServerState, name: string, args: Record<string, unknown>): Promise<unknown> =>
  callServer(state, `/rest/v1/rpc/${name}`, z.unknown(), { method: "POST", body: args });
