/**
 * What differs between a recorded command and its re-run, in lines for people.
 *
 * - `compareOutcomes(recorded, again)` empty when they say the same.
 *
 * Refs, times and ports are another's every time and say nothing; they are left out of the comparison.
 */
import type { Outcome, RecordedReceipt } from "./entry.ts";

export function compareOutcomes(recorded: Outcome, again: Outcome): string[] {
  if (recorded.kind === "failed" || again.kind === "failed") return compareFailures(recorded, again);
  if (recorded.kind === "receipt" && again.kind === "receipt") return compareReceipts(recorded.receipt, again.receipt);
  // What was read is proof of what was seen, not of what must be seen again: a clock on the page would be a difference.
  return [];
}

function compareFailures(recorded: Outcome, again: Outcome): string[] {
  if (recorded.kind !== "failed")
    return again.kind === "failed" ? [`it worked, and now it fails: ${again.message}`] : [];
  if (again.kind !== "failed") return [`it failed (${recorded.message}), and now it works`];
  return recorded.code === again.code ? [] : [`it fails differently: ${recorded.message} → ${again.message}`];
}

const lists = [
  ["changes", "change"],
  ["console", "console error"],
  ["failed", "failed request"],
  ["dialogs", "dialog"],
  ["downloads", "download"],
  ["opened", "opened tab"],
] as const;

function compareReceipts(recorded: RecordedReceipt, again: RecordedReceipt): string[] {
  const differences: string[] = [];
  const both = (what: string, before: string | undefined, now: string | undefined) => {
    if (steady(before ?? "") !== steady(now ?? ""))
      differences.push(`${what}: ${steady(before ?? "nothing")} → ${steady(now ?? "nothing")}`);
  };
  both("url", recorded.url?.to, again.url?.to);
  both("title", recorded.page?.title, again.page?.title);
  both("focus", recorded.focus, again.focus);
  for (const [key, what] of lists) {
    const before = recorded[key].map(steady);
    const now = again[key].map(steady);
    for (const line of without(before, now)) differences.push(`${what} is gone: ${line}`);
    for (const line of without(now, before)) differences.push(`${what} is new: ${line}`);
  }
  if (recorded.effect !== again.effect && differences.length === 0)
    differences.push(again.effect ? "it has an effect now" : "it has no effect now");
  return differences;
}

/** As often as it stands in `some` and not in `others`. */
function without(some: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return some.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Without what is different every time. */
export function steady(text: string): string {
  return text
    .replace(/@[ecg]\d+ ?/g, "")
    .replace(/\bhttps?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?/g, "http://local")
    .replace(/\b\d+(?:\.\d+)? ?m?s\b/g, "<time>");
}
