/**
 * Merges the batches of several reviewers into one list.
 *
 * - `mergeBatches(batches)` each finding once, with everyone who reported it and the highest severity; the most severe
 *   first. The order of the batches only decides who is named first.
 */
import { atLeastSeverity, severities } from "@devflow/core/enums";
import {
  type Finding,
  findingKey,
  lineTolerance,
  normalFile,
  type ReportedFinding,
  type ReviewBatch,
  subjectKey,
} from "./finding.ts";

interface Report {
  readonly reviewer: string;
  readonly finding: ReportedFinding;
}

export function mergeBatches(batches: readonly ReviewBatch[]): Finding[] {
  const subjects = new Map<string, Report[]>();
  for (const { reviewer, findings } of batches) {
    for (const finding of findings) {
      const subject = subjectKey(finding);
      subjects.set(subject, [...(subjects.get(subject) ?? []), { reviewer, finding }]);
    }
  }
  return [...subjects.values()].flatMap(byPlace).map(merge).sort(byWeight);
}

/** Groups neighbouring lines, counted from the first of them, so that a chain of neighbours does not grow without limit. */
function byPlace(reports: readonly Report[]): Report[][] {
  const lineOf = (report: Report) => report.finding.line ?? Number.NEGATIVE_INFINITY;
  const groups: Report[][] = [];
  for (const report of reports.toSorted((a, b) => (lineOf(a) === lineOf(b) ? 0 : lineOf(a) - lineOf(b)))) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const isNear = first && (lineOf(first) === lineOf(report) || lineOf(report) - lineOf(first) <= lineTolerance);
    if (group && isNear) group.push(report);
    else groups.push([report]);
  }
  return groups.map((group) => group.toSorted((a, b) => reports.indexOf(a) - reports.indexOf(b)));
}

function merge(reports: readonly Report[]): Finding {
  const worst = reports.reduce((most, one) =>
    atLeastSeverity(most.finding.severity, one.finding.severity) ? most : one,
  );
  const given: Record<string, Finding["severity"]> = {};
  for (const { reviewer, finding } of reports) {
    const before = given[reviewer];
    if (before === undefined || atLeastSeverity(finding.severity, before)) given[reviewer] = finding.severity;
  }
  const [reviewer = "", ...alsoBy] = [...new Set(reports.map((report) => report.reviewer))];
  const lines = reports.flatMap(({ finding }) => finding.line ?? []);
  const line = lines.length > 0 ? Math.min(...lines) : undefined;
  const evidence = [worst, ...reports].map(({ finding }) => finding.evidence).find(Boolean) ?? undefined;
  return {
    key: findingKey({ ...worst.finding, line }),
    reviewer,
    alsoBy,
    severity: worst.finding.severity,
    severities: given,
    category: worst.finding.category,
    file: normalFile(worst.finding.file),
    line,
    summary: worst.finding.summary,
    evidence,
    verifierStatus: "unverified",
  };
}

function byWeight(a: Finding, b: Finding): number {
  const weight = severities.indexOf(b.severity) - severities.indexOf(a.severity);
  if (weight !== 0) return weight;
  const [fileA, fileB] = [a.file ?? "", b.file ?? ""];
  if (fileA !== fileB) return fileA < fileB ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.key < b.key ? -1 : 1);
}
