/** Devflow's home without its settings: `homeOf` of core/config would load zod and yaml. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Environment } from "@devflow/core/environment";

export function homeFolder(env: Environment): string {
  return env.DEVFLOW_HOME ? resolve(env.DEVFLOW_HOME) : join(env.HOME || homedir(), ".devflow");
}
