/** `devflow fleet list`: the machines, and what is wrong with them. */
import type { CommandHandler } from "@devflow/core/command";
import { plainLine } from "@devflow/core/plain-text";
import { Fleet, type HostView } from "@devflow/protocol";
import { duration } from "../data/amounts.ts";
import { connectRuns } from "../run/runs-client.ts";
import { textTable } from "../text-table.ts";

export const list: CommandHandler = async (_input, context) => {
  const client = await connectRuns(context);
  const fleet = await client.get("/api/fleet", Fleet);
  context.output.result(fleet, fleetText(fleet));
};

export function fleetText({ engine, hosts, problems }: Fleet): string {
  const none =
    engine === "inline"
      ? "No machines: this server drives its runs itself (engine: inline). How to use more machines: docs/fleet.md"
      : "No machine has a worker yet. Start one: devflow-worker";
  const titles = ["MACHINE", "STATE", "RUNS", "LAST BEAT", "AGENTS", "LABELS", "VERSION"].map((title) => ({ title }));
  const parts = [hosts.length === 0 ? none : textTable(titles, hosts.map(rowOf))];
  for (const problem of problems) parts.push(plainLine(problem));
  return parts.join("\n");
}

const rowOf = (host: HostView): string[] => [
  host.name === host.host ? host.name : `${plainLine(host.name)} (${host.host})`,
  host.state,
  `${host.busy} of ${host.places}`,
  `${duration(host.silentMs)} ago`,
  host.agents.join(", "),
  host.labels.map(plainLine).join(", "),
  host.version,
];
