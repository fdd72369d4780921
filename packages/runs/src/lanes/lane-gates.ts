/**
 * Questions about lanes, and what a person may choose at each.
 *
 * - `askAboutLanes(fact, phase, question)` opens the gate. The run waits for the answer; its lanes go on.
 * - `isLaneGate(approval, phase)` whether a gate is one of these. `chosenAt(approval, choice)` what was chosen: by default the
 *   first; a choice that the gate does not offer is an error.
 */
import { DevflowError } from "@devflow/core/errors";
import { z } from "zod";
import { requestApproval } from "../approvals/approval-repository.ts";
import type { RunFact } from "../engine/fact.ts";
import type { ApprovalRow, PhaseRow } from "../engine/rows.ts";
import { laneGates } from "../templates/index.ts";

/** What each choice does, as people read it. */
const choiceLabels = {
  serialise: "Do these tasks one after the other",
  parallel: "Do them side by side all the same",
  again: "Do the task again, from what is merged by now",
  rebase: "Let the lane's agent bring its work onto what is merged",
  by_hand: "It was merged by hand in the worktree of the run",
  widen: "Let the lane have these files",
  drop: "Leave out the task, and what depends on it",
  retest: "Run the tests again",
  continue: "Go on; the phases after the lanes can repair it",
} as const;
export type LaneChoice = keyof typeof choiceLabels;

export interface LaneQuestion {
  readonly gate: keyof typeof laneGates | "parallel_dag_approved";
  /** Tells apart questions of the same gate in one phase. */
  readonly subject: string;
  /** The first one is the default. */
  readonly choices: readonly [LaneChoice, ...LaneChoice[]];
  readonly reason: string;
  /** Hunks, files or pairs of tasks, as text. */
  readonly detail?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
}

export async function askAboutLanes(fact: RunFact, phase: PhaseRow, question: LaneQuestion): Promise<void> {
  const { gate, subject, reason, detail = null, payload = {} } = question;
  const choices = question.choices.map((id) => ({ id, label: choiceLabels[id] }));
  await requestApproval(fact, phase, {
    gate,
    subject,
    kind: "gate",
    payload: { reason, detail, choices, ...payload },
  });
  fact.moveRun("gate_opened");
}

export const isLaneGate = ({ gate_key: gate }: ApprovalRow, { kind }: PhaseRow): boolean =>
  Object.hasOwn(laneGates, gate) || (gate === "parallel_dag_approved" && kind === "lanes");

const Choices = z.array(z.object({ id: z.enum(Object.keys(choiceLabels) as LaneChoice[]) }));

export function chosenAt({ payload, gate_key: gate }: ApprovalRow, choice: string | undefined): LaneChoice | undefined {
  const offered = Choices.safeParse(payload.choices).data?.map((one) => one.id) ?? [];
  if (choice === undefined) return offered[0];
  const found = offered.find((one) => one === choice);
  if (found) return found;
  const problem =
    offered.length === 0 ? `The gate ${gate} offers no choice.` : `The gate ${gate} does not offer "${choice}".`;
  const next = offered.length === 0 ? "Decide without --choice." : `Choose one of: ${offered.join(", ")}`;
  throw new DevflowError("input_invalid", { details: { problem, next } });
}
