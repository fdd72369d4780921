/** An event as one line of text; undefined for events that are only for programs. */
import { plainLine } from "@devflow/core/plain-text";
import type { RunEventView } from "@devflow/protocol";
import { shortId } from "./words.ts";

export function eventLine({ type, payload, at, phase }: RunEventView): string | undefined {
  const words = wordsOf(type, payload, phase);
  return words === undefined ? undefined : `${new Date(at).toTimeString().slice(0, 8)}  ${words}`;
}

function verdictWord(gate: string, verdict: string): string {
  if (!gate.startsWith("recovery:")) return verdict.replaceAll("_", " ");
  return verdict === "approve" || verdict === "request_changes" ? "try again" : "give up";
}

function wordsOf(type: string, payload: Record<string, unknown>, phase: string | null): string | undefined {
  const text = (name: string): string => plainLine(String(payload[name] ?? ""));
  const attempt = Number(payload.attempt ?? 1) > 1 ? `, attempt ${payload.attempt}` : "";
  switch (type) {
    case "run.created":
      return `run created: ${text("title")} (${text("template")})`;
    case "run.paused":
      // A pause with an approval as its cause is a gate that opened because something went wrong.
      return `${text("cause").startsWith("approval:") ? "stopped" : "run paused"}${payload.reason ? `: ${text("reason")}` : ""}`;
    case "run.forked":
      return payload.from
        ? `forked from ${shortId(text("from"))} at ${text("at")}`
        : `run ${shortId(text("fork"))} was forked from it at ${text("at")}`;
    case "run.adopted":
      return `run taken over from ${text("from")}`;
    case "run.moved":
      return `run moved from ${text("from")} to ${text("to")}: ${text("reason")}`;
    case "run.completed":
      return "run completed";
    case "run.failed":
    case "run.aborted":
      return `${type.replace(".", " ")}: ${text("reason")}`;
    case "run.resumed":
    case "run.queued":
    case "run.started":
      return type.replace(".", " ");
    case "phase.started":
      return `${phase} started${attempt}`;
    case "phase.completed":
      return `${phase} completed`;
    case "phase.failed":
    case "phase.skipped":
      return `${phase} ${type.slice(6)}: ${text("reason")}`;
    case "artifact.invalid":
      return `${phase} got an invalid artifact: ${text("path")}`;
    case "artifact.timeout":
      return `${phase} got no artifact in time`;
    case "artifact.missing":
      return `${phase} got no artifact: ${plainLine(text("reason"))}`;
    case "approval.requested":
      return text("gate").startsWith("recovery:") ? undefined : `asks: ${text("gate")}`;
    case "approval.resolved":
      return `${text("gate").replace(/^recovery:.*/, phase ?? "recovery")}: ${verdictWord(text("gate"), text("verdict"))}${payload.comment ? `, “${text("comment")}”` : ""}`;
    case "approval.timed_out":
      return `${text("gate")}: nobody answered in time`;
    case "command.completed":
    case "command.failed":
      return `\`${plainLine((payload.argv as string[] | undefined)?.join(" ") ?? "")}\` ${type.slice(8)}`;
    case "commit.created":
      return `commit ${text("commit").slice(0, 10)} after ${phase ?? text("phase")}`;
    case "lane.started":
      return `lane ${text("lane")} started${Number(payload.try) > 1 ? `, try ${payload.try}` : ""}: run ${shortId(text("run"))}`;
    case "lane.completed":
      return `lane ${text("lane")} ${text("state")}`;
    case "merge.completed":
      return `lane ${text("lane")} merged${payload.byHand ? " by hand" : ""}: ${text("commit").slice(0, 10)}`;
    case "merge.conflicted":
      return `lane ${text("lane")} conflicts: ${plainLine((payload.paths as string[] | undefined)?.join(", ") ?? "")}`;
    case "session.crashed":
    case "session.recovered":
    case "session.failed":
      return `agent ${text("role")} ${type.slice(8)}`;
    case "pull_request.opened":
      return `pull request opened: ${text("url")}`;
    case "finding.waived":
      return `finding waived: ${text("reason")}`;
    case "audit.finding_recorded":
      return `audit, ${text("severity")}: ${text("detail")} (${text("rule")})`;
    case "message.said":
      return `said to ${text("role")}: “${text("text")}”`;
    case "message.received":
      return `${text("role")} has the message`;
    case "permission.requested":
      return `agent asks to use ${text("tool")}: ${text("detail")}`;
    default:
      return undefined;
  }
}
