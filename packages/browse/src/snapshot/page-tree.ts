/**
 * The page as a flat list of nodes in reading order, parsed from the result of `ariaSnapshotJSON({ mode: "ai" })`.
 *
 * - `readPageTree(json)` pure; ignores what it does not know.
 * - A node's `end` is the index after its last descendant, so a subtree is a slice.
 */
import type { PageRef } from "../page-world/questions.ts";
import { withRepeatedRows } from "./repeated-rows.ts";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PageNode {
  readonly index: number;
  readonly parent: number;
  readonly end: number;
  readonly depth: number;
  /** `text` for text that has no element of its own. */
  readonly role: string;
  readonly name: string;
  /** The content if it is only text; for fields their value. */
  readonly text: string | undefined;
  readonly states: readonly string[];
  readonly ref: PageRef | undefined;
  /** In coordinates of the whole viewport, also inside iframes. */
  readonly box: Box | undefined;
  /** 0 is the page itself; inside an iframe the index of the iframe's node plus one. */
  readonly frame: number;
  readonly url: string | undefined;
  readonly placeholder: string | undefined;
  /** Something in it can be reached by a pointer, so it is not hidden as a whole. */
  readonly holdsRefs: boolean;
  /** The cursor is a pointer over it, which is how a page shows that it can be clicked. */
  readonly hasPointerCursor: boolean;
  /** What a frame is called. */
  readonly title?: string;
  /** The words of its row or card, where the tree lacks that. */
  readonly beside?: string;
}

export interface PageTree {
  readonly nodes: readonly PageNode[];
  /** Numbers of the elements in view, where they were read along; then the page has one document. */
  readonly inView?: ReadonlySet<number>;
  /** Elements without a role that can be clicked, where they are known. */
  readonly clickables?: ReadonlySet<PageRef>;
}

/** As Playwright writes it; checked only for what would break parsing. */
interface RawNode {
  readonly role: string;
  readonly name?: string;
  readonly text?: string;
  readonly ref?: string;
  readonly url?: string;
  readonly placeholder?: string;
  readonly cursor?: string;
  readonly box?: Box;
  readonly checked?: boolean | "mixed";
  readonly pressed?: boolean | "mixed";
  readonly invalid?: boolean | string;
  readonly level?: number;
  readonly disabled?: boolean;
  readonly expanded?: boolean;
  readonly selected?: boolean;
  readonly active?: boolean;
  readonly ariaHidden?: boolean;
  readonly children?: unknown;
}

export function readPageTree(json: unknown): PageTree {
  const nodes: (PageNode & { holdsRefs: boolean; hasPointerCursor: boolean })[] = [];
  const visit = (given: unknown, parent: number, depth: number, frame: number, left: number, top: number): void => {
    if (typeof given === "string") {
      const text = readable(given.replace(/\s+/g, " ").trim());
      if (text !== "")
        nodes.push({ ...textNode(text), index: nodes.length, parent, end: nodes.length + 1, depth, frame });
      return;
    }
    const raw = given as RawNode;
    if (raw === null || typeof raw !== "object" || typeof raw.role !== "string") return;
    const index = nodes.length;
    const box = raw.box && { ...raw.box, x: raw.box.x + left, y: raw.box.y + top };
    const node = { ...elementNode(raw), index, parent, end: index + 1, depth, frame, box };
    nodes.push(node);
    const inside = raw.role === "iframe";
    for (const child of Array.isArray(raw.children) ? raw.children : []) {
      visit(
        child,
        index,
        depth + 1,
        inside ? index + 1 : frame,
        inside ? (box?.x ?? 0) : left,
        inside ? (box?.y ?? 0) : top,
      );
    }
    node.end = nodes.length;
  };
  for (const root of Array.isArray(json) ? json : [json]) visit(root, -1, 0, 0, 0, 0);
  noteItemsOfPointer(nodes);
  for (let at = nodes.length - 1; at >= 0; at--) {
    const { ref, holdsRefs, parent } = nodes[at]!;
    if (parent >= 0 && (ref !== undefined || holdsRefs)) nodes[parent]!.holdsRefs = true;
  }
  const named = nodes.map((node) => (isNamedByContent(node) ? { ...node, name: wordsIn(nodes, node) } : node));
  return { nodes: withRepeatedRows(named) };
}

