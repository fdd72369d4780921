/**
 * What Playwright says when an action fails, in one line with the next command.
 *
 * - `acting(action, found, work)` does the work; a failure names what was acted on and why it did not work.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Found } from "../targets/resolve-target.ts";

/** An element that is there is ready within this, or something is wrong with it. */
export const actionTimeoutMs = 5_000;

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
    next: "Open it by a click and choose from what appears: devflow browse click {ref}",
  },
  {
    pattern: /element is not enabled/,
    reason: "it is disabled",
    next: "Do first what enables it; see: devflow browse snapshot -i",
  },
  {
    pattern: /element is not editable/,
    reason: "it is read-only",
    next: "See it: devflow browse attrs {ref}",
  },
  {
    pattern: /element is not stable/,
    reason: "it does not stop moving",
    next: "Wait until it is still, or turn animations off: devflow browse media --reduced-motion reduce",
  },
  {
    pattern: /element is not visible|outside of the viewport/,
    reason: "it cannot be seen",
    next: "Bring it into view first: devflow browse scroll {ref}",
  },
  {
    pattern: /detached|not attached|No node found|waiting for locator/,
    reason: "it vanished meanwhile",
    next: "Look again: devflow browse snapshot -i",
  },
];

export async function acting<T>(action: string, found: Found, work: () => Promise<T>): Promise<T> {
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
    return new DevflowError("browse_covered", { details: { target: found.label, cover: short }, cause: error });
  }
  const known = reasons.find(({ pattern }) => pattern.test(text));
  const reason = known?.reason ?? firstLine(text);
  const next = (known?.next ?? "Look at the page: devflow browse snapshot -i").replaceAll("{ref}", `@${found.ref}`);
  return new DevflowError("browse_action_failed", {
    details: { action, target: found.label, reason, next },
    cause: error,
  });
}

/** Playwright's first line without its own name for the call. */
export function firstLine(text: string): string {
  const line = text.split("\n")[0] ?? "";
  return line.replace(/^(Error: )?(\w+\.)?\w+: (Error: )?/, "").replace(/\.$/, "") || "unknown";
}
