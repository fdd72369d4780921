/** `devflow run pause | resume | abort | adopt`: from any state. */

import { resolve } from "node:path";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { uuidv7 } from "@devflow/core/ids";
import { plainLine } from "@devflow/core/plain-text";
import { RunDetail } from "@devflow/protocol";
import type { runAbortRecord, runAdoptRecord, runPauseRecord, runResumeRecord } from "./commands.ts";
import { pickActiveRun, pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { shortId, stateWord } from "./words.ts";

type ControlInput = InputOf<typeof runResumeRecord>;

export const pause: HandlerOf<typeof runPauseRecord> = async ({ hard, ...input }, context) => {
  const run = await control("pause", input, { hard }, context);
  const how = hard ? "its agents were interrupted" : "agents may finish their current turn";
  context.output.result(
    run,
    `Paused “${plainLine(run.title)}”; ${how}.\nResume: devflow run resume ${shortId(run.id)}`,
  );
};

export const resume: HandlerOf<typeof runResumeRecord> = async (input, context) => {
  const run = await control("resume", input, {}, context);
  context.output.result(
    run,
    `“${plainLine(run.title)}” resumed (${stateWord(run)}).\nFollow it: devflow run watch ${shortId(run.id)}`,
  );
};

/** With a gate, aborting is one of its four verdicts; otherwise it ends the run in any state. */
export const abort: HandlerOf<typeof runAbortRecord> = async ({ message, gate, ...input }, context) => {
  if (gate !== undefined) return await (await import("./decide.ts")).abortAt({ ...input, message, gate }, context);
  const run = await control("abort", input, message ? { reason: message } : {}, context);
  context.output.result(
    run,
    `Aborted “${plainLine(run.title)}”.\nSee what it left: devflow run show ${shortId(run.id)}`,
  );
};

export const adopt: HandlerOf<typeof runAdoptRecord> = async ({ run: given, from, repo, end }, context) => {
  const client = await connectRuns(context, { mayStart: true });
  const { id } = await pickRun(client, given, "run adopt", context);
  const repository = repo === undefined ? {} : { repository: resolve(context.cwd, repo) };
  const run = await client.post(`/api/runs/${id}/adopt`, { from, end, ...repository }, RunDetail);
  const done = end ? "Ended" : "This machine now drives";
  context.output.result(run, `${done} “${plainLine(run.title)}”.\nFollow it: devflow run watch ${shortId(run.id)}`);
};

async function control(
  verb: "pause" | "resume" | "abort",
  { run: given, clientToken }: ControlInput,
  more: Record<string, unknown>,
  context: CommandContext,
): Promise<RunDetail> {
  const client = await connectRuns(context);
  const { id } = await pickActiveRun(client, given, `run ${verb}`, context);
  return await client.post(`/api/runs/${id}/${verb}`, { clientToken: clientToken ?? uuidv7(), ...more }, RunDetail);
}
