/** `devflow hooks status`: from files alone. */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { type HookHostName, hookHostNames, hookHosts, installedHooks, isSame } from "@devflow/skills/hosts";
import { duration } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { hooksStatusRecord } from "./commands.ts";
import { hookFaults, lastFired } from "./hook-log.ts";
import { settingsOf } from "./settings-place.ts";

const dayMs = 24 * 3_600_000;

export const hooksStatus: HandlerOf<typeof hooksStatusRecord> = async (_input, context) => {
  const { env, output } = context;
  const home = homeAt(context.inspectConfig().home);
  const off = ["0", "false", "off", "no"].includes(environmentOf(env).DEVFLOW_HOOKS ?? "");
  const nowMs = Date.now();
  const hosts = await Promise.all(hookHostNames.map((host) => hostStatus(host, context)));
  const faults = hookFaults(home, nowMs - dayMs);
  const rows = hosts.map(({ host, state, file, lastFired: fired, problem }) => [
    hookHosts[host].title,
    state,
    fired === null ? "never fired" : `fired ${duration(nowMs - Date.parse(fired))} ago`,
    problem ?? file,
  ]);
  const lines = [
    textTable([{ title: "" }, { title: "" }, { title: "" }, { title: "" }], rows),
    ...(off ? ["DEVFLOW_HOOKS turns them off here."] : []),
    ...(faults.length > 0 ? [`${faults.length} failed in the last day, the last one: ${faults.at(-1)?.problem}`] : []),
    ...(hosts.every(({ state }) => state === "absent") ? ["Install them: devflow hooks install --host claude"] : []),
  ];
  output.result({ off, hosts, faults, log: home.hooksLog }, lines.join("\n"));
};

export async function hostStatus(
  host: HookHostName,
  context: Pick<CommandContext, "cwd" | "env" | "signal" | "inspectConfig">,
) {
  const { file, entries } = await settingsOf({ host, project: false }, context);
  const fired = lastFired(homeAt(context.inspectConfig().home), host);
  const lastFiredAt = fired ? new Date(fired.atMs).toISOString() : null;
  try {
    const found = await installedHooks(file);
    const state = found.length === 0 ? "absent" : isSame(found, entries) ? "current" : "outdated";
    return { host, file, state, lastFired: lastFiredAt, problem: null } as const;
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    return { host, file, state: "unreadable", lastFired: lastFiredAt, problem: error.message } as const;
  }
}
