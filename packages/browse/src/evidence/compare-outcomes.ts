/**
 * What differs between a recorded command and its re-run, in lines for people.
 *
 * - `compareOutcomes(recorded, again)` empty when they say the same.
 *
 * Refs, times and ports are another's every time and say nothing; they are left out of the comparison. So are tabs that a
 * page opens: Chromium tells of them when it likes, and a command in such a tab fails when it is not there.
 *
 * - `withoutShifts(steps)` the differences of all steps without those that are only late: what comes a moment later than
 *   it did is told by the next step's receipt.
 */
import type { Arrival, Outcome, RecordedReceipt } from "../journal/index.ts";

export function compareOutcomes(recorded: Outcome, again: Outcome): string[] {
  if (recorded.kind === "failed" || again.kind === "failed") return compareFailures(recorded, again);
  if (recorded.kind === "receipt" && again.kind === "receipt") return compareReceipts(recorded.receipt, again.receipt);
  if (recorded.kind === "arrived" && again.kind === "arrived") return compareArrivals(recorded.arrival, again.arrival);
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
] as const;

function compareReceipts(recorded: RecordedReceipt, again: RecordedReceipt): string[] {
  const differences = [
    ...compareTexts("url", recorded.url?.to, again.url?.to),
    ...compareTexts("title", recorded.page?.title, again.page?.title),
    ...compareTexts("focus", recorded.focus, again.focus),
    ...lists.flatMap(([key, what]) => compareLists(what, recorded[key], again[key])),
  ];
  if (recorded.effect === again.effect || differences.length > 0) return differences;
  return [again.effect ? "it has an effect now" : "it has no effect now"];
}

function compareArrivals(recorded: Arrival, again: Arrival): string[] {
  return [
    ...compareTexts("url", recorded.url, again.url),
    ...compareTexts("HTTP status", String(recorded.status ?? "none"), String(again.status ?? "none")),
    ...compareTexts("title", recorded.title, again.title),
    ...compareLists("console error", recorded.console, again.console),
    ...compareLists("failed request", recorded.failed, again.failed),
  ];
}

function compareTexts(what: string, before: string | undefined, now: string | undefined): string[] {
  const [old, present] = [steady(before ?? "nothing"), steady(now ?? "nothing")];
  return old === present ? [] : [`${what}: ${old} → ${present}`];
}

function compareLists(what: string, before: readonly string[], now: readonly string[]): string[] {
  const [old, present] = [before.map(steady), now.map(steady)];
  return [
    ...without(old, present).map((line) => `${what} is gone: ${line}`),
    ...without(present, old).map((line) => `${what} is new: ${line}`),
  ];
}

/** How many steps later something may come. */
const farthestShift = 2;

export function withoutShifts(steps: readonly (readonly string[])[]): string[][] {
  const left = steps.map((differences) => [...differences]);
  for (const [index, differences] of steps.entries()) {
    for (const difference of differences) {
      const [, what, line] = /^([a-z ]+) is gone: (.*)$/s.exec(difference) ?? [];
      if (what === undefined) continue;
      const came = `${what} is new: ${line}`;
      const near = left.slice(Math.max(0, index - farthestShift), index + farthestShift + 1);
      const other = near.find((some) => some.includes(came));
      if (!other) continue;
      other.splice(other.indexOf(came), 1);
      left[index]?.splice(left[index].indexOf(difference), 1);
    }
  }
  return left;
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
