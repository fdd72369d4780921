/**
 * What a source file uses, read from its syntax tree: a comment is not an import.
 *
 * - `readSourceFile(path, text)` its imports (static, dynamic, types, re-exports), its exports, and its use of Bun and the environment.
 */
import ts from "typescript";
import { type ExportedName, exportedNames, importedNames, type Names, type PassedOn } from "./module-names.ts";

export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly imports: readonly { readonly specifier: string; readonly line: number; readonly names: Names }[];
  readonly exports: readonly ExportedName[];
  readonly passedOn: readonly PassedOn[];
  /** How often each name occurs, not counting lists of re-exports. */
  readonly mentions: ReadonlyMap<string, number>;
  /** Lines where the global `Bun` or a Bun module is used; `bun:test` is listed too. */
  readonly bun: readonly { readonly what: string; readonly line: number }[];
  readonly environment: readonly number[];
}

export function readSourceFile(path: string, text: string): SourceFile {
  const kind = /\.[jt]sx$/.test(path)
    ? ts.ScriptKind.TSX
    : /\.[cm]?js$/.test(path)
      ? ts.ScriptKind.JS
      : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const imports: { specifier: string; line: number; names: Names }[] = [];
  const bun: { what: string; line: number }[] = [];
  const environment: number[] = [];
  const mentions = new Map<string, number>();
  const lineOf = (node: ts.Node) => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;

  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) {
      imports.push({ specifier, line: lineOf(node), names: importedNames(node) });
      if (specifier === "bun" || specifier.startsWith("bun:")) bun.push({ what: specifier, line: lineOf(node) });
    }
    if (isGlobalBun(node)) bun.push({ what: "Bun", line: lineOf(node) });
    if (readsEnvironment(node)) environment.push(lineOf(node));
    if (ts.isIdentifier(node) && !ts.isExportSpecifier(node.parent))
      mentions.set(node.text, (mentions.get(node.text) ?? 0) + 1);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { path, imports, bun, environment, mentions, ...exportedNames(tree) };
}

function specifierOf(node: ts.Node): string | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
    return literal(node.moduleSpecifier);
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return literal(node.argument.literal);
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
    return literal(node.moduleReference.expression);
  }
  if (!ts.isCallExpression(node)) return undefined;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === "require";
  return isImport || isRequire ? literal(node.arguments[0]) : undefined;
}

function literal(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** `Bun` by itself or as `globalThis.Bun`; not a member or property that happens to have the name. */
function isGlobalBun(node: ts.Node): boolean {
  if (!ts.isIdentifier(node) || node.text !== "Bun") return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return parent.expression.getText() === "globalThis";
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  return !ts.isPropertySignature(parent) && !ts.isPropertyDeclaration(parent);
}

/** `process.env`, `const { env } = process`, `import { env } from "node:process"`. */
function readsEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === "env" && isProcess(node.expression);
  if (ts.isElementAccessExpression(node))
    return literal(node.argumentExpression) === "env" && isProcess(node.expression);
  if (ts.isVariableDeclaration(node) && node.initializer && isProcess(node.initializer)) {
    return (
      ts.isObjectBindingPattern(node.name) &&
      node.name.elements.some((one) => (one.propertyName ?? one.name).getText() === "env")
    );
  }
  if (!ts.isImportSpecifier(node) || (node.propertyName ?? node.name).text !== "env") return false;
  const specifier = literal(node.parent.parent.parent.moduleSpecifier);
  return specifier === "node:process" || specifier === "process";
}

function isProcess(node: ts.Node): boolean {
  return /^(?:globalThis\.)?process$/.test(node.getText());
}
