/**
 * What reviewers report, and when two reports are the same finding.
 *
 * - `findingKey(finding)` equal for equal findings, so that a replay inserts nothing twice.
 * - `subjectKey(finding)` the same without the line: reviewers seldom report the same line.
 */
import type { FindingCategory, Severity, VerifierStatus } from "@devflow/core/enums";
import { hash } from "@devflow/core/hash";

export interface ReportedFinding {
  readonly severity: Severity;
  readonly category: FindingCategory;
  readonly file?: string | null | undefined;
  readonly line?: number | null | undefined;
  readonly summary: string;
  readonly evidence?: string | null | undefined;
}

export interface ReviewBatch {
  /** The reviewer's role instance: `reviewer#0`. */
  readonly reviewer: string;
  readonly findings: readonly ReportedFinding[];
}

export interface Finding {
  readonly key: string;
  /** Who reported it first, by the order of the batches. */
  readonly reviewer: string;
  readonly alsoBy: readonly string[];
  /** The highest given by any reviewer. */
  readonly severity: Severity;
  /** The severity given by each reviewer. */
  readonly severities: Readonly<Record<string, Severity>>;
  readonly category: FindingCategory;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly summary: string;
  readonly evidence: string | undefined;
  readonly verifierStatus: VerifierStatus;
}

/** How far the lines of two reports may differ and still mean the same. */
export const lineTolerance = 3;

export function findingKey(finding: Pick<ReportedFinding, "category" | "file" | "line" | "summary">): string {
  return hash({ ...subjectOf(finding), line: finding.line ?? null });
}

/** Everything in the key except the line. */
export function subjectKey(finding: Pick<ReportedFinding, "category" | "file" | "summary">): string {
  return hash(subjectOf(finding));
}

function subjectOf({ category, file, summary }: Pick<ReportedFinding, "category" | "file" | "summary">) {
  return { file: normalFile(file) ?? null, category, summary: normalSummary(summary) };
}

/** `./src\a.ts` and `b/src/a.ts` of a diff are `src/a.ts`. */
export function normalFile(file: string | null | undefined): string | undefined {
  const path = (file ?? "").trim().toWellFormed().replaceAll("\\", "/").replaceAll(/\/+/g, "/");
  return path.replace(/^(\.\/)+/, "").replace(/^[ab]\/(?=.*\/)/, "") || undefined;
}

/** Case, punctuation and spaces are style, not part of the finding. */
function normalSummary(summary: string): string {
  const words = summary
    .toWellFormed()
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}_]+/gu);
  return (words ?? []).join(" ");
}
