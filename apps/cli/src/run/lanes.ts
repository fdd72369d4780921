/** `devflow run lanes`. Of a lane it shows those of its parent. */
import type { HandlerOf } from "@devflow/core/command";
import { RunDetail } from "@devflow/protocol";
import type { runLanesRecord } from "./lane-commands.ts";
import { laneLines } from "./lane-lines.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { shortId } from "./words.ts";

export const lanes: HandlerOf<typeof runLanesRecord> = async ({ run: given }, context) => {
  const client = await connectRuns(context);
  const picked = await pickRun(client, given, "run lanes", context);
  const run = picked.parent ? await client.get(`/api/runs/${picked.parent.runId}`, RunDetail) : picked;
  const none = run.phases.some((phase) => phase.kind === "lanes")
    ? `Run ${shortId(run.id)} has not come to its lanes yet.`
    : `Run ${shortId(run.id)} has no lanes. For some, start one with --template development-parallel@1`;
  const lines = run.tasks.length === 0 ? [none] : laneLines(run);
  context.output.result({ run: run.id, tasks: run.tasks }, lines.join("\n"));
};