/** A cursor is inherited, and Playwright tells it of the outermost element only: of a box, say, and not of the list that opens in it. */
function noteItemsOfPointer(nodes: (PageNode & { hasPointerCursor: boolean })[]): void {
  for (const { role, hasPointerCursor, index, end } of nodes) {
    if (role !== "generic" || !hasPointerCursor) continue;
    for (let at = index + 1; at < end; at++) if (nodes[at]!.role === "listitem") nodes[at]!.hasPointerCursor = true;
  }
}

const contentNamed = new Set([
  "button",
  "checkbox",
  "link",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "switch",
  "tab",
  "treeitem",
]);
const maxWords = 120;

/** Playwright leaves out a name that its content repeats in other elements: headings, images, code. */
const isNamedByContent = ({ role, name, text, end, index, hasPointerCursor }: PageNode): boolean =>
  name === "" &&
  text === undefined &&
  end > index + 1 &&
  (contentNamed.has(role) || (hasPointerCursor && (role === "generic" || role === "listitem")));

const labelled = new Set(["checkbox", "combobox", "radio", "searchbox", "slider", "spinbutton", "switch", "textbox"]);

/** The words of everything inside a node, in reading order. */
export function wordsIn(nodes: readonly PageNode[], { index, end }: PageNode, isLeftOut?: (node: PageNode) => boolean) {
  const words: string[] = [];
  let length = 0;
  let last: { readonly role: string; readonly name: string } | undefined;
  for (let at = index + 1; at < end && length < maxWords; at++) {
    const node = nodes[at]!;
    const own = node.name || (node.text ?? "");
    if (isLeftOut?.(node)) at = node.end - 1;
    else if (own !== "") {
      // The label of a field is its name, too.
      const isLabel = own === last?.name && (labelled.has(last.role) || labelled.has(node.role));
      if (!isLabel) {
        words.push(own);
        length += own.length + 1;
      }
      last = { role: node.role, name: own };
      // Its name stands for what it contains.
      at = node.end - 1;
    }
  }
  const all = words.join(" ");
  return all.length > maxWords ? `${all.slice(0, maxWords)}…` : all;
}

const mayHideGlyphs = /[^\x20-\xac\xae-\u024f]/;

/** Without the letters of icon fonts; empty if nothing else can be seen. */
function readable(words: string): string {
  if (!mayHideGlyphs.test(words)) return words;
  const plain = words.replace(/\p{Co}+ ?/gu, "");
  return /[^\s\p{Cc}\p{Cf}]/u.test(plain) ? (plain === words ? words : plain.trim()) : "";
}

function textNode(text: string) {
  const nothing = { ref: undefined, box: undefined, url: undefined, placeholder: undefined };
  return { role: "text", name: "", text, states: [], hasPointerCursor: false, holdsRefs: false, ...nothing };
}

function elementNode(raw: RawNode) {
  const states: string[] = [];
  if (raw.checked) states.push(raw.checked === "mixed" ? "half checked" : "checked");
  if (raw.pressed) states.push(raw.pressed === "mixed" ? "half pressed" : "pressed");
  if (raw.selected) states.push("selected");
  if (raw.expanded) states.push("expanded");
  if (raw.disabled) states.push("disabled");
  if (raw.invalid) states.push("invalid");
  // For focus inside an iframe, the element inside has the state.
  if (raw.active && raw.role !== "iframe") states.push("focused");
  if (raw.ariaHidden) states.push("aria-hidden");
  if (raw.level) states.push(`level ${raw.level}`);
  return {
    role: raw.role,
    name: readable(raw.name ?? ""),
    text: readable(raw.text ?? "").trim() === "" ? undefined : readable(raw.text!),
    states,
    ref: raw.ref,
    url: raw.url,
    placeholder: raw.placeholder,
    hasPointerCursor: raw.cursor === "pointer",
    holdsRefs: false,
  };
}

export function childrenOf(tree: PageTree, index: number): PageNode[] {
  const found: PageNode[] = [];
  const end = index < 0 ? tree.nodes.length : tree.nodes[index]!.end;
  for (let at = index + 1; at < end; at = tree.nodes[at]!.end) found.push(tree.nodes[at]!);
  return found;
}
