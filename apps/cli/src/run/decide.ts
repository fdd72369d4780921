/** `devflow run approve | reject | request-changes | retry`: a person's verdict at a gate. */

import type { CommandContext, CommandHandler, HandlerOf, InputOf } from "@devflow/core/command";
import type { Verdict } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { plainLine } from "@devflow/core/plain-text";
import { type ApprovalView, DecisionAnswer, type RunDetail } from "@devflow/protocol";
import type { z } from "zod";
import type { runApproveRecord, runRejectRecord, runRequestChangesRecord, runRetryRecord } from "./commands.ts";
import { pickAskingRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { openGates, shortId, stateWord } from "./words.ts";

type DecideInput = InputOf<typeof runApproveRecord>;

export const approve: HandlerOf<typeof runApproveRecord> = (input, context) =>
  decide("approve", "run approve", input, context);
export const reject: HandlerOf<typeof runRejectRecord> = (input, context) =>
  decide("reject", "run reject", input, context);

export const abortAt: CommandHandler<DecideInput> = (input, context) => decide("abort", "run abort", input, context);

export const requestChanges: HandlerOf<typeof runRequestChangesRecord> = async (input, context) => {
  if (!input.message?.trim()) {
    const next = `Add a comment: devflow run request-changes ${input.run ?? ""} -m "…"`.replace("  ", " ");
    throw new DevflowError("usage", { details: { problem: "What should change?", next } });
  }
  return await decide("request_changes", "run request-changes", input, context);
};

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
  const body = {
    verdict,
    clientToken: input.clientToken ?? uuidv7(),
    ...(input.message ? { comment: input.message } : {}),
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
  const again = decision.created ? "" : " (already decided with the same token)";
  const next = verdict === "reject" || verdict === "abort" ? "run show" : "run watch";
  context.output.result(
    decision,
    `${word}: ${gate.kind === "recovery" ? gate.phase : gate.gate.replace(/_approved$/, "").replaceAll("_", " ")} of “${plainLine(run.title)}”${again}.\nNext: devflow ${next} ${shortId(run.id)}`,
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
