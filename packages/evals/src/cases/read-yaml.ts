/**
 * Reads untrusted YAML within limits and records the line of everything in it.
 *
 * - `readYaml(text, file)` its documents as plain values, each with `lineAt(path)`, and the problems that prevent reading:
 *   syntax errors, duplicate keys, too many aliases, too deep nesting, too large.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
} from "yaml";

export interface CaseFault {
  readonly file: string;
  readonly line: number;
  /** `expectations[2].patterns`; empty for the document itself. */
  readonly path: string;
  readonly problem: string;
}

export interface YamlDocument {
  readonly value: unknown;
  lineAt(path: readonly PropertyKey[]): number;
}

export const maxFileBytes = 4 * 1024 * 1024;
const maxDepth = 200;
const maxFaults = 50;

export function readYaml(bytes: Uint8Array, file: string): { documents: YamlDocument[]; faults: CaseFault[] } {
  const faults: CaseFault[] = [];
  const refuse = (problem: string, line = 1, path = "") => {
    if (faults.length < maxFaults) faults.push({ file, line, path, problem });
  };
  if (bytes.length > maxFileBytes) {
    refuse(`is larger than ${maxFileBytes} bytes; split it into several files`);
    return { documents: [], faults };
  }
  const text = decode(bytes);
  if (text === undefined) {
    refuse("is not UTF-8");
    return { documents: [], faults };
  }
  const deep = tooDeepLine(text);
  if (deep !== undefined) {
    refuse(`is nested deeper than ${maxDepth} levels`, deep);
    return { documents: [], faults };
  }
  const lines = new LineCounter();
  const documents: YamlDocument[] = [];
  try {
    // Duplicate keys are checked below: the library compares every pair of keys, which is slow for large maps.
    const parsed = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, merge: true, prettyErrors: false });
    for (const document of Array.isArray(parsed) ? parsed : []) {
      const line = (offset: number) => lines.linePos(offset).line || 1;
      for (const { message, pos } of document.errors) refuse(message.split("\n")[0] ?? "not YAML", line(pos[0]));
      findDuplicateKeys(document.contents, [], (key, path, offset) =>
        refuse(`duplicate key "${key}"`, line(offset), path),
      );
      if (document.errors.length > 0 || document.contents === null) continue;
      documents.push({
        value: document.toJS({ maxAliasCount: 100 }),
        lineAt: (path) => line(offsetAt(document, path)),
      });
    }
  } catch (error) {
    // An alias bomb, or nesting too deep for the parser.
    refuse(
      error instanceof RangeError ? "is nested too deeply" : ((error as Error).message.split("\n")[0] ?? "not YAML"),
    );
  }
  return { documents: faults.length > 0 ? [] : documents, faults };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Counts indentation, `- - -` and flow brackets. Strings that look like nesting only make the limit stricter. */
function tooDeepLine(text: string): number | undefined {
  let [line, flow, dashes, isStart] = [1, 0, 0, true];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x0a) [line, dashes, isStart] = [line + 1, 0, true];
    else if (character === 0x5b || character === 0x7b) flow += 1;
    else if (character === 0x5d || character === 0x7d) flow = Math.max(0, flow - 1);
    else if (isStart && (character === 0x2d || character === 0x3f) && text.charCodeAt(at + 1) === 0x20) dashes += 1;
    else if (character !== 0x20) isStart = false;
    if (flow > 10 * maxDepth || dashes > maxDepth) return line;
  }
  return undefined;
}

function findDuplicateKeys(
  node: ParsedNode | Node | null | undefined,
  path: readonly PropertyKey[],
  found: (key: string, path: string, offset: number) => void,
): void {
  if (path.length > maxDepth) throw new RangeError("too deep");
  if (isSeq(node))
    for (const [index, item] of node.items.entries()) findDuplicateKeys(item as Node, [...path, index], found);
  if (!isMap(node)) return;
  const seen = new Set<string>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : String(key);
    if (seen.has(name) && name !== "<<") found(name, pathText([...path, name]), (key as Node).range?.[0] ?? 0);
    seen.add(name);
    findDuplicateKeys(value as Node, [...path, name], found);
  }
}

/** The line of the node, or of its nearest existing ancestor. */
function offsetAt(document: Document, path: readonly PropertyKey[]): number {
  let node = document.contents as Node | null | undefined;
  let offset = node?.range?.[0] ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
      offset = (pair?.key as Node | undefined)?.range?.[0] ?? offset;
      node = pair?.value as Node | undefined;
    } else if (isSeq(node)) {
      node = node.items[Number(step)] as Node | undefined;
      offset = node?.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`))
    .join("");
}
