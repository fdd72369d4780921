/**
 * Rows, items and cards that a page builds without saying so: containers of the same shape, one after the other. They are read as
 * list items, so that what is in one is known by its words, and a new one is told as one thing.
 *
 * - `withRepeatedRows(nodes)` pure: the same nodes, where such containers have the role `listitem`.
 *
 * It is one where at least three siblings have the same kinds of children, few words, and at least one word that no control is
 * called by. Wrappers of fields and paragraphs are none.
 */
import { isField, isInteractive } from "./interactive.ts";
import type { PageNode } from "./page-tree.ts";

const fewest = 3;
/** More is a section of the page, and would be cut where only its words are shown. */
const mostCharacters = 120;
const noEditables: ReadonlySet<string> = new Set();
/** Their parts have roles of their own. */
const structured = new Set([
  "grid",
  "list",
  "listbox",
  "menu",
  "radiogroup",
  "row",
  "rowgroup",
  "tablist",
  "table",
  "tree",
]);

interface Content {
  words: number;
  controls: number;
  fields: number;
  characters: number;
  /** The roles of its children. */
  shape: string;
}

export function withRepeatedRows<Node extends PageNode>(nodes: readonly Node[]): Node[] {
  const contents = contentsOf(nodes);
  const rows = new Set<number>();
  const shapeOf = ({ index }: PageNode): string => contents[index]!.shape;
  const siblings = Map.groupBy(
    nodes.filter((node) => mayBeRow(node, nodes[node.parent], contents[node.index]!)),
    ({ parent }) => parent,
  );
  for (const group of siblings.values()) {
    if (group.length < fewest) continue;
    const shapes = [...Map.groupBy(group, shapeOf)]
      .filter(([, alike]) => alike.length >= fewest)
      .map(([shape]) => shape);
    // A row in which a menu is open, say, has a child more.
    const isAlike = (shape: string) => shapes.some((one) => one.startsWith(shape) || shape.startsWith(one));
    for (const node of group) if (isAlike(shapeOf(node))) rows.add(node.index);
  }
  return rows.size === 0
    ? [...nodes]
    : nodes.map((node) => (rows.has(node.index) ? { ...node, role: "listitem" } : node));
}

function mayBeRow(node: PageNode, parent: PageNode | undefined, content: Content): boolean {
  if (node.role !== "generic" || node.name !== "" || node.text !== undefined || node.ref === undefined) return false;
  if (isInteractive(node, noEditables) || (parent && structured.has(parent.role))) return false;
  const { words, controls, fields, characters } = content;
  return words > (fields > 0 ? 1 : 0) && words + controls > 1 && characters <= mostCharacters;
}

function contentsOf(nodes: readonly PageNode[]): Content[] {
  const contents = nodes.map((): Content => ({ words: 0, controls: 0, fields: 0, characters: 0, shape: "" }));
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at]!;
    const own = contents[at]!;
    const text = node.name || (node.text ?? "");
    if (isInteractive(node, noEditables)) {
      // What is in a control is its name.
      Object.assign(own, { words: 0, controls: 1, fields: isField(node) ? 1 : 0, characters: text.length });
    } else if (text !== "" && !isLabel(nodes, node, text)) {
      own.words += 1;
      own.characters += text.length;
    }
    const up = contents[node.parent];
    if (!up) continue;
    up.words += own.words;
    up.controls += own.controls;
    up.fields += own.fields;
    up.characters += own.characters;
    up.shape = `${node.role} ${up.shape}`.slice(0, mostCharacters);
  }
  return contents;
}

/** The words before or after a field that are its name. */
function isLabel(nodes: readonly PageNode[], { index, end, parent }: PageNode, text: string): boolean {
  const beside = [nodes[end], nodes[index - 1], nodes[parent]];
  return beside.some((one) => one !== undefined && isField(one) && one.name === text);
}
