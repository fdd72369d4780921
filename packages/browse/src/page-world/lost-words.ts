/**
 * What the accessibility tree loses of a page's words. Runs in the isolated world of every frame and is sent as text, like
 * page-world.ts.
 *
 * - `values(roots)` of text fields that hold more white space than the tree says: at the ends, several in a row, new lines; and of
 *   editors that are called text fields, whose words the tree does not have.
 * - `icons(roots)` icons in the middle of a sentence: what they are, and the words before and after.
 * - `breaks(roots)` line breaks between two words, which the tree makes one word.
 */
export interface LostWords {
  values(roots: readonly ParentNode[]): readonly { readonly field: Element; readonly value: string }[];
  icons(roots: readonly ParentNode[]): readonly LostIcon[];
  breaks(roots: readonly ParentNode[]): readonly LostIcon[];
}

export interface LostIcon {
  /** It has the words as its own. */
  readonly around: Element;
  readonly before: string;
  readonly after: string;
  readonly hint: string;
}

export function lostWords(iconHint: (element: Element) => string): LostWords {
  const fields = "textarea,input:not([type]),input[type=text],input[type=search],input[type=tel]";
  const editors = "textbox,searchbox,combobox"
    .split(",")
    .map((role) => `[contenteditable][role=${role}]`)
    .join();
  const mostValue = 5_000;
  const mostIcons = 20;
  const mostBreaks = 100;
  const mostBeside = 60;
  /** Where the words are told may be a few elements up. */
  const levels = 3;
  /** As it is written, past comments and other breaks. */
  const writtenBeside = (element: Element, side: "previousSibling" | "nextSibling"): string => {
    let at = element[side];
    while (at && (at.nodeType === Node.COMMENT_NODE || at.nodeName === "BR")) at = at[side];
    // A form's may be one of its fields.
    return String(at?.textContent ?? "");
  };
  const wordsOf = (node: Node | null): string =>
    node?.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? "").replace(/\s+/g, " ").trim() : "";

  return {
    values(roots) {
      const all = roots.flatMap((root) => [...root.querySelectorAll<HTMLInputElement>(fields)]);
      const inFields = all.flatMap((field) => {
        const { value } = field;
        const isLost = value.length <= mostValue && /^\s|\s$|[^\S ]|\s{2}/.test(value);
        return isLost ? [{ field, value }] : [];
      });
      const inEditors = roots
        .flatMap((root) => [...root.querySelectorAll<HTMLElement>(editors)])
        .filter((editor) => editor.isContentEditable)
        .map((field) => ({ field, value: field.innerText.replace(/\n$/, "").slice(0, mostValue) }));
      return [...inFields, ...inEditors];
    },
    icons(roots) {
      const found: LostIcon[] = [];
      for (const icon of roots.flatMap((root) => [...root.querySelectorAll<HTMLElement>("i:empty,span:empty")])) {
        const [before, after] = [wordsOf(icon.previousSibling), wordsOf(icon.nextSibling)];
        if (before === "" || after === "" || icon.offsetWidth === 0 || found.length >= mostIcons) continue;
        const hint = iconHint(icon);
        const around = icon.parentElement!;
        if (hint) found.push({ around, before: before.slice(-mostBeside), after: after.slice(0, mostBeside), hint });
      }
      return found;
    },
    breaks(roots) {
      const found: LostIcon[] = [];
      for (const line of roots.flatMap((root) => [...root.querySelectorAll("br")])) {
        const [before, after] = [writtenBeside(line, "previousSibling"), writtenBeside(line, "nextSibling")];
        if (!/\S$/.test(before) || !/^\S/.test(after)) continue;
        if (found.length >= levels * mostBreaks) break;
        const words = {
          before: before.replace(/\s+/g, " ").trim().slice(-mostBeside),
          after: after.replace(/\s+/g, " ").trim().slice(0, mostBeside),
        };
        let around = line.parentElement;
        for (let level = 0; level < levels && around; level++, around = around.parentElement) {
          found.push({ around, ...words, hint: "" });
        }
      }
      return found;
    },
  };
}
