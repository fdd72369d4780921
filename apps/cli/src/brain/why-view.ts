/** The answer to why on a terminal: one block per step, each with the source it comes from. */
import type { BlamedLine, FoundSymbol, LineCommit } from "@devflow/brain/why";
import { shortLine } from "@devflow/core/plain-text";
import type { WhyAnswer } from "@devflow/protocol";
import { duration } from "../data/amounts.ts";
import { decisionName, stateWords } from "./decision-view.ts";

export interface Why {
  readonly file: string;
  readonly line: number | null;
  readonly symbol: FoundSymbol | null;
  readonly blamed: BlamedLine | null;
  /** Commits from git, where the team has recorded no edit that fits. */
  readonly history: readonly LineCommit[];
  readonly records: WhyAnswer;
}

export function whyPage(why: Why, nowMs: number): string {
  const { file, line, symbol, blamed, history, records } = why;
  const ago = (at: string | null) => (at === null ? "" : `, ${duration(nowMs - Date.parse(at))} ago`);
  const lines: string[] = [
    `${file}${line === null ? "" : `:${line}`}${symbol ? `  ${symbol.kind} ${symbol.name}` : ""}`,
  ];
  const step = (name: string, text: string, source: string) =>
    lines.push(`${name.padEnd(9)} ${text}`, `${" ".repeat(10)}(${source})`);
  if (blamed) {
    lines.push(`          ${shortLine(blamed.text, 100)}`);
    if (blamed.commit === null) step("commit", "not committed yet", "git blame");
    else
      step(
        "commit",
        `${blamed.commit.slice(0, 10)} ${shortLine(blamed.summary, 80)}; ${shortLine(blamed.author, 40)}${ago(blamed.committedAt)}`,
        "git blame",
      );
  }
  for (const one of records.edits.slice(0, line === null ? 5 : 3)) {
    step(
      "edit",
      `${shortLine(one.user_name, 30)}'s ${one.host ?? "agent"} with ${one.tool}${one.branch ? ` on ${shortLine(one.branch, 40)}` : ""}${ago(one.at)}`,
      `${one.how}; ${Math.round(one.confidence * 100)}% sure; edit ${one.id.slice(-8)}`,
    );
    if (one.prompt) step("prompt", `"${shortLine(one.prompt, 160)}"`, `edit ${one.id.slice(-8)}`);
  }
  for (const one of records.intents.slice(0, 3))
    step("intent", `${shortLine(one.text, 120)} (${one.state})`, `${one.how}; intent ${one.id.slice(-8)}`);
  for (const one of records.runs) {
    step(
      "run",
      `${shortLine(one.title ?? "unknown", 100)}${one.state ? ` (${one.state})` : ""}`,
      `${one.how}; run ${one.id.slice(-8)}`,
    );
    for (const gate of one.gates)
      step(
        "gate",
        `${gate.gate}: ${gate.state}${gate.by ? ` by ${shortLine(gate.by, 40)}` : ""}${gate.comment ? `, "${shortLine(gate.comment, 100)}"` : ""}`,
        `run ${one.id.slice(-8)}`,
      );
  }
  for (const one of records.decisions.slice(0, 5))
    step("decision", `${decisionName(one)} ${shortLine(one.title, 100)} (${stateWords(one)})`, one.how);
  for (const one of records.findings)
    step(
      "finding",
      `${one.severity}: ${shortLine(one.summary, 120)} (${one.resolved ? "resolved" : one.status})`,
      `${one.how}; ${one.reviewer}`,
    );
  for (const one of records.evals)
    step("eval", `${shortLine(one.suite, 60)}: ${one.passed} of ${one.total} passed`, one.how);
  for (const one of records.ships)
    step(
      "ship",
      `${shortLine(one.version, 60)}${one.pr_url ? ` ${shortLine(one.pr_url, 120)}` : ""}${ago(one.at)}`,
      one.how,
    );
  if (history.length > 0) {
    lines.push("The team has recorded no edit that fits. From git:");
    for (const one of history)
      step(
        "commit",
        `${one.commit.slice(0, 10)} ${shortLine(one.summary, 80)}; ${shortLine(one.author, 40)}${ago(one.at)}`,
        line === null ? "git log --follow" : "git log -L",
      );
  }
  return lines.join("\n");
}
