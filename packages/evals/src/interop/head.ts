/**
 * What can be learned from the first bytes of a file.
 *
 * - `readHead(name, bytes)` the kind of file; for JSON, the paths of the members so far and whether a second value follows on the next line.
 */
import { encodingOf } from "../results/source.ts";

export interface Head {
  readonly name: string;
  readonly kind: "json" | "json-lines" | "xml" | "zip" | "sqlite" | "gzip" | "empty" | "binary" | "text";
  readonly text: string;
  /** `evalId`, `results`, `results.version`, … of the first value, two levels deep. */
  readonly members: ReadonlySet<string>;
  /** The first member of the first item, if the root is an array. */
  readonly rootIsArray: boolean;
}

export function readHead(name: string, bytes: Uint8Array): Head {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  const binary = binaryKind(bytes);
  const begin = text.trimStart();
  const base = { name, text, members: new Set<string>(), rootIsArray: begin.startsWith("[") };
  if (bytes.length === 0 || begin === "") return { ...base, kind: "empty" };
  if (binary !== null) return { ...base, kind: binary };
  if (begin.startsWith("<")) return { ...base, kind: "xml" };
  if (begin.startsWith("{") || begin.startsWith("[")) {
    const { members, another } = scan(begin);
    return { ...base, kind: another ? "json-lines" : "json", members };
  }
  return { ...base, kind: "text" };
}

function binaryKind(bytes: Uint8Array): "zip" | "sqlite" | "gzip" | "binary" | null {
  const starts = (...magic: number[]) => magic.every((byte, at) => bytes[at] === byte);
  if (starts(0x50, 0x4b, 0x03, 0x04) || starts(0x50, 0x4b, 0x05, 0x06)) return "zip";
  if (starts(...Buffer.from("SQLite format 3\0"))) return "sqlite";
  if (starts(0x1f, 0x8b)) return "gzip";
  return encodingOf(bytes) === "utf-8" && bytes.subarray(0, 1024).includes(0) ? "binary" : null;
}

/** Tolerant: the text may end anywhere. For a root array, its items are treated as the root. */
function scan(text: string): { members: Set<string>; another: boolean } {
  const members = new Set<string>();
  const path: string[] = [];
  const kinds: string[] = [];
  const lift = text.startsWith("[") ? 1 : 0;
  const token = /"((?:[^"\\]|\\.)*)"(\s*:)?|[{}[\]]/gs;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [whole, key, isKey] = found;
    const depth = kinds.length - lift;
    if (whole === "{" || whole === "[") kinds.push(whole);
    else if (whole === "}" || whole === "]") {
      kinds.pop();
      if (kinds.length === 0) {
        return { members, another: /^[ \t]*\r?\n\s*[{[]/.test(text.slice(token.lastIndex)) };
      }
    } else if (isKey !== undefined && kinds.at(-1) === "{" && (depth === 1 || depth === 2)) {
      path[depth - 1] = key ?? "";
      // Items of an inner array are not members of the root.
      if (depth === 1 || kinds.at(-2) === "{") members.add(path.slice(0, depth).join("."));
    }
  }
  return { members, another: false };
}
