/** `devflow fleet drain | remove`: what people decide about a machine. */
import type { HandlerOf } from "@devflow/core/command";
import { Fleet } from "@devflow/protocol";
import { connectRuns } from "../run/runs-client.ts";
import type { fleetDrainRecord, fleetRemoveRecord } from "./commands.ts";

export const drain: HandlerOf<typeof fleetDrainRecord> = async ({ host, undo }, context) => {
  const client = await connectRuns(context);
  const fleet = await client.post(`/api/fleet/${encodeURIComponent(host)}/drain`, { undo }, Fleet);
  const text = undo
    ? `${host} takes runs again.`
    : `${host} takes no new runs; what it works on continues. Undo it: devflow fleet drain ${host} --undo`;
  context.output.result(fleet, text);
};

export const remove: HandlerOf<typeof fleetRemoveRecord> = async ({ host }, context) => {
  const client = await connectRuns(context);
  const fleet = await client.post(`/api/fleet/${encodeURIComponent(host)}/remove`, {}, Fleet);
  const text = `${host} is removed. A worker that is started there again announces itself anew.`;
  context.output.result(fleet, text);
};
