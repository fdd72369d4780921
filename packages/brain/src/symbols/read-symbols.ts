/**
 * The symbols of TypeScript and JavaScript files, by tree-sitter: what is defined where, with which signature, and what is used where.
 * A file that does not parse as a whole still gives the symbols of its sound parts.
 *
 * - `openSymbols(grammars)` loads the parser; `grammars` gives the bytes, from node_modules or from the executable.
 * - `symbols.of(path, text)` definitions in order; undefined for other languages and for files over 1 MB.
 * - `symbols.uses(path, text)` names that are used, each with its lines.
 * - `hasSymbols(path)` whether the language is known.
 */
import { Language, type Node, Parser } from "@vscode/tree-sitter-wasm";
import type { Grammars } from "./grammars-of-package.ts";

export interface SymbolAt {
  /** With the class it belongs to: `Limiter.take`. */
  readonly name: string;
  readonly kind: "function" | "class" | "method" | "interface" | "type" | "enum" | "constant";
  /** First and last line. */
  readonly from: number;
  readonly to: number;
  /** On one line, without the body. */
  readonly signature: string;
  readonly isExported: boolean;
}

export interface Symbols {
  of(path: string, text: string): Promise<readonly SymbolAt[] | undefined>;
  uses(path: string, text: string): Promise<ReadonlyMap<string, readonly number[]> | undefined>;
}

const maxChars = 1_000_000;
const languages: readonly (readonly [RegExp, "typescript" | "tsx"])[] = [
  [/\.[cm]?ts$/, "typescript"],
  // It reads JavaScript too, with and without JSX.
  [/\.(?:tsx|jsx|[cm]?js)$/, "tsx"],
];

const languageOf = (path: string) => languages.find(([pattern]) => pattern.test(path))?.[1];

export const hasSymbols = (path: string): boolean => languageOf(path) !== undefined;

export async function openSymbols(grammars: Grammars): Promise<Symbols> {
  // The types know only `locateFile`; the loader takes the bytes as well.
  await Parser.init({ wasmBinary: await grammars.runtime() } as unknown as Parameters<typeof Parser.init>[0]);
  const loaded = new Map<string, Promise<Language>>();
  async function parse<T>(path: string, text: string, read: (root: Node) => T): Promise<T | undefined> {
    const name = languageOf(path);
    if (name === undefined || text.length > maxChars) return undefined;
    const language = loaded.get(name) ?? grammars.grammar(name).then((bytes) => Language.load(bytes));
    loaded.set(name, language);
    const parser = new Parser();
    parser.setLanguage(await language);
    const tree = parser.parse(text);
    try {
      return tree === null ? undefined : read(tree.rootNode);
    } finally {
      // Its memory is not the garbage collector's.
      tree?.delete();
      parser.delete();
    }
  }
  return {
    of: (path, text) =>
      parse(path, text, (root) => {
        const found: SymbolAt[] = [];
        collect(root, "", false, found);
        return found;
      }),
    uses: (path, text) =>
      parse(path, text, (root) => {
        const found = new Map<string, number[]>();
        for (const node of root.descendantsOfType(["identifier", "type_identifier", "property_identifier"])) {
          if (node === null || isDefinition(node)) continue;
          const lines = found.get(node.text) ?? [];
          const line = node.startPosition.row + 1;
          if (lines.at(-1) !== line) lines.push(line);
          found.set(node.text, lines);
        }
        return found;
      }),
  };
}

const kinds: Readonly<Record<string, SymbolAt["kind"]>> = {
  function_declaration: "function",
  generator_function_declaration: "function",
  function_signature: "function",
  class_declaration: "class",
  abstract_class_declaration: "class",
  interface_declaration: "interface",
  type_alias_declaration: "type",
  enum_declaration: "enum",
  method_definition: "method",
  method_signature: "method",
  abstract_method_signature: "method",
};

/** Top level and the members of classes; what is local to a function is nobody else's. */
function collect(node: Node, owner: string, isExported: boolean, into: SymbolAt[]): void {
  for (const child of node.namedChildren) {
    if (child === null) continue;
    if (child.type === "export_statement") collect(child, owner, true, into);
    else if (child.type === "lexical_declaration" || child.type === "variable_declaration") {
      for (const one of child.namedChildren) {
        if (one?.type === "variable_declarator") add(one, "constant", child);
      }
    } else if (child.type === "public_field_definition" || child.type === "field_definition")
      add(child, "method", child);
    else if (kinds[child.type] !== undefined) {
      add(child, kinds[child.type] ?? "function", child);
      const body = child.childForFieldName("body");
      if (body !== null && /class/.test(child.type)) {
        const name = child.childForFieldName("name")?.text ?? "";
        collect(body, owner === "" ? name : `${owner}.${name}`, isExported, into);
      }
    } else if (/^(?:module|internal_module|statement_block|ambient_declaration)$/.test(child.type) && owner === "")
      collect(child, owner, isExported, into);
  }

  function add(one: Node, kind: SymbolAt["kind"], whole: Node): void {
    const name = one.childForFieldName("name") ?? one.childForFieldName("property");
    if (name === null || !/^[\w$#]/.test(name.text) || /pattern$/.test(name.type)) return;
    const value = one.childForFieldName("value");
    const isFunction = value !== null && /function/.test(value.type);
    into.push({
      name: owner === "" ? name.text : `${owner}.${name.text}`,
      kind: kind === "constant" && isFunction ? "function" : kind,
      from: whole.startPosition.row + 1,
      to: whole.endPosition.row + 1,
      signature: signatureOf(one, isFunction ? value : null, kind),
      isExported,
    });
  }
}

/** Up to the body. Of a type it is all of it: its members are what others rely on. */
function signatureOf(node: Node, value: Node | null, kind: SymbolAt["kind"]): string {
  const isShape = kind === "interface" || kind === "type" || kind === "enum";
  const body = isShape ? null : (value ?? node).childForFieldName("body");
  const text = body === null ? node.text : node.text.slice(0, body.startIndex - node.startIndex);
  return text
    .replace(/\s+/g, " ")
    .replace(/\s*=>\s*$/, "")
    .trim()
    .slice(0, 1_000);
}

function isDefinition(node: Node): boolean {
  const { parent } = node;
  if (parent === null) return false;
  const name = parent.childForFieldName("name");
  return (
    name !== null && name.id === node.id && (kinds[parent.type] !== undefined || parent.type === "variable_declarator")
  );
}
