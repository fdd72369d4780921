/** Runs for this machine's server: its name, its workspace, and which agents it can drive. */
import type { Config, Environment } from "@devflow/core/config";
import { homeAt } from "@devflow/core/home";
import type { Log } from "@devflow/core/log";
import type { Database } from "@devflow/db";
import { openRuns, type Runs } from "@devflow/runs";
import { findExecutable } from "../doctor/executables.ts";
import { machineId } from "./machine-id.ts";
import { selfArgv } from "./self.ts";

export async function composeRuns(config: Config, database: Database, log: Log, env: Environment): Promise<Runs> {
  return await openRuns({
    database,
    log,
    home: config.home,
    host: await machineId(homeAt(config.home)),
    workspaceRoot: config.workspaceRoot,
    env,
    maxConcurrentRuns: config.maxConcurrentRuns,
    fakeAgentCommand: [...selfArgv(), "fake-agent"],
    unavailable: {
      claude: await whyNot("Claude Code", "claude", env),
      codex: await whyNot("Codex", "codex", env),
    },
  });
}

/** This version has adapters for fake agents only, whether or not the program is there. */
async function whyNot(name: string, program: string, env: Environment): Promise<string> {
  const isThere = (await findExecutable([program], env)) !== undefined;
  const state = isThere ? "is installed" : "is not installed";
  return `${name} ${state}, and this version of Devflow drives fake agents only; real ones come with the next`;
}
