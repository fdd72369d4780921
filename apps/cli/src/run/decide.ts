/** `devflow run approve | reject | request-changes | retry`: a person's verdict at a gate. */

import type { CommandContext, CommandHandler, HandlerOf, InputOf } from "@devflow/core/command";
import type { Verdict } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { plainLine } from "@devflow/core/plain-text";
import { type ApprovalView, DecisionAnswer, type RunDetail } from "@devflow/protocol";
import type { z } from "zod";
import { counted } from "../data/amounts.ts";
import type { runApproveRecord, runRejectRecord, runRequestChangesRecord, runRetryRecord } from "./commands.ts";
import { draftsToSend } from "./drafts-to-send.ts";
import { pickAskingRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { openGates, shortId, stateWord } from "./words.ts";

type DecideInput = InputOf<typeof runApproveRecord> & Partial<InputOf<typeof runRequestChangesRecord>>;

export const approve: HandlerOf<typeof runApproveRecord> = (input, context) =>
  decide("approve", "run approve", input, context);
export const reject: HandlerOf<typeof runRejectRecord> = (input, context) =>
  decide("reject", "run reject", input, context);

export const abortAt: CommandHandler<DecideInput> = (input, context) => decide("abort", "run abort", input, context);

export const requestChanges: HandlerOf<typeof runRequestChangesRecord> = (input, context) =>
  decide("request_changes", "run request-changes", input, context);

/** Without a comment of any kind nobody would know what to do. */
function wanted(input: DecideInput, comments: readonly unknown[]): void {
  if (input.message?.trim() || comments.length > 0) return;
  const next = `Add a comment: devflow run request-changes ${input.run ?? ""} -m "…"`.replace("  ", " ");
  throw new DevflowError("usage", { details: { problem: "What should change?", next } });
}

/** At a recovery gate, approving means trying again. */
export const retry: HandlerOf<typeof runRetryRecord> = (input, context) =>
  decide(input.message ? "request_changes" : "approve", "run retry", input, context, "recovery");

async function decide(
  verdict: Verdict,
  command: string,
  input: DecideInput,
  context: CommandContext,
  kind?: ApprovalView["kind"],
): Promise<void> {
  const client = await connectRuns(context);
  const run = await pickAskingRun(client, input.run, command, context);
  const isSending = command === "run request-changes" && !input.withoutComments;
  const comments = isSending ? await draftsToSend(client, run) : [];
  if (command === "run request-changes") wanted(input, comments);
  const body = {
    verdict,
    clientToken: input.clientToken ?? uuidv7(),
    ...(input.message ? { comment: input.message } : {}),
    ...(input.choice ? { choice: input.choice } : {}),
    ...(comments.length > 0 ? { comments } : {}),
  };
  const post = (id: string, epoch?: number) =>
    client.post(
      `/api/approvals/${id}/decisions`,
      { ...body, ...(epoch === undefined ? {} : { epoch }) },
      DecisionAnswer,
    );
  const before = input.clientToken === undefined ? undefined : await repeated(run, post);
  const gate = before?.gate ?? gateOf(run, input.gate, command, kind);
  const decision = before?.decision ?? (await post(gate.id, gate.epoch));
  const word = (gate.kind === "recovery" ? recoveryWords : gateWords)[verdict];
  const left = run.draftComments - comments.length;
  if (left > 0 && decision.created) {
    const are = `${counted(left, "comment")} on lines ${left === 1 ? "was" : "were"} not sent`;
    context.output.note(`${are}: devflow run comment list ${shortId(run.id)}`);
  }
  const sent = comments.length > 0 ? ` with ${counted(comments.length, "comment")} on lines` : "";
  const again = decision.created ? "" : " (already decided with the same token)";
  const next = verdict === "reject" || verdict === "abort" ? "run show" : "run watch";
  context.output.result(
    decision,
    `${word}${sent}: ${gate.kind === "recovery" ? gate.phase : gate.gate.replace(/_approved$/, "").replaceAll("_", " ")} of “${plainLine(run.title)}”${again}.\nNext: devflow ${next} ${shortId(run.id)}`,
  );
}

const gateWords = { approve: "Approved", reject: "Rejected", request_changes: "Changes requested", abort: "Aborted" };
/** Verdicts on a gate that opened because something went wrong. */
const recoveryWords = {
  approve: "Trying again",
  reject: "Given up",
  request_changes: "Trying again with your comment",
  abort: "Aborted",
};

/** A retried command must not decide a gate that opened meanwhile: its token may have decided the previous one. */
async function repeated(run: RunDetail, post: (id: string) => Promise<z.infer<typeof DecisionAnswer>>) {
  const gate = run.approvals.findLast((one) => one.decision !== null);
  if (!gate) return undefined;
  try {
    return { gate, decision: await post(gate.id) };
  } catch (error) {
    if (error instanceof DevflowError && error.code === "approval_decided") return undefined;
    throw error;
  }
}

function gateOf(
  run: RunDetail,
  wanted: string | undefined,
  command: string,
  kind: ApprovalView["kind"] | undefined,
): ApprovalView {
  const open = openGates(run).filter((one) => kind === undefined || one.kind === kind);
  const fitting = wanted === undefined ? open : open.filter((one) => one.gate === wanted || one.id === wanted);
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  if (fitting.length > 1) {
    const listed = fitting.map((one) => `  devflow ${command} ${shortId(run.id)} --gate ${one.gate}`);
    throw new DevflowError("usage", { details: { problem: "Several gates are open.", next: listed.join("\n") } });
  }
  const last = run.approvals.findLast((one) => wanted === undefined || one.gate === wanted || one.id === wanted);
  if (last?.decision) {
    const { verdict, actor } = last.decision;
    throw new DevflowError("approval_decided", {
      details: {
        decision: verdict.replaceAll("_", " "),
        who: `${plainLine(actor.name ?? actor.userId ?? actor.kind)} (${actor.via})`,
        run: shortId(run.id),
      },
    });
  }
  throw new DevflowError("conflict", {
    details: {
      problem: `Run ${shortId(run.id)} (${stateWord(run)}) has no ${kind === "recovery" ? "failure to recover from" : "open gate"}${wanted ? ` "${wanted}"` : ""}.`,
      next: `See it: devflow run show ${shortId(run.id)}`,
    },
  });
}
