/**
 * The cost of a run as a table for the terminal.
 *
 * - `costDashboard(view)` lines of equal width; distinguishes actual, estimated and unpriced.
 */
import { shortLine } from "@devflow/core/plain-text";
import type { ModelCost, RunCost } from "./run-costs.ts";
import type { TierCost } from "./tier-costs.ts";

export interface CostView {
  readonly tier: string;
  readonly cost: RunCost;
  readonly otherTiers: readonly TierCost[];
}

const headings = ["Model", "Calls", "Input", "Output", "Cost"] as const;

export function costDashboard({ tier, cost, otherTiers }: CostView): string {
  const rows = cost.models.map((model) => [
    fitted(model.model, 32),
    whole(model.calls),
    whole(model.inputTokens),
    whole(model.outputTokens),
    costWords(model),
  ]);
  const sum = (pick: (model: ModelCost) => number) =>
    whole(cost.models.reduce((total, model) => total + pick(model), 0));
  const total = [
    "TOTAL",
    sum(({ calls }) => calls),
    sum(({ inputTokens }) => inputTokens),
    sum(({ outputTokens }) => outputTokens),
    costWords(cost),
  ];
  const notes = notesOf(cost, otherTiers);
  const title = `EVAL COST DASHBOARD (${tier} tier)`;
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...[...rows, total].map((row) => (row[at] ?? "").length)),
  );
  // The last column grows if the title or the notes are wider than the table.
  const inner = () => widths.reduce((width, each) => width + each + 3, -1);
  const lack = Math.max(title.length, ...notes.map(({ length }) => length)) + 2 - inner();
  if (lack > 0) widths[4] = (widths[4] ?? 0) + lack;
  const line = (left: string, middle: string, right: string) =>
    `${left}${widths.map((width) => "─".repeat(width + 2)).join(middle)}${right}`;
  const cells = (row: readonly string[]) =>
    `│${widths.map((width, at) => ` ${at === 0 || at === 4 ? (row[at] ?? "").padEnd(width) : (row[at] ?? "").padStart(width)} `).join("│")}│`;
  const wide = (text: string) => `│ ${text.padEnd(inner() - 1)}│`;
  return [
    line("┌", "─", "┐"),
    wide(title),
    line("├", "┬", "┤"),
    cells(headings),
    line("├", "┼", "┤"),
    ...rows.map(cells),
    line("├", "┼", "┤"),
    cells(total),
    ...(notes.length > 0 ? [line("├", "┴", "┤"), ...notes.map(wide), line("└", "─", "┘")] : [line("└", "┴", "┘")]),
  ].join("\n");
}

export function notesOf(cost: RunCost, otherTiers: readonly TierCost[]): string[] {
  const tiers = otherTiers.flatMap(({ tier, usd }) => (usd === null ? [] : [`At ${tier} tier: ~${dollars(usd)}`]));
  const unpriced = cost.models.filter(({ unpricedCalls }) => unpricedCalls > 0);
  const unchanged = [...new Set(otherTiers.flatMap((tier) => tier.unchanged))];
  return [
    ...(tiers.length > 0 ? [tiers.join("  │  ")] : []),
    ...(unchanged.length > 0
      ? [`The same at every tier: ${unchanged.map((model) => fitted(model, 32)).join(", ")}`]
      : []),
    ...unpriced.map(({ model, unpricedReason }) => fitted(`Unpriced: ${unpricedReason ?? model}`, 100)),
    ...(cost.priceVersion ? [`Prices: ${cost.priceVersion}`] : []),
  ];
}

/** `~` marks an estimate, `+ ?` calls without a price. */
export function costWords(cost: {
  readonly actualUsd: number;
  readonly estimatedUsd: number;
  readonly unpricedCalls: number;
}): string {
  const parts = [
    ...(cost.actualUsd > 0 ? [dollars(cost.actualUsd)] : []),
    ...(cost.estimatedUsd > 0 ? [`~${dollars(cost.estimatedUsd)}`] : []),
    ...(cost.unpricedCalls > 0 ? ["unpriced"] : []),
  ];
  return parts.length > 0 ? parts.join(" + ") : dollars(0);
}

export const dollars = (usd: number): string => `$${usd.toFixed(usd >= 100 ? 2 : 4)}`;
export const whole = (count: number): string => count.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const fitted = shortLine;
