/**
 * Whether anything that a target names can be seen now.
 *
 * - `isShown(tab, word)` false for what is missing; throws `browse_target_invalid` for what can never match. A sentence that is no
 *   element, `isSentence(word)`, is looked for as text.
 * - `frameWith(tab, words)` the first frame that shows this text.
 */
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { elementByRef } from "../page-world/ask-page.ts";
import { frameOf } from "../snapshot/capture-tree.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { controlsNow } from "./controls-now.ts";
import { canBeTag, isBareWord, parseTarget } from "./parse-target.ts";
import { countOf, framesFor, locate } from "./pick.ts";
import { isInvalid, linesFor, unknownRef } from "./resolve-target.ts";

export async function isShown(tab: Tab, word: string): Promise<boolean> {
  const target = parseTarget(word);
  if (target.kind === "ref") return isRefShown(tab, target.ref);
  const isBare = target.kind === "css" && isBareWord(word);
  if (target.kind !== "line" && (!isBare || canBeTag(word))) {
    for (const frame of framesFor(tab, target)) {
      const visible = locate(frame, target).filter({ visible: true });
      const count = await countOf(visible, word).catch((error: unknown) => {
        if (isInvalid(error) && !isSentence(word)) throw error;
        return 0;
      });
      if (count > 0) return true;
    }
  }
  if (target.kind === "css" && isSentence(word) && (await frameWith(tab, word)) !== undefined) return true;
  const lines = target.kind === "css" && !isBare ? [] : linesFor(target, word);
  return lines.length > 0 && (await controlsNow(tab, lines)) !== undefined;
}

/** No element is called `Thank you`: the words are meant. */
export const isSentence = (word: string): boolean => /^[^#.[\]>*=:{}"]+$/.test(word) && /[A-Z\s]/.test(word.trim());

export async function frameWith(tab: Tab, words: string): Promise<Frame | undefined> {
  for (const frame of framesFor(tab, { kind: "text", text: words })) {
    const visible = frame.getByText(words).filter({ visible: true });
    if ((await visible.count().catch(() => 0)) > 0) return frame;
  }
  return undefined;
}

async function isRefShown(tab: Tab, ref: string): Promise<boolean> {
  const known = refBookOf(tab).find(ref);
  if (!known) throw unknownRef(ref);
  const frame = await frameOf(tab, known.page);
  return (
    frame !== undefined &&
    (await elementByRef(frame, known.page)
      .isVisible()
      .catch(() => false))
  );
}
