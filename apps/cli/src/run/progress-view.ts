/**
 * A run on one screen: its phases with states, attempts and times, its cost, the last line of an agent, and, if a person is
 * asked, the exact next command. Pure: the same run at the same moment gives the same lines.
 */

import { basename } from "node:path";
import { plainLine } from "@devflow/core/plain-text";
import type { ApprovalView, PhaseView, RunDetail } from "@devflow/protocol";
import { fitted } from "../fitted.ts";
import {
  askingLanes,
  auditLine,
  elapsed,
  hasEnded,
  isOpenFinding,
  money,
  openGates,
  phaseWord,
  shortId,
  stateWord,
} from "./words.ts";

export interface ProgressOptions {
  readonly nowMs: number;
  readonly columns: number;
  /** The last line of any agent's transcript. */
  readonly lastLine?: { readonly role: string; readonly text: string } | undefined;
}

export function progressLines(run: RunDetail, { nowMs, columns, lastLine }: ProgressOptions): string[] {
  const time = elapsed(run.startedAt ?? run.createdAt, run.endedAt, nowMs);
  const head = `${shortId(run.id)}  ${stateWord(run)}  ${plainLine(run.title)}`;
  const about = `          ${run.template}, ${plainLine(basename(run.repository))} from ${plainLine(run.baseBranch)}, ${time}, ${costOf(run)}`;
  const width = Math.max(...run.phases.map((phase) => phase.key.length));
  const phases = run.phases.map((phase) => phaseLine(phase, width, nowMs));
  const said = lastLine && !hasEnded(run) ? [`  ${lastLine.role}: ${plainLine(lastLine.text)}`] : [];
  const lines = [head, about, "", ...phases, ...said];
  const asked = [...failureLines(run, nowMs), ...permissionLines(run), ...askedLines(run), ...laneLines(run)];
  return [...lines.map((line) => fitted(line.trimEnd(), columns)), ...asked, ...endLines(run)];
}

function phaseLine(phase: PhaseView, width: number, nowMs: number): string {
  const remarks = [
    phase.attempts > 1 ? `attempt ${phase.attempts}` : "",
    phase.loops > 0 ? `loop ${phase.loops}` : "",
    phase.repair ? "repair" : "",
    phase.reason && phase.state !== "completed" ? plainLine(phase.reason) : "",
  ].filter(Boolean);
  const time = phase.state === "pending" ? "" : elapsed(phase.startedAt, phase.endedAt, nowMs);
  const cells = [mark[phase.state], phase.key.padEnd(width), phaseWord(phase.state).padEnd(17), time.padStart(10)];
  return `  ${cells.join("  ")}  ${remarks.join(", ")}`;
}

const mark: Readonly<Record<PhaseView["state"], string>> = {
  pending: "·",
  running: "▸",
  awaiting_artifact: "▸",
  validating: "▸",
  awaiting_approval: "?",
  completed: "✓",
  failed: "✗",
  skipped: "-",
};

const costOf = ({ cost }: RunDetail): string => `${money(cost.usd)}, ${cost.inputTokens + cost.outputTokens} tokens`;

/** A step that failed and is tried again. */
function failureLines({ stepFailure }: RunDetail, nowMs: number): string[] {
  if (!stepFailure) return [];
  const { step, reason, hint, failures, nextTryAt } = stepFailure;
  const seconds = Math.ceil((Date.parse(nextTryAt) - nowMs) / 1000);
  const times = failures === 1 ? "once" : `${failures} times`;
  return [
    "",
    `The run cannot advance: ${plainLine(reason)}`,
    ...(hint ? [`  ${plainLine(hint)}`] : []),
    `  ${step.replaceAll("_", " ")} failed ${times}; next try ${seconds > 0 ? `in ${seconds} s` : "now"}`,
  ];
}

/** The question, and what to type. Not cut: a command must be complete. */
function askedLines(run: RunDetail): string[] {
  return openGates(run).flatMap((approval) => {
    const { gate, kind, reason, phase, added, audit } = approval;
    const id = shortId(run.id);
    if (approval.choices.length > 0) return choiceLines(id, approval);
    const recovery = [
      "",
      `Stopped at ${phase ?? gate}: ${plainLine(reason ?? gate)}`,
      ...auditLines(audit),
      `  devflow run retry ${id}                       try again`,
      `  devflow run request-changes ${id} -m "…"     try again with a comment`,
      `  devflow run reject ${id}                      give up`,
      ...(run.findings.some(isOpenFinding)
        ? [`  devflow run waive ${id} <finding> -m "…"     let a finding stand; see: devflow run show ${id}`]
        : []),
    ];
    const asked = [
      "",
      `Asks: ${gate.replaceAll("_", " ")}?`,
      ...auditLines(audit),
      ...addedLines(added),
      ...evidenceLines(run, phase),
      `  devflow run approve ${id}`,
      `  devflow run request-changes ${id} -m "…"`,
      `  devflow run reject ${id}`,
    ];
    return kind === "recovery" ? recovery : asked;
  });
}

