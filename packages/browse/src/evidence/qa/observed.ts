/**
 * What the evidence itself shows, independent of reported findings.
 *
 * - `observe(bundle)` pages, console errors, failed requests, vitals and compared pictures, without duplicates.
 */
import { z } from "zod";
import type { Bundle } from "../bundle.ts";
import { normalized } from "../compare-outcomes.ts";
import { type Comparison, comparisonIn } from "../comparison.ts";

/** Milliseconds, except for CLS. */
export interface Vitals {
  readonly lcp?: number;
  readonly cls?: number;
  readonly inp?: number;
}

export interface Observed {
  readonly commands: number;
  readonly pages: readonly string[];
  readonly consoleErrors: readonly string[];
  readonly failedRequests: readonly string[];
  /** Writes without a visible effect. */
  readonly withoutEffect: readonly string[];
  readonly vitals: readonly Vitals[];
  readonly comparisons: readonly ObservedComparison[];
  /** Commands that were used, by name. */
  readonly used: ReadonlySet<string>;
}

/** A page compared with a picture of how it should look. */
export interface ObservedComparison extends Comparison {
  readonly page: string;
  /** What differs, as a file in the bundle. */
  readonly picture: string | null;
}

const vitalsData = z.object({ vitals: z.array(z.object({ name: z.string(), value: z.number().nullable() })) });

export function observe({ commands }: Bundle): Observed {
  const pages = new Set<string>();
  const consoleErrors = new Set<string>();
  const failedRequests = new Set<string>();
  const withoutEffect: string[] = [];
  const vitals: Vitals[] = [];
  const comparisons: ObservedComparison[] = [];
  for (const { body } of commands) {
    const { outcome } = body;
    if (outcome.kind === "arrived") pages.add(outcome.arrival.url);
    if (outcome.kind === "receipt" && outcome.receipt.url) pages.add(outcome.receipt.url.to);
    const seen =
      outcome.kind === "arrived" ? outcome.arrival : outcome.kind === "receipt" ? outcome.receipt : undefined;
    for (const line of seen?.console ?? []) consoleErrors.add(normalized(line));
    for (const line of seen?.failed ?? []) failedRequests.add(normalized(line));
    if (outcome.kind === "receipt" && !outcome.receipt.effect) withoutEffect.push(normalized(outcome.receipt.did));
    if (outcome.kind === "read" && body.command === "vitals") vitals.push(vitalsOf(outcome.data));
    const compared = outcome.kind === "read" && body.command === "screenshot" ? comparisonIn(outcome.data) : undefined;
    if (compared) comparisons.push({ ...compared, page: body.url ?? "", picture: body.shot?.file ?? null });
  }
  return {
    commands: commands.length,
    pages: [...pages],
    consoleErrors: [...consoleErrors],
    failedRequests: [...failedRequests],
    withoutEffect,
    vitals,
    comparisons,
    used: new Set(commands.map(({ body }) => body.command)),
  };
}

function vitalsOf(data: unknown): Vitals {
  const list = vitalsData.safeParse(data).data?.vitals ?? [];
  const value = (wanted: string) => list.find(({ name }) => name === wanted)?.value ?? undefined;
  const [lcp, cls, inp] = [value("LCP"), value("CLS"), value("INP")];
  return {
    ...(lcp === undefined ? {} : { lcp }),
    ...(cls === undefined ? {} : { cls }),
    ...(inp === undefined ? {} : { inp }),
  };
}
