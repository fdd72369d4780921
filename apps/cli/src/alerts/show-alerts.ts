/** `devflow team alerts show`. */
import type { HandlerOf } from "@devflow/core/command";
import { callRpc } from "../server/client.ts";
import { requireTeamServer } from "../team/team-server-only.ts";
import { findTarget } from "../team/team-target.ts";
import { alertLines } from "./alert-lines.ts";
import type { alertsShowRecord } from "./commands.ts";

export const showAlerts: HandlerOf<typeof alertsShowRecord> = async (choice, context) => {
  const { address, server, team } = await findTarget(context, choice);
  requireTeamServer(server, "Sending alerts");
  const state = await callRpc(address, "alert_state", { team_id: team.id });
  context.output.result(state, alertLines(state));
};
