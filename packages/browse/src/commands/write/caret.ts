/**
 * Where the keys go: which keys move the caret changes nothing on the page that can be read.
 *
 * - `movesCaret(key)` pure.
 * - `caretLines(tab)` where it is in the field that has the focus.
 * - `focusLines(tab)` says when no field has it.
 */
import type { Tab } from "../../command.ts";

export const movesCaret = (key: string): boolean =>
  /^(?:(?:Control|Meta|Alt)\+)*(?:Arrow\w+|Home|End|Page\w+)$/.test(key);

export async function caretLines(tab: Tab): Promise<string[]> {
  const caret = await caretIn(tab);
  return typeof caret === "object" && caret ? [`caret at ${caret.at} of ${caret.length}`] : [];
}

export async function focusLines(tab: Tab): Promise<string[]> {
  const caret = await caretIn(tab);
  return caret === "nowhere" ? ["no field has the focus: name the one to type into, type <text> <target>"] : [];
}

interface Caret {
  readonly at: number;
  readonly length: number;
}

/** Undefined where it cannot be told, as in a frame. */
async function caretIn({ page }: Tab): Promise<Caret | "nowhere" | undefined> {
  const asked = page.evaluate(() => {
    let active: Element | null = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    if (active?.localName === "iframe") return null;
    if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) {
      const at = active.selectionStart;
      // How long a password is stays hidden, too.
      return at === null || active.type === "password" ? null : { at, length: active.value.length };
    }
    const editor = active instanceof HTMLElement && active.isContentEditable ? active : undefined;
    if (!editor) return "nowhere";
    const selection = getSelection();
    if (!selection || selection.rangeCount === 0) return null;
    const before = document.createRange();
    before.selectNodeContents(editor);
    const length = before.toString().length;
    const { startContainer, startOffset } = selection.getRangeAt(0);
    before.setEnd(startContainer, startOffset);
    return { at: before.toString().length, length };
  });
  return ((await asked.catch(() => null)) as Caret | "nowhere" | null) ?? undefined;
}
