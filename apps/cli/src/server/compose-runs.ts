/** Runs for this machine's server: its id, its workspace, and which agents it can drive. */
import { inspectConfig, type SettingKey } from "@devflow/core/config";
import { findOwnAgents, findShippedAgents, openRuns, readBackends } from "@devflow/runs";
import { type Mounted, mountRuns, type ServerParts } from "@devflow/server";
import { findExecutable } from "../doctor/executables.ts";
import type { MachineParts } from "./compose.ts";
import { selfArgv } from "./self.ts";

/** From here on runs continue where they stopped. */
export async function composeRuns(parts: MachineParts, server: ServerParts): Promise<Mounted> {
  const { config, database, log, env, host } = parts;
  const runs = await openRuns({
    database,
    log,
    home: config.home,
    host,
    workspaceRoot: config.workspaceRoot,
    env,
    passEnvironment: config.passEnvironment,
    maxConcurrentRuns: () => limitNow(parts),
    forges: () => settingNow(parts, "forges", config.forges),
    webhook: () => webhookNow(parts),
    fakeAgentCommand: [...selfArgv(), "fake-agent"],
    holderCommand: [...selfArgv(), "session-holder"],
    agents: await agentsOf(parts),
  });
  try {
    await runs.start();
  } catch (error) {
    await runs.stop();
    throw error;
  }
  return mountRuns(runs, server);
}

/** Looked for at the start of the server, like the machine's other programs. */
async function agentsOf({ config, env }: MachineParts) {
  const find = (program: string) => findExecutable([program], env);
  const { backends } = await readBackends(config.home);
  return [...(await findShippedAgents(find)), ...(await findOwnAgents(backends, find))];
}

/** The setting counts at once. While the file has a fault, the value from the server's start stays. */
function limitNow({ config, env }: MachineParts): number {
  const now = inspectConfig({ env }).values.find((one) => one.key === "max_concurrent_runs");
  const isGiven = now?.source === "environment" || now?.source === "config.yaml";
  return isGiven && typeof now.value === "number" ? now.value : config.maxConcurrentRuns;
}

function webhookNow(parts: MachineParts) {
  const url = settingNow(parts, "webhook_url", parts.config.webhookUrl);
  return url && { url, format: settingNow(parts, "webhook_format", parts.config.webhookFormat) };
}

/** The same for a setting whose absence also counts. */
function settingNow<T>({ env }: MachineParts, key: SettingKey, atStart: T): T {
  const { values, faults } = inspectConfig({ env });
  return faults.length > 0 ? atStart : (values.find((one) => one.key === key)?.value as T);
}
