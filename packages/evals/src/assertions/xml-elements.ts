/**
 * XML written in a text.
 *
 * - `xmlForest(text)` the outermost elements that are closed, wherever they are in the text; each with its neighbours.
 * - `hasElement(tree, path)` whether `a.b.c` leads to an element, an attribute (`@_name`) or an entry of repeated elements.
 */
export type XmlTree = { readonly [name: string]: unknown };

interface Element {
  readonly name: string;
  readonly start: number;
  readonly parentStart: number | undefined;
  readonly value: unknown;
}

interface OpenElement {
  readonly name: string;
  readonly start: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly children: Element[];
  text: string;
}

const nameStart = "[\\p{L}_:]";
const tagPattern = new RegExp(
  `<!--[\\s\\S]*?(?:-->|$)|<!\\[CDATA\\[([\\s\\S]*?)(?:\\]\\]>|$)|<[!?][^>]*>?|<(/?)(${nameStart}[\\p{L}\\p{N}_:.\\-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>`,
  "gu",
);
const attributePattern = /([^\s=/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g;

export function xmlForest(text: string): XmlTree[] {
  const open: OpenElement[] = [];
  const closed: Element[] = [];
  let at = 0;
  const addText = (piece: string) => {
    const last = open.at(-1);
    if (last) last.text += piece;
  };
  const close = (element: OpenElement) => {
    const parent = open.at(-1);
    const made = { name: element.name, start: element.start, parentStart: parent?.start, value: contentOf(element) };
    parent?.children.push(made);
    closed.push(made);
  };
  for (const found of text.matchAll(tagPattern)) {
    addText(text.slice(at, found.index));
    at = found.index + found[0].length;
    const [whole, data, isClosing, name, rest = ""] = found;
    if (data !== undefined) addText(data);
    if (name === undefined) continue;
    if (isClosing) {
      const last = open.at(-1);
      // A closing tag without its opening one makes everything around it unusable.
      if (last?.name === name) close(open.pop() as OpenElement);
      else open.length = 0;
      continue;
    }
    const isEmpty = /\/\s*>$/.test(whole);
    const element = {
      name,
      start: found.index,
      attributes: attributesOf(isEmpty ? rest.replace(/\/\s*$/, "") : rest),
      children: [],
      text: "",
    };
    if (isEmpty) close(element);
    else open.push(element);
  }
  return forestOf(closed);
}

/** Neighbours together, then each element alone. */
function forestOf(closed: readonly Element[]): XmlTree[] {
  const starts = new Set(closed.map(({ start }) => start));
  const outermost = closed
    .filter(({ parentStart }) => parentStart === undefined || !starts.has(parentStart))
    .toSorted((a, b) => a.start - b.start);
  const groups = [...Map.groupBy(outermost, ({ parentStart }) => parentStart).values()].filter(
    ({ length }) => length > 1,
  );
  return [...groups, ...outermost.map((one) => [one])].map(merged);
}

function merged(elements: readonly Element[]): XmlTree {
  const byName = Map.groupBy(elements, ({ name }) => name);
  return Object.fromEntries(
    [...byName].map(([name, some]) => [name, some.length === 1 ? some[0]?.value : some.map(({ value }) => value)]),
  );
}

function contentOf({ attributes, children, text }: OpenElement): unknown {
  const trimmed = text.trim();
  if (children.length === 0 && Object.keys(attributes).length === 0) return trimmed;
  return { ...merged(children), ...(trimmed === "" ? {} : { "#text": trimmed }), ...attributes };
}

function attributesOf(source: string): Record<string, unknown> {
  return Object.fromEntries(
    [...source.matchAll(attributePattern)].map(([, name, double, single]) => [`@_${name}`, double ?? single ?? true]),
  );
}

export function hasElement(tree: unknown, path: string): boolean {
  let at: unknown = tree;
  for (const key of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<string, unknown>)[key];
    if (at === undefined) return false;
  }
  return true;
}
