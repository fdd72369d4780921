/**
 * An app's health from 0 to 100: eight weighted categories, each 100 minus what was found in it and what the evidence
 * itself shows. A category that the evidence did not cover has no score and no weight, and is listed as untested.
 *
 * - `healthScore(findings, observed)`.
 */
import { type Category, categories, type Finding, type Severity } from "./finding.ts";
import type { Observed, Vitals } from "./observed.ts";

export const weights: Readonly<Record<Category, number>> = {
  functional: 25,
  console: 15,
  accessibility: 15,
  ux: 15,
  performance: 10,
  visual: 8,
  links: 7,
  content: 5,
};

const costs: Readonly<Record<Severity, number>> = { critical: 40, high: 20, medium: 10, low: 4 };

/** Categories that only these commands test. Using the app tests the others. */
const testedBy: Readonly<Partial<Record<Category, readonly string[]>>> = {
  accessibility: ["accessibility"],
  performance: ["vitals", "perf"],
};

export interface HealthScore {
  /** Undefined when nothing was tested. */
  readonly total: number | undefined;
  readonly byCategory: Readonly<Record<Category, number | undefined>>;
  readonly untested: readonly Category[];
}

export function healthScore(findings: readonly Finding[], observed: Observed | undefined): HealthScore {
  const scores = categories.map((category): [Category, number | undefined] => {
    const own = findings.filter((one) => one.category === category);
    if (own.length === 0 && !wasTested(category, observed)) return [category, undefined];
    const found = own.filter(({ fixed }) => !fixed).reduce((sum, { severity }) => sum + costs[severity], 0);
    // The tester and the evidence may see the same faults, so the worse of the two counts, not both.
    return [category, Math.max(0, 100 - Math.max(found, observedCost(category, observed)))];
  });
  const tested = scores.filter((one): one is [Category, number] => one[1] !== undefined);
  const weight = tested.reduce((sum, [category]) => sum + weights[category], 0);
  const total = tested.reduce((sum, [category, score]) => sum + weights[category] * score, 0);
  return {
    total: weight === 0 ? undefined : Math.round(total / weight),
    byCategory: Object.fromEntries(scores) as Record<Category, number | undefined>,
    untested: scores.filter(([, score]) => score === undefined).map(([category]) => category),
  };
}

function wasTested(category: Category, observed: Observed | undefined): boolean {
  if (!observed || observed.commands === 0) return false;
  return testedBy[category]?.some((command) => observed.used.has(command)) ?? true;
}

function observedCost(category: Category, observed: Observed | undefined): number {
  if (!observed) return 0;
  if (category === "console") return stepped(observed.consoleErrors.length);
  if (category === "links") return 15 * observed.failedRequests.length;
  if (category === "visual") return 20 * observed.comparisons.filter(({ same }) => !same).length;
  if (category === "performance") return Math.max(0, ...observed.vitals.map(vitalsCost));
  return 0;
}

/** In steps, so that the first errors cost the most. */
function stepped(errors: number): number {
  if (errors === 0) return 0;
  if (errors <= 2) return 25;
  if (errors <= 5) return 50;
  return errors <= 10 ? 75 : 100;
}

/** Google's limits for good and for poor. */
function vitalsCost({ lcp = 0, cls = 0, inp = 0 }: Vitals): number {
  const cost = (value: number, good: number, poor: number, price: number) =>
    value > poor ? 2 * price : value > good ? price : 0;
  return Math.min(100, cost(lcp, 2500, 4000, 25) + cost(cls, 0.1, 0.25, 15) + cost(inp, 200, 500, 15));
}
