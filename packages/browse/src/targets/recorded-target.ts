/**
 * An element as an evidence journal records it. It replaces the ref when the journal is replayed.
 *
 * - `recordedWord(target)` as a command's argument; `parseRecorded(word)` parses it, undefined for any other word.
 * - `recordedFrame(tab, target)` the frame it is in now; throws `browse_no_match`.
 * - `selectorInFrame(target)` its selector inside that frame.
 * - `isRecorded(target, known)` pure: an element that its selector finds still has its name. A selector may match part of one.
 * - `pathOfFrame(frame)` how selectors in that frame begin; empty for the page itself.
 */
import { DevflowError } from "@devflow/core/errors";
import type { ElementHandle, Frame, Locator } from "playwright-core";
import { z } from "zod";
import type { Tab } from "../command.ts";

const prefix = "recorded=";
const shape = z.object({ selector: z.string().min(1), role: z.string(), name: z.string() });
/** Playwright's notation for entering the frame found so far. */
const entering = " >> internal:control=enter-frame >> ";

export interface RecordedTarget extends Readonly<z.output<typeof shape>> {
  readonly kind: "recorded";
}

export function recordedWord({ selector, role, name }: z.output<typeof shape>): string {
  return `${prefix}${JSON.stringify({ selector, role, name })}`;
}

export function parseRecorded(word: string): RecordedTarget | undefined {
  if (!word.startsWith(prefix)) return undefined;
  try {
    return { kind: "recorded", ...shape.parse(JSON.parse(word.slice(prefix.length))) };
  } catch (cause) {
    const reason = "it is not a target from an evidence journal";
    throw new DevflowError("browse_target_invalid", { details: { target: JSON.stringify(word), reason }, cause });
  }
}

export async function recordedFrame(tab: Tab, { selector, role, name }: RecordedTarget): Promise<Frame> {
  let frame: Frame | null = tab.page.mainFrame();
  for (const element of selector.split(entering).slice(0, -1)) {
    const handle: ElementHandle | null = await frame
      .locator(element)
      .elementHandle({ timeout: 5_000 })
      .catch(() => null);
    frame = (await handle?.contentFrame()) ?? null;
    if (!frame) {
      const target = `${role} ${JSON.stringify(name)} in a frame that does not exist`;
      throw new DevflowError("browse_no_match", { details: { target, closest: "" } });
    }
  }
  return frame;
}

export function selectorInFrame({ selector }: RecordedTarget): string {
  return selector.split(entering).at(-1) ?? selector;
}

export function isRecorded(target: RecordedTarget, { role, name }: { role: string; name: string }): boolean {
  const isKnown = target.name !== "" && name !== "" && target.role === role;
  return !isKnown || withoutNumbers(target.name) === withoutNumbers(name);
}

/** "Cart (3)" is "Cart (4)" a moment later. */
const withoutNumbers = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\p{N}+/gu, "")
    .replace(/\s+/g, " ")
    .trim();

export async function pathOfFrame(frame: Frame): Promise<string> {
  const parent = frame.parentFrame();
  if (!parent) return "";
  const all = parent.locator("iframe,frame");
  const count = await all.count();
  for (let at = 0; at < count; at++) {
    const one = all.nth(at);
    const handle = await one.elementHandle({ timeout: 1_000 }).catch(() => null);
    if ((await handle?.contentFrame()) !== frame) continue;
    return `${await pathOfFrame(parent)}${selectorOf(await one.normalize())}${entering}`;
  }
  return "";
}

/** Playwright's selector is private. The version is pinned, and a test covers this. */
export function selectorOf(locator: Locator): string {
  return (locator as unknown as { readonly _selector: string })._selector;
}
