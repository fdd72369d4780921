/**
 * The artifacts to show at a gate.
 *
 * - `evidenceFor(detail, approval)` the artifacts of the newest attempt of the gate's phase. If the phase has none, the question is
 *   about the change as a whole: then the newest artifacts of every earlier phase, latest phase first.
 * - `openGates(approvals)` the gates that wait for a person.
 */
import type { ApprovalView, ArtifactView, RunDetail } from "@devflow/protocol";

export interface Evidence {
  readonly artifacts: readonly ArtifactView[];
  readonly isOwn: boolean;
}

export function evidenceFor(detail: RunDetail, approval: Pick<ApprovalView, "phase">): Evidence {
  const own = newestAttempt(detail.artifacts, approval.phase);
  if (own.length > 0) return { artifacts: own, isOwn: true };
  const at = detail.phases.find((phase) => phase.key === approval.phase)?.seq ?? Number.POSITIVE_INFINITY;
  const artifacts = detail.phases
    .filter((phase) => phase.seq < at)
    .toSorted((a, b) => b.seq - a.seq)
    .flatMap((phase) => newestAttempt(detail.artifacts, phase.key));
  return { artifacts, isOwn: false };
}

export function openGates(approvals: readonly ApprovalView[]): ApprovalView[] {
  return approvals.filter((approval) => approval.state === "pending" || approval.state === "paused");
}

/** The newest artifact at each path, from the newest attempt. */
function newestAttempt(artifacts: readonly ArtifactView[], phase: string | null): ArtifactView[] {
  const own = artifacts.filter((artifact) => artifact.phase === phase);
  const newest = own.reduce((highest, artifact) => Math.max(highest, artifact.attempt), 0);
  const byPath = new Map<string, ArtifactView>();
  for (const artifact of own.filter((each) => each.attempt === newest)) {
    const before = byPath.get(artifact.path);
    if (!before || Date.parse(before.createdAt) <= Date.parse(artifact.createdAt)) byPath.set(artifact.path, artifact);
  }
  return [...byPath.values()].sort((a, b) => a.name.localeCompare(b.name));
}
