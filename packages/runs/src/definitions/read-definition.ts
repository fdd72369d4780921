/**
 * Templates and personas as YAML files named `<name>@<version>.yaml`; the file name must match the content.
 *
 * - `readDefinition(schema, fileName, text, check?)` the parsed value, or every error with its path, line and reason.
 * - `readYaml(schema, text, check)` the same for files that are named otherwise.
 * - `shownFaults(file, faults)` one line each, in compiler style.
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

/** Errors that a schema cannot detect, such as names of things elsewhere. */
export type DefinitionCheck<T> = (value: T) => readonly { path: (string | number)[]; message: string }[];

export function readDefinition<S extends z.ZodType<{ name: string; version: number }>>(
  schema: S,
  fileName: string,
  text: string,
  check: DefinitionCheck<z.output<S>> = () => [],
): DefinitionResult<z.output<S>> {
  return readYaml(schema, text, (value) => {
    const expected = `${value.name}@${value.version}.yaml`;
    const isNamed = fileName === expected;
    const misnamed = { path: ["name"], message: `the file must be called ${expected}, not ${fileName}` };
    return [...(isNamed ? [] : [misnamed]), ...check(value)];
  });
}

/** The same for a file with another kind of name. */
export function readYaml<S extends z.ZodType>(
  schema: S,
  text: string,
  check: DefinitionCheck<z.output<S>>,
): DefinitionResult<z.output<S>> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const lineAt = (offset: number | undefined) => (offset === undefined ? undefined : lines.linePos(offset).line);
  const refused = (faults: readonly { path: (string | number)[]; message: string; near?: string }[]) => ({
    ok: false as const,
    faults: faults.map(({ path, message, near }) => ({
      path: shownPath(path),
      line: lineAt(offsetOf(document, near ? [...path, near] : path)),
      reason: message,
    })),
  });
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => ({
      path: "",
      line: lineAt(error.pos[0]),
      reason: (error.message.split("\n")[0] ?? "not YAML").replace(/ at line \d+, column \d+:?$/, ""),
    }));
    return { ok: false, faults };
  }
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    // Aliases of aliases that would expand without limit.
    return refused([{ path: [], message: (error as Error).message }]);
  }
  const parsed = schema.safeParse(content);
  if (!parsed.success) {
    return refused(
      parsed.error.issues.map((issue) => ({
        path: issue.path.map((part) => (typeof part === "symbol" ? String(part) : part)),
        message: issue.message,
        ...(issue.code === "unrecognized_keys" && issue.keys[0] ? { near: issue.keys[0] } : {}),
      })),
    );
  }
  const faults = check(parsed.data);
  return faults.length > 0 ? refused(faults) : { ok: true, value: parsed.data };
}

export function shownFaults(file: string, faults: readonly DefinitionFault[]): string {
  return faults
    .map(
      ({ path, line, reason }) => `${file}${line === undefined ? "" : `:${line}`}: ${path ? `${path}: ` : ""}${reason}`,
    )
    .join("\n");
}

/** The deepest part of the path that is in the file, so that a missing member points to where it belongs. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly (string | number)[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return node.range[0];
  }
  return 0;
}

const shownPath = (path: readonly (string | number)[]): string =>
  path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
