/**
 * Selects the cases of a suite to run.
 *
 * - `selectCases(cases, { tier, tags, withoutTags, names })` in order. `quick` and `fast` run the cases of tier quick, `full`
 *   runs all, every other tier runs all except those of tier full.
 */

import { assertNever } from "@devflow/core/assert-never";
import { DevflowError } from "@devflow/core/errors";
import type { EvalTier } from "../results/result.ts";
import { type Scope, scopes } from "./case-schema.ts";
import type { EvalCase } from "./eval-case.ts";

export interface CaseSelection {
  readonly tier: EvalTier;
  /** Any of them. */
  readonly tags?: readonly string[];
  readonly withoutTags?: readonly string[];
  readonly names?: readonly string[];
}

function scopeOf(tier: EvalTier): Scope {
  switch (tier) {
    case "quick":
    case "fast":
      return "quick";
    case "standard":
    case "e2e":
    case "llm-judge":
      return "standard";
    case "full":
      return "full";
    default:
      return assertNever(tier);
  }
}

export function selectCases(cases: readonly EvalCase[], selection: CaseSelection): EvalCase[] {
  const { tier, tags = [], withoutTags = [], names = [] } = selection;
  const scope = scopes.indexOf(scopeOf(tier));
  const selected = cases.filter(
    (one) =>
      scopes.indexOf(one.scope) <= scope &&
      (tags.length === 0 || tags.some((tag) => one.tags.includes(tag))) &&
      !withoutTags.some((tag) => one.tags.includes(tag)) &&
      (names.length === 0 || names.includes(one.name)),
  );
  if (selected.length > 0) return selected;
  // "No failures" with no cases would be misleading.
  const asked = [
    `tier ${tier}`,
    ...tags.map((tag) => `tag ${tag}`),
    ...withoutTags.map((tag) => `not ${tag}`),
    ...names,
  ];
  throw new DevflowError("input_invalid", {
    details: {
      problem: `None of ${cases.length} cases matches ${asked.join(", ")}.`,
      next: "Give cases `tier: quick` or a tag, or choose another tier with --tier.",
    },
  });
}