/** A question about lanes: what happened, and what may be done about it. */
function choiceLines(id: string, { gate, reason, detail, choices }: ApprovalView): string[] {
  const width = Math.max(...choices.map((one) => one.id.length));
  const about = detail === null ? [] : detail.split("\n").map((line) => `    ${plainLine(line)}`.trimEnd());
  return [
    "",
    `Asks: ${gate.replaceAll("_", " ")}? ${plainLine(reason ?? "")}`.trimEnd(),
    ...about,
    ...choices.map((one) => `  devflow run approve ${id} --choice ${one.id.padEnd(width)}   ${one.label}`),
    `  devflow run request-changes ${id} -m "…"`,
    `  devflow run abort ${id}`,
  ];
}

/** What agents did against the rules since the gate before: whoever decides has to know. */
function auditLines(audit: ApprovalView["audit"]): string[] {
  if (audit.length === 0) return [];
  return ["  Before you decide, look at what the agents did:", ...audit.map((one) => `    ${auditLine(one)}`)];
}

/** What was added to the work while the gate was open, so that it asks again. */
function addedLines(added: ApprovalView["added"]): string[] {
  if (!added) return [];
  const commits = added.commits.map(({ commit, subject, author }) => `${commit.slice(0, 10)} ${subject}, by ${author}`);
  const files = added.files.map(({ path, change }) => `${path} (${change})`);
  return [
    "  The work has changed since this gate opened:",
    ...[...commits, ...files].map((one) => `    ${plainLine(one)}`),
  ];
}

/** How to read what the question is about: the artifacts of the phase, or the changes of the run. */
function evidenceLines(run: RunDetail, phase: string | null): string[] {
  const id = shortId(run.id);
  const brought = run.artifacts.filter((one) => one.valid && one.phase === phase);
  const names = [...new Set(brought.map((one) => one.name))];
  if (names.length === 0) return [`  devflow run diff ${id}`];
  return names.map((name) => `  devflow run show ${id} --artifact ${plainLine(name)}`);
}

function permissionLines({ id, permissions }: RunDetail): string[] {
  return permissions.flatMap((one) => {
    const which = permissions.length > 1 ? ` --permission ${one.id}` : "";
    return [
      "",
      `${one.role} asks to use ${plainLine(one.tool)}: ${plainLine(one.detail)}`,
      `  devflow run allow ${shortId(id)}${which}`,
      `  devflow run deny ${shortId(id)}${which}`,
    ];
  });
}

function laneLines(run: RunDetail): string[] {
  const lines = askingLanes(run).map(({ id, runId }) => `Lane ${id} asks: devflow run show ${shortId(runId)}`);
  return lines.length === 0 ? [] : ["", ...lines];
}

function endLines(run: RunDetail): string[] {
  const id = shortId(run.id);
  if (run.state === "paused" && openGates(run).length === 0) return ["", `Paused. Resume: devflow run resume ${id}`];
  if (!hasEnded(run)) return [];
  const why = run.failureReason ? [`Why: ${plainLine(run.failureReason)}`] : [];
  return ["", ...why, `Report: devflow run report ${id}   Changes: devflow run diff ${id}`, ...leftLines(run)];
}

/** What to do with the branch and the worktree. Not cut: a command must be complete. */
function leftLines({ id, state, repository, remote, parent, branch, baseBranch }: RunDetail): string[] {
  const inRepository = `git -C ${shellWord(repository)}`;
  const merge = `Merge: ${inRepository} switch ${shellWord(baseBranch)} && ${inRepository} merge ${branch}`;
  const isResult = state === "completed" && parent === null;
  // The branch of a run on another machine is pushed from the commits that are on the remote.
  const result = !isResult
    ? `Branch: ${branch}`
    : remote === null
      ? merge
      : `Push its branch: devflow run pr ${shortId(id)}`;
  return [result, `Remove its worktree: devflow run cleanup ${shortId(id)}   Of all ended runs: devflow run prune`];
}

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${plainLine(text).replaceAll("'", `'\\''`)}'`;
