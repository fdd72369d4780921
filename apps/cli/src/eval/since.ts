/** `sinceOf("7d" | "12h" | "2026-03-15")`: the ISO time that it stands for. */
import { DevflowError } from "@devflow/core/errors";

const units = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

export function sinceOf(words: string, nowMs: number): string {
  const span = /^(\d+)\s*([hdw])$/.exec(words.trim());
  if (span) return new Date(nowMs - Number(span[1]) * units[span[2] as keyof typeof units]).toISOString();
  const date = Date.parse(words);
  if (!Number.isNaN(date)) return new Date(date).toISOString();
  const problem = `"${words}" is not a valid time.`;
  throw new DevflowError("usage", { details: { problem, next: "Use 12h, 7d, 2w or 2026-03-15" } });
}
