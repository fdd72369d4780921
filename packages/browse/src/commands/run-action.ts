/**
 * Turns Playwright's action failures into one line with the next command.
 *
 * - `runAction(action, found, work)` does the work; a failure names the element and the reason.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Found } from "../targets/resolve-target.ts";

/** An existing element that is not ready within this time has a problem. */
export const actionTimeoutMs = 5_000;

/** For `nothing was clicked`. */
export const doneBy: Readonly<Record<string, string>> = {
  check: "changed",
  click: "clicked",
  drag: "dragged",
  fill: "filled",
  hover: "hovered over",
  select: "chosen",
};

interface Reason {
  readonly pattern: RegExp;
  readonly reason: string;
  readonly next: string;
}

const reasons: readonly Reason[] = [
  {
    pattern: /not an <input>, <textarea>, <select> or \[contenteditable\]|does not have a role allowing/,
    reason: "it is not a field",
    next: "See its kind: devflow browse attrs {ref}",
  },
  {
    pattern: /Cannot type text into input\[type=(number|date|time|month|week|datetime-local|color)\]|Malformed value/,
    reason: "the value does not fit this kind of field",
    next: "Dates are typed as 2026-12-31, times as 13:45. See the field: devflow browse attrs {ref}",
  },
  {
    pattern: /Input of type "(\w+)" cannot be filled/,
    reason: "fields of this kind are not filled with text",
    next: "Use click, check, select or upload on {ref}; see: devflow browse attrs {ref}",
  },
  {
    pattern: /Not a checkbox or radio button/,
    reason: "it is not a checkbox, radio button or switch",
    next: "Click it instead: devflow browse click {ref}",
  },
  {
    pattern: /did not find some options/,
    reason: "it has no such option",
    next: "See its options: devflow browse snapshot -s {ref}",
  },
  {
    pattern: /Element is not a <select> element/,
    reason: "it is not a select box",
    next: "Click it and choose from what appears: devflow browse click {ref}",
  },
  {
    pattern: /element is not enabled/,
    reason: "it is disabled",
    next: "First do what enables it; see: devflow browse snapshot -i",
  },
  {
    pattern: /element is not editable/,
    reason: "it is read-only",
    next: "Click it, which may open a picker: devflow browse click {ref}",
  },
  {
    pattern: /^opens a calendar/,
    reason: "it is read-only, and may open a calendar",
    next: "Fill it with a date as 2026-12-31, or click it and choose the day: devflow browse click {ref}",
  },
  {
    pattern: /element is not stable/,
    reason: "it keeps moving",
    next: "Wait until it stops, or turn animations off: devflow browse media --motion reduce",
  },
  {
    pattern: /element is not visible/,
    reason: "it is not visible",
    next: "See what is: devflow browse snapshot -i",
  },
  {
    pattern: /outside of the viewport/,
    reason: "it cannot be scrolled into view",
    next: "Try a larger viewport: devflow browse viewport 1280x1600",
  },
  {
    pattern: /detached|not attached|No node found|waiting for locator/,
    reason: "it disappeared in the meantime",
    next: "Take a new snapshot: devflow browse snapshot -i",
  },
];

export async function runAction<T>(action: string, found: Found, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DevflowError ? error : explainAction(action, found, error);
  }
}

export function explainAction(action: string, found: Pick<Found, "label" | "ref">, error: unknown): DevflowError {
  const text = error instanceof Error ? error.message : String(error);
  const cover = /(<.+?>) (?:from .+? )?intercepts pointer events/.exec(text)?.[1];
  if (cover) {
    const short = cover.length > 80 ? `${cover.slice(0, 80)}…` : cover;
    const next = "Close what covers it first, or take a snapshot: devflow browse snapshot -i";
    const done = doneBy[action] ?? "done";
    return new DevflowError("browse_covered", {
      details: { target: found.label, cover: short, done, next },
      cause: error,
    });
  }
  const known = reasons.find(({ pattern }) => pattern.test(text));
  const reason = known?.reason ?? firstLine(text);
  const next = (known?.next ?? "See the page: devflow browse snapshot -i").replaceAll("{ref}", `@${found.ref}`);
  return new DevflowError("browse_action_failed", {
    details: { action, target: found.label, reason, next },
    cause: error,
  });
}

/** Playwright's first line without the name of the API call. */
export function firstLine(text: string): string {
  const line = text.split("\n")[0] ?? "";
  return line.replace(/^(Error: )?(\w+\.)?\w+: (Error: )?/, "").replace(/\.$/, "") || "unknown";
}
