/** `devflow digest preview`: composed here from what the server knows, exactly as it would be sent. */
import type { HandlerOf } from "@devflow/core/command";
import { composeDigest } from "@devflow/team/digest";
import { callRpc } from "../server/client.ts";
import { findTarget } from "../team/team-target.ts";
import type { digestPreviewRecord } from "./commands.ts";

export const previewDigest: HandlerOf<typeof digestPreviewRecord> = async ({ html, until, ...choice }, context) => {
  const { address, team } = await findTarget(context, choice);
  const [page, state] = await Promise.all([
    callRpc(address, "digest", { team_id: team.id, ...(until === undefined ? {} : { until }) }),
    callRpc(address, "alert_state", { team_id: team.id }),
  ]);
  const digest = composeDigest(page, state.time_zone);
  context.output.result(page, html ? digest.html : digest.text.trimEnd());
};
