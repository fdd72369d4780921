/**
 * Builds the report of a suite from its measurements and adjusted p-values.
 *
 * - `suiteReport(measured, adjusted, options)`.
 */

import { withBudgetVerdict } from "./budget-verdict.ts";
import { findCaseChanges } from "./case-changes.ts";
import type { CasePair } from "./case-pairs.ts";
import { type CompareOptions, defaultAlpha, defaultFloors } from "./compare-options.ts";
import type {
  CaseLine,
  CriterionFinding,
  PassFinding,
  RawChange,
  SideNumbers,
  SuiteReport,
  Verdict,
} from "./compare-report.ts";
import type { MeasuredCriterion } from "./criterion-findings.ts";
import { measureErrors } from "./error-finding.ts";
import type { MeasuredSuite } from "./measure-suite.ts";
import { countCase } from "./pair-counts.ts";
import type { MeasuredPass } from "./pass-finding.ts";
import { notePower } from "./power-note.ts";
import { reasonFor } from "./reason.ts";
import { type Side, type SideCase, status } from "./side.ts";
import { decide, mostLost, passScale, scoreScale, worstOf } from "./verdict.ts";

/** In the order of the suite's findings. */
export interface AdjustedPs {
  readonly pass: number;
  readonly criteria: readonly number[];
  readonly budgets: readonly (number | null)[];
}

export function suiteReport(measured: MeasuredSuite, adjusted: AdjustedPs, options: CompareOptions): SuiteReport {
  const alpha = options.alpha ?? defaultAlpha;
  const { pairing, compared, tried } = measured;
  const passVerdict = (one: MeasuredPass, pAdjusted: number) =>
    // Equal results so far do not end a sequential test: its interval has to rule out a loss.
    decide({ ...one, ...passScale, pAdjusted, alpha, hasChange: one.isSequential === true || one.changed > 0 });
  const pass: PassFinding | null = measured.pass && {
    ...measured.pass,
    pAdjusted: adjusted.pass,
    verdict: passVerdict(measured.pass, adjusted.pass),
  };
  const criteria = measured.criteria.map((one, i) => judgeCriterion(one, adjusted.criteria[i] ?? 1, alpha));
  const errors = measureErrors(tried.counts, alpha, (one) => passVerdict(one, one.p));
  const lostShare = tried.counts.length === 0 ? 0 : errors.lostPairs / tried.counts.length;
  const gating: Verdict[] = [
    ...(pass ? [pass.verdict] : []),
    ...criteria.filter(isGating).map(({ verdict }) => verdict),
  ];
  const floors = { ...defaultFloors, ...options.floors };
  measured.rest();
  const { broken, fixed, wavering } = findCaseChanges(measured.suite, compared, options);
  measured.rest();
  const renamed: CasePair[] = [];
  for (let i = 0; i < pairing.pairs.length; i++) {
    if (pairing.pairs.by(i) === "renamed") renamed.push(pairing.pairs.at(i));
  }
  const largest = Math.max(pairing.pairs.length + pairing.removed.length, pairing.pairs.length + pairing.added.length);
  const report: Omit<SuiteReport, "reason"> = {
    suite: measured.suite,
    tier: measured.tier,
    variant: measured.variant,
    verdict: lostShare > mostLost ? "not enough data" : worstOf(gating),
    refused: measured.isRefused ? (measured.judges?.text ?? null) : null,
    a: sideNumbers(pairing.a, pairing.pairs.length + pairing.removed.length),
    b: sideNumbers(pairing.b, pairing.pairs.length + pairing.added.length),
    pairs: {
      common: pairing.pairs.length,
      compared: compared.counts.length,
      added: pairing.added.length,
      removed: pairing.removed.length,
      renamed: renamed.length,
      overlap: largest === 0 ? 0 : pairing.pairs.length / largest,
      lostToErrors: errors.lostPairs,
      superseded: pairing.superseded.a + pairing.superseded.b,
    },
    pass,
    errors,
    change: rawChange(measured),
    broken,
    wavering,
    fixed,
    added: pairing.added.map(lineOf),
    removed: failingFirst(pairing.removed.map(lineOf)),
    renamed: renamed.map(({ a, b }) => ({ from: a.name, to: b.name })),
    suggestions: pairing.suggestions.slice(0, 50).map(({ a, b, reason }) => ({ a: a.name, b: b.name, reason })),
    quarantined: measured.quarantined,
    criteria,
    budgets: measured.budgets.map((one, i) => withBudgetVerdict(one, adjusted.budgets[i] ?? null, floors, alpha)),
    // Power is that of the test with a fixed number of runs.
    power:
      options.verdictOnly || options.sequential || compared.counts.length === 0
        ? null
        : notePower(compared.counts, options),
  };
  return { ...report, reason: reasonFor(report) };
}

function isGating({ gates }: CriterionFinding): boolean {
  return gates;
}

function judgeCriterion(measured: MeasuredCriterion, adjusted: number, alpha: number): CriterionFinding {
  const { better, ...finding } = measured;
  const verdict = decide({ ...better, ...scoreScale, cases: finding.cases, pAdjusted: adjusted, alpha });
  return { ...finding, verdict, pAdjusted: finding.gates ? adjusted : null, q: finding.gates ? null : adjusted };
}

function sideNumbers({ runs, status: statuses }: Side, cases: number): SideNumbers {
  const counts = [0, 0, 0, 0];
  for (const one of statuses) counts[one]! += 1;
  const [passed = 0, failed = 0, errors = 0, skipped = 0] = counts;
  return { runs: runs.length, cases, results: statuses.length, passed, failed, errors, skipped };
}

/** Splits the raw change of the pass rate into the effect of common, added and removed cases. */
function rawChange({ pairing }: MeasuredSuite): RawChange {
  const all = (side: Side) => {
    let [passes, results] = [0, 0];
    for (const one of side.status) {
      if (one === status.pass) passes++;
      if (one === status.pass || one === status.fail) results++;
    }
    return { passes, results };
  };
  const without = (sum: ReturnType<typeof all>, cases: readonly SideCase[]) => {
    const rest = { ...sum };
    for (const one of cases) {
      const counts = countCase(one);
      rest.passes -= counts.passes;
      rest.results -= counts.results;
    }
    return rest;
  };
  const rate = ({ passes, results }: ReturnType<typeof all>) => (results === 0 ? null : passes / results);
  const [sumA, sumB] = [all(pairing.a), all(pairing.b)];
  const [allA, allB] = [rate(sumA), rate(sumB)];
  const [beforeA, afterB] = [rate(without(sumA, pairing.removed)), rate(without(sumB, pairing.added))];
  if (allA === null || allB === null) return { raw: 0, common: 0, added: 0, removed: 0 };
  const common = beforeA === null || afterB === null ? 0 : afterB - beforeA;
  return {
    raw: allB - allA,
    common,
    added: afterB === null ? allB - allA : allB - afterB,
    removed: beforeA === null ? 0 : beforeA - allA,
  };
}

function lineOf(one: SideCase): CaseLine {
  return { name: one.name, ...countCase(one) };
}

function failingFirst(lines: readonly CaseLine[]): CaseLine[] {
  const isFailing = ({ passes, results, errors }: CaseLine) => passes < results || errors > 0;
  return [...lines.filter(isFailing), ...lines.filter((line) => !isFailing(line))];
}
