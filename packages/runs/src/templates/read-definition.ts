/**
 * Templates and personas as YAML files named `<name>@<version>.yaml`; the file's name is part of the promise.
 *
 * - `readDefinition(schema, fileName, text)` the parsed value, or every fault with its path, line and reason.
 */
import { LineCounter, parseDocument } from "yaml";
import type { z } from "zod";

export interface DefinitionFault {
  /** `phases[2].roles[0]`. */
  readonly path: string;
  readonly line: number | undefined;
  readonly reason: string;
}

export type DefinitionResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly DefinitionFault[] };

export function readDefinition<S extends z.ZodType<{ name: string; version: number }>>(
  schema: S,
  fileName: string,
  text: string,
): DefinitionResult<z.output<S>> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const lineAt = (offset: number | undefined) => (offset === undefined ? undefined : lines.linePos(offset).line);
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => ({
      path: "",
      line: lineAt(error.pos[0]),
      reason: error.message.split("\n")[0] ?? "not YAML",
    }));
    return { ok: false, faults };
  }
  const parsed = schema.safeParse(document.toJS());
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => {
      const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
      return { path: shownPath(path), line: lineAt(offsetOf(document, path)), reason: issue.message };
    });
    return { ok: false, faults };
  }
  const expected = `${parsed.data.name}@${parsed.data.version}.yaml`;
  if (fileName !== expected) {
    return {
      ok: false,
      faults: [{ path: "name", line: 1, reason: `the file must be called ${expected}, not ${fileName}` }],
    };
  }
  return { ok: true, value: parsed.data };
}

/** The deepest part of the path that is in the file, so that a missing member points to where it should stand. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly (string | number)[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return node.range[0];
  }
  return 0;
}

const shownPath = (path: readonly (string | number)[]): string =>
  path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
