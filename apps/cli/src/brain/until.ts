/** `untilOf("12h" | "7d" | "2w" | "2026-12-01", nowMs)`: the ISO time at which something ends. It lies ahead. */
import { DevflowError } from "@devflow/core/errors";

const units = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

export function untilOf(words: string, nowMs: number): string {
  const [, amount, unit] = /^(\d{1,4})\s*([hdw])$/.exec(words.trim()) ?? [];
  const ms = amount && unit ? nowMs + Number(amount) * units[unit as keyof typeof units] : Date.parse(words);
  if (Number.isFinite(ms) && ms > nowMs && ms < 4e12) return new Date(ms).toISOString();
  const problem = Number.isFinite(ms) ? `"${words}" is not ahead.` : `"${words}" is not a valid time.`;
  throw new DevflowError("usage", { details: { problem, next: "Use 12h, 7d, 2w or a date such as 2026-12-01" } });
}
