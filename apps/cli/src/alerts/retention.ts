/** `devflow team retention show | set`. */
import type { HandlerOf } from "@devflow/core/command";
import { counted } from "../data/amounts.ts";
import { callRpc } from "../server/client.ts";
import { requireTeamServer } from "../team/team-server-only.ts";
import { findTarget } from "../team/team-target.ts";
import { textTable } from "../text-table.ts";
import type { retentionSetRecord, retentionShowRecord } from "./commands.ts";

export const showRetention: HandlerOf<typeof retentionShowRecord> = async (choice, context) => {
  const { address, team } = await findTarget(context, choice);
  const rows = await callRpc(address, "retention", { team_id: team.id });
  const none = "All records are kept. To change it: devflow team retention set <kind> <days>";
  const table = textTable(
    [{ title: "KIND" }, { title: "KEPT FOR" }],
    rows.map(({ kind, days }) => [kind, counted(days, "day")]),
  );
  context.output.result(rows, rows.length === 0 ? none : table);
};

export const setRetention: HandlerOf<typeof retentionSetRecord> = async ({ kind, days, ...choice }, context) => {
  const { address, server, team } = await findTarget(context, choice);
  requireTeamServer(server, "Retention");
  const isKept = days === "forever";
  await callRpc(address, "set_retention", { team_id: team.id, kind, ...(isKept ? {} : { days: Number(days) }) });
  const text = isKept
    ? `${team.name} keeps every ${kind}.`
    : `${team.name} erases each ${kind} after ${counted(Number(days), "day")}. What is older is erased within an hour.`;
  context.output.result({ kind, days: isKept ? null : Number(days) }, text);
};
