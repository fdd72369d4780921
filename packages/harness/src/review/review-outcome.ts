/**
 * What a review means for the run.
 *
 * - `isBlocking(finding)` confirmed by the verifier, and at least `high`: it must be fixed.
 * - `isDisputed(finding)` reviewers and verifier disagree on something serious, so a person decides. Either the verifier
 *   rejects what two reviewers reported as at least `high`, or nobody verified it and the reviewers' severities are two
 *   levels or more apart.
 * - `reviewOutcome(findings)` each finding in at most one list; rejected ones that nobody disputes are in none.
 */
import { atLeastSeverity, severities } from "@devflow/core/enums";
import type { Finding } from "./finding.ts";

type Judged = Pick<Finding, "severity" | "severities" | "verifierStatus">;

export interface ReviewOutcome<F extends Judged = Finding> {
  readonly blocking: readonly F[];
  readonly disputed: readonly F[];
  /** Reported, but not blocking. */
  readonly open: readonly F[];
}

export function isBlocking({ verifierStatus, severity }: Judged): boolean {
  return verifierStatus === "confirmed" && atLeastSeverity(severity, "high");
}

export function isDisputed({ verifierStatus, severities: given }: Judged): boolean {
  const levels = Object.values(given);
  switch (verifierStatus) {
    case "confirmed":
      return false;
    case "rejected":
      return levels.filter((level) => atLeastSeverity(level, "high")).length >= 2;
    case "unverified": {
      const ranks = levels.map((level) => severities.indexOf(level));
      return ranks.length >= 2 && Math.max(...ranks) - Math.min(...ranks) >= 2;
    }
  }
}

export function reviewOutcome<F extends Judged>(findings: readonly F[]): ReviewOutcome<F> {
  const blocking = findings.filter(isBlocking);
  const disputed = findings.filter(isDisputed);
  const open = findings.filter(
    (finding) => finding.verifierStatus !== "rejected" && !isBlocking(finding) && !isDisputed(finding),
  );
  return { blocking, disputed, open };
}
