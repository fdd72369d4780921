/**
 * What differs between a recorded command and its replay, as readable lines.
 *
 * - `compareOutcomes(recorded, again)` empty when they agree. Refs, times and ports differ every time and are not
 *   compared, and the focus only if asked for. Neither are tabs that a page opens: Chromium reports them at any time, and a command in a missing tab fails.
 * - `withoutShifts(steps)` the differences of all steps without those that are only late: an effect that comes a moment
 *   later appears in the next step's receipt.
 */
import type { Arrival, Outcome, RecordedReceipt } from "../journal/index.ts";

export function compareOutcomes(recorded: Outcome, again: Outcome, { focus = true } = {}): string[] {
  if (recorded.kind === "failed" || again.kind === "failed") return compareFailures(recorded, again);
  if (recorded.kind === "receipt" && again.kind === "receipt") {
    return compareReceipts(recorded.receipt, again.receipt, focus);
  }
  if (recorded.kind === "arrived" && again.kind === "arrived") return compareArrivals(recorded.arrival, again.arrival);
  // Reads prove what was seen then; they need not repeat. A clock on the page would be a difference.
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

function compareReceipts(recorded: RecordedReceipt, again: RecordedReceipt, withFocus: boolean): string[] {
  const differences = [
    ...compareTexts("url", recorded.url?.to, again.url?.to),
    ...compareTexts("title", recorded.page?.title, again.page?.title),
    ...(withFocus ? compareTexts("focus", recorded.focus, again.focus) : []),
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
  const [old, present] = [normalized(before ?? "nothing"), normalized(now ?? "nothing")];
  return old === present ? [] : [`${what}: ${old} → ${present}`];
}

function compareLists(what: string, before: readonly string[], now: readonly string[]): string[] {
  const [old, present] = [before.map(normalized), now.map(normalized)];
  return [
    ...without(old, present).map((line) => `${what} is gone: ${line}`),
    ...without(present, old).map((line) => `${what} is new: ${line}`),
  ];
}

/** By how many steps an effect may move. */
const maxShift = 2;

export function withoutShifts(steps: readonly (readonly string[])[]): string[][] {
  const left = steps.map((differences) => [...differences]);
  for (const [index, differences] of steps.entries()) {
    for (const difference of differences) {
      const [, what, line] = /^([a-z ]+) is gone: (.*)$/s.exec(difference) ?? [];
      if (what === undefined) continue;
      const came = `${what} is new: ${line}`;
      const near = left.slice(Math.max(0, index - maxShift), index + maxShift + 1);
      const other = near.find((some) => some.includes(came));
      if (!other) continue;
      other.splice(other.indexOf(came), 1);
      left[index]?.splice(left[index].indexOf(difference), 1);
    }
  }
  return left;
}

/** The lines of `some` that are not in `others`; duplicates count. */
function without(some: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return some.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Without what differs every time: refs, local ports and times. */
export function normalized(text: string): string {
  return text
    .replace(/@[ecg]\d+ ?/g, "")
    .replace(/\bhttps?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?/g, "http://local")
    .replace(/\b\d+(?:\.\d+)? ?m?s\b/g, "<time>");
}
