/**
 * What the evidence itself says, whoever reports what.
 *
 * - `observe(bundle)` pages, console errors, failed requests and vitals, each told once.
 */
import { z } from "zod";
import type { Bundle } from "../bundle.ts";
import { steady } from "../compare-outcomes.ts";

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
  /** Writes that changed nothing one could see. */
  readonly withoutEffect: readonly string[];
  readonly vitals: readonly Vitals[];
  /** Commands that were used, by name. */
  readonly used: ReadonlySet<string>;
}

/** Milliseconds, but for CLS; names in any case, as a number or with it under `value`. */
const figure = z.union([z.number(), z.object({ value: z.number() }).transform(({ value }) => value)]);

export function observe({ commands }: Bundle): Observed {
  const pages = new Set<string>();
  const consoleErrors = new Set<string>();
  const failedRequests = new Set<string>();
  const withoutEffect: string[] = [];
  const vitals: Vitals[] = [];
  for (const { body } of commands) {
    const { outcome } = body;
    if (outcome.kind === "arrived") pages.add(outcome.arrival.url);
    if (outcome.kind === "receipt" && outcome.receipt.url) pages.add(outcome.receipt.url.to);
    const seen =
      outcome.kind === "arrived" ? outcome.arrival : outcome.kind === "receipt" ? outcome.receipt : undefined;
    for (const line of seen?.console ?? []) consoleErrors.add(steady(line));
    for (const line of seen?.failed ?? []) failedRequests.add(steady(line));
    if (outcome.kind === "receipt" && !outcome.receipt.effect) withoutEffect.push(steady(outcome.receipt.did));
    if (outcome.kind === "read" && body.command === "vitals") vitals.push(vitalsOf(outcome.data));
  }
  return {
    commands: commands.length,
    pages: [...pages],
    consoleErrors: [...consoleErrors],
    failedRequests: [...failedRequests],
    withoutEffect,
    vitals,
    used: new Set(commands.map(({ body }) => body.command)),
  };
}

function vitalsOf(data: unknown): Vitals {
  const named = Object.entries((data ?? {}) as Record<string, unknown>).flatMap(([name, value]) => {
    const parsed = figure.safeParse(value);
    return parsed.success ? [[name.toLowerCase().replace(/ms$/, ""), parsed.data] as const] : [];
  });
  const known = Object.fromEntries(named) as Record<string, number>;
  return {
    ...(known.lcp === undefined ? {} : { lcp: known.lcp }),
    ...(known.cls === undefined ? {} : { cls: known.cls }),
    ...(known.inp === undefined ? {} : { inp: known.inp }),
  };
}
