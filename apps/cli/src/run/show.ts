/** `devflow run show`: a run's state and its results so far. */

import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainLine, plainText } from "@devflow/core/plain-text";
import type { ArtifactView, RunDetail } from "@devflow/protocol";
import { size } from "../data/amounts.ts";
import type { runShowRecord } from "./commands.ts";
import { laneLines } from "./lane-lines.ts";
import { pickRun } from "./pick-run.ts";
import { progressLines } from "./progress-view.ts";
import { connectRuns } from "./runs-client.ts";
import { auditLine, commandOutcome, shortId } from "./words.ts";

export const show: HandlerOf<typeof runShowRecord> = async ({ run: given, artifact }, context) => {
  const client = await connectRuns(context);
  const run = await pickRun(client, given, "run show", context);
  const { output } = context;
  if (artifact !== undefined) {
    const text = await client.text(`/api/runs/${run.id}/artifacts/${artifactOf(run, artifact).id}/content`);
    return output.result({ ...artifactOf(run, artifact), content: text }, output.isTerminal ? plainText(text) : text);
  }
  const lines = [
    ...progressLines(run, { nowMs: Date.now(), columns: output.columns }),
    "",
    `Id        ${run.id}`,
    `Repo      ${plainLine(run.repository)}`,
    `Worktree  ${plainLine(run.worktree)}${run.remote === null ? "" : ` on ${plainLine(run.machine)}`}`,
    `Branch    ${run.branch} from ${plainLine(run.baseBranch)} at ${run.baseCommit.slice(0, 10)}`,
    ...parentOf(run),
    ...forkOf(run),
    ...section("Lanes", laneLines(run)),
    ...section("Attached", attachedTo(run)),
    ...section("Cast", castOf(run)),
    ...section("Decisions", decisionsOf(run)),
    ...section("Said", messagesOf(run)),
    ...section("Comments on lines", draftsOf(run)),
    ...section("Artifacts", artifactsOf(run)),
    ...section("Findings", findingsOf(run)),
    ...section("Audit", run.audit.map(auditLine)),
    ...section("Commands", commandsOf(run)),
    ...(run.commands.length > 0 ? [`  Their output: devflow run logs ${shortId(run.id)} <number>`] : []),
  ];
  output.result(run, lines.join("\n"));
};

/** The newest of that name: a plan that was requested twice is there twice. */
function artifactOf(run: RunDetail, name: string): ArtifactView {
  const found = run.artifacts.findLast((one) => one.name === name || one.name === `${name}.json` || one.id === name);
  if (found) return found;
  const names = [...new Set(run.artifacts.map((one) => one.name))];
  const next = names.length > 0 ? `Known artifacts: ${names.join(", ")}` : "No artifact was written yet.";
  throw new DevflowError("not_found", { details: { what: `Artifact ${name}`, next } });
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];

const parentOf = ({ parent }: RunDetail): string[] =>
  parent
    ? [
        `Lane      ${parent.lane} of ${shortId(parent.runId)}${parent.try > 1 ? `, try ${parent.try}` : ""}: ${plainLine(parent.title)}`,
      ]
    : [];

/** Where it comes from, and what was forked from it. */
const forkOf = ({ id, forkOf: origin, forks }: RunDetail): string[] => [
  ...(origin
    ? [
        `Fork of   ${origin.runId === null ? "a run that is gone" : shortId(origin.runId)} at ${plainLine(origin.at)}; compare: devflow run compare ${shortId(id)}`,
      ]
    : []),
  ...forks.map(
    ({ runId, at, state }) => `Forked    ${shortId(runId)} at ${plainLine(at)}, ${state.replaceAll("_", " ")}`,
  ),
];
const attachedTo = ({ attachments }: RunDetail): string[] =>
  attachments.map(
    ({ name, mediaType, bytes, isRemoved }) =>
      `${plainLine(name)}  ${mediaType}, ${size(bytes)}${isRemoved ? ", removed" : ""}`,
  );

const messagesOf = ({ messages }: RunDetail): string[] =>
  messages.map(({ role, text, by, receivedAt, deliveredAt }) => {
    const state = receivedAt ? "received" : deliveredAt ? "passed on" : "waiting";
    return `to ${role} by ${plainLine(by.name ?? by.kind)} (${by.via}), ${state}: “${plainLine(text)}”`;
  });

const draftsOf = ({ draftComments: count, id }: RunDetail): string[] =>
  count === 0 ? [] : [`${count} not sent yet: devflow run comment list ${shortId(id)}`];

const castOf = ({ bindings }: RunDetail): string[] =>
  bindings.map(({ role, persona, backend }) => `${role}: ${persona} (${backend})`);

const decisionsOf = ({ approvals }: RunDetail): string[] =>
  approvals.flatMap(({ gate, decision }) => {
    if (!decision) return [];
    const { verdict, actor, comment } = decision;
    const who = `${plainLine(actor.name ?? actor.userId ?? actor.kind)} (${actor.via})`;
    return `${gate}: ${verdict.replaceAll("_", " ")} by ${who}${comment ? `, “${plainLine(comment)}”` : ""}`;
  });

const artifactsOf = ({ artifacts }: RunDetail): string[] =>
  artifacts.flatMap((one) => [
    `${one.valid ? "valid  " : "INVALID"}  ${plainLine(one.name)}  ${one.schema}, attempt ${one.attempt}, ${one.bytes} B`,
    ...one.errors.map(({ path, message }) => `         ${plainLine(path || "$")}: ${plainLine(message)}`),
  ]);

const findingsOf = ({ findings }: RunDetail): string[] =>
  findings.map((one, index) => {
    const place = one.file === null ? "" : ` ${plainLine(one.file)}${one.line === null ? "" : `:${one.line}`}`;
    const said = one.waiver ? `waived: ${plainLine(one.waiver.reason ?? "")}` : one.resolved ? "resolved" : "";
    const state = [one.severity, one.verifierStatus, said].filter(Boolean).join(", ");
    return `${index + 1}  ${state}:${place} ${plainLine(one.summary)}`;
  });

const commandsOf = ({ commands }: RunDetail): string[] =>
  commands.map((command, index) => `${index + 1}  ${commandOutcome(command)}: ${plainLine(command.argv.join(" "))}`);
