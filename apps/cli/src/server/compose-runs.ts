/** Runs for this machine's server: its id, its workspace, and which agents it can drive. */
import { inspectConfig, type SettingKey } from "@devflow/core/config";
import { findExecutable } from "@devflow/core/find-executable";
import { homeAt } from "@devflow/core/home";
import { findOwnAgents, findShippedAgents, openRuns, type Runs, readBackends } from "@devflow/runs";
import { tellBrain } from "@devflow/runs/brain";
import { type Mounted, mountRuns, type ServerParts } from "@devflow/server";
import type { MachineParts } from "./compose.ts";
import { runBrain } from "./run-brain.ts";
import { selfArgv } from "./self.ts";

/** From here on runs continue where they stopped. */
export async function composeRuns(parts: MachineParts, server: ServerParts): Promise<Mounted> {
  const { config, database, log, env, host } = parts;
  const brain = runBrain({ home: homeAt(config.home), env, machine: host });
  const runs = await openRuns({
    database,
    log,
    home: config.home,
    host,
    engine: config.engine,
    workspaceRoot: config.workspaceRoot,
    env,
    passEnvironment: config.passEnvironment,
    maxConcurrentRuns: () => limitNow(parts),
    forges: () => settingNow(parts, "forges", config.forges),
    sandbox: () => ({
      isOn: settingNow(parts, "sandbox", config.sandbox),
      hosts: settingNow(parts, "sandbox_hosts", config.sandboxHosts),
      ports: settingNow(parts, "sandbox_ports", config.sandboxPorts),
      readable: settingNow(parts, "sandbox_read", config.sandboxRead),
    }),
    webhook: () => webhookNow(parts),
    fakeAgentCommand: [...selfArgv(), "fake-agent"],
    holderCommand: [...selfArgv(), "session-holder"],
    hookCommand: [...selfArgv(), "session-hook"],
    insideCommand: [...selfArgv(), "sandbox-inside"],
    agents: await agentsOf(parts),
    brain,
  });
  try {
    await runs.start();
  } catch (error) {
    await runs.stop();
    throw error;
  }
  const sharing = await shareWithTeam(runs, parts, server);
  const { live } = runs;
  const telling = tellBrain({ database, host, log, clock: server.clock, onVisible: live.onVisible }, brain);
  const stop = async () => {
    await telling.stop();
    await sharing.stop();
    await runs.stop();
  };
  return mountRuns({ ...runs, stop }, server);
}

/** A team on another server sees this machine's runs and decides their gates. */
async function shareWithTeam(runs: Runs, { config, database, env, host, log }: MachineParts, { clock }: ServerParts) {
  const [{ shareRuns }, { runTeam }, { wakeDrainer }] = await Promise.all([
    import("@devflow/runs/team"),
    import("./run-team.ts"),
    import("../sync/drain-ports.ts"),
  ]);
  const home = homeAt(config.home);
  const team = runTeam({ home: config.home, env, wake: ({ to }) => wakeDrainer(home, env, to) });
  const { engine, live } = runs;
  return shareRuns({ database, engine, host, log, clock, onVisible: live.onVisible }, team);
}

/** Looked for at the start of the server, like the machine's other programs. */
async function agentsOf({ config, env }: MachineParts) {
  const find = (program: string) => findExecutable([program], env);
  const { backends } = await readBackends(config.home);
  return [...(await findShippedAgents({ find, agentsIn: config.agentsIn })), ...(await findOwnAgents(backends, find))];
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
