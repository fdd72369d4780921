/**
 * The demo workspace of a first start: a small repository, registered with the demo team through the data plane like any
 * client would, and a run on it. Safe to repeat.
 */
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import type { Config } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { findExecutable } from "@devflow/core/find-executable";
import { uuidv5 } from "@devflow/core/ids";
import { initRepository } from "@devflow/git";
import { type ServerState, ServerStatus } from "@devflow/protocol";
import { runsClient } from "../run/runs-client.ts";
import { callRpc, callServer } from "../server/client.ts";
import { type DemoRun, demoRun } from "./demo-run.ts";

export interface Demo {
  readonly repository: string;
  readonly team: string;
  readonly changes: number;
  readonly run: Omit<DemoRun, "summary">;
  readonly summary: string;
}

interface DemoOptions {
  readonly config: Config;
  readonly state: ServerState;
  readonly context: Pick<CommandContext, "env" | "output" | "signal">;
  /** Approve every gate and continue to the report. */
  readonly complete: boolean;
}

const files = {
  "README.md": "# Demo\n\nA small repository created by Devflow for trying things out.\n",
  "greet.mjs": `export const greet = (name) => \`Hello, \${name}!\`;\n`,
  "greet.test.mjs":
    'import { equal } from "node:assert/strict";\nimport { test } from "node:test";\nimport { greet } from "./greet.mjs";\n\ntest("greets by name", () => equal(greet("Ada"), "Hello, Ada!"));\n',
} as const;

const settings = `${JSON.stringify({ test: [["node", "--test"]] }, null, 2)}\n`;

export async function makeDemo({ config, state, context, complete }: DemoOptions): Promise<Demo> {
  const { output, signal, env } = context;
  const repository = join(config.workspaceRoot, "demo");
  output.note("Creating the demo repository …");
  const hasNode = (await findExecutable(["node"], env)) !== undefined;
  // Without Node its tests could not run, and a run would stop there.
  const content = hasNode ? { ...files, ".devflow.json": settings } : files;
  await initRepository(repository, { files: content, message: "A small demo", signal });
  const { teams } = await callServer(state, "/api/status", ServerStatus);
  const team = teams[0];
  if (!team) {
    throw new DevflowError("internal_state_corruption", { details: { problem: "the local user belongs to no team" } });
  }
  // The id is derived from team and name, so that a repeated demo finds its row.
  const id = uuidv5(team.id, "repository:demo");
  await callRpc(state, "register_repo", { team_id: team.id, name: "demo", path_hint: repository, id });
  const { summary: told, ...run } = await demoRun(runsClient(state, env), { repository, complete, context });
  const changes = await callRpc(state, "changes", { team_id: team.id, max_rows: 500 });
  const summary = [
    `  Demo  team ${team.name}, repository ${repository}`,
    `        stored under row-level security, ${changes.length} changes in the team's log`,
    told,
  ].join("\n");
  return { repository, team: team.name, changes: changes.length, run, summary };
}
