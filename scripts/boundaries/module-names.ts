/**
 * The names that modules import from and export to each other.
 *
 * - `importedNames(node)` what an import, static or dynamic, takes from its module; "all" where that is unknown.
 * - `exportedNames(tree)` what a module exports, and the modules it re-exports completely.
 */
import ts from "typescript";

export type Names = readonly string[] | "all";

export interface ExportedName {
  readonly name: string;
  readonly line: number;
  readonly isType: boolean;
  /** For a re-exported name: its module, and its name there. */
  readonly from?: { readonly specifier: string; readonly name: string };
}

/** `export * from` a module, or `export type * from` it. */
export interface PassedOn {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

export function importedNames(node: ts.Node): Names {
  if (ts.isImportDeclaration(node)) return declaredImports(node.importClause);
  if (ts.isImportTypeNode(node)) return node.qualifier ? [firstName(node.qualifier)] : "all";
  if (ts.isCallExpression(node)) return takenFrom(node);
  // A re-export is not a use by itself; `export * as name` may be a use of anything.
  if (ts.isExportDeclaration(node)) return node.exportClause && ts.isNamespaceExport(node.exportClause) ? "all" : [];
  return "all";
}

function declaredImports(clause: ts.ImportClause | undefined): Names {
  const own = clause?.name ? ["default"] : [];
  const bindings = clause?.namedBindings;
  if (!bindings) return own;
  if (ts.isNamespaceImport(bindings)) return membersOf(bindings.name.text, bindings.getSourceFile());
  return [...own, ...bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text)];
}

/** `const { a } = await import(…)`, `(await import(…)).a`, `import(…).then(({ a }) => …)` and `.then((module) => module.a)`. */
function takenFrom(call: ts.CallExpression): Names {
  let value: ts.Node = call;
  while (ts.isAwaitExpression(value.parent) || ts.isParenthesizedExpression(value.parent)) value = value.parent;
  const { parent } = value;
  if (ts.isVariableDeclaration(parent)) return patternNames(parent.name);
  if (!ts.isPropertyAccessExpression(parent)) return "all";
  if (value !== call) return [parent.name.text];
  const [then] = ts.isCallExpression(parent.parent) ? parent.parent.arguments : [];
  if (parent.name.text !== "then" || !then || !ts.isArrowFunction(then)) return "all";
  const [given] = then.parameters;
  if (!given) return [];
  return ts.isIdentifier(given.name) ? membersOf(given.name.text, then.body) : patternNames(given.name);
}

function patternNames(pattern: ts.BindingName): Names {
  if (!ts.isObjectBindingPattern(pattern)) return "all";
  return pattern.elements.map(({ propertyName, name }) => (propertyName ?? name).getText());
}

function membersOf(object: string, body: ts.Node): Names {
  const members: string[] = [];
  let isWhole = false;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === object && !ts.isNamespaceImport(node.parent)) {
      if (ts.isPropertyAccessExpression(node.parent) && node.parent.expression === node)
        members.push(node.parent.name.text);
      else isWhole = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
  return isWhole ? "all" : members;
}

function firstName(name: ts.EntityName): string {
  return ts.isIdentifier(name) ? name.text : firstName(name.left);
}

export function exportedNames(tree: ts.SourceFile): { exports: ExportedName[]; passedOn: PassedOn[] } {
  const exports: ExportedName[] = [];
  const passedOn: PassedOn[] = [];
  for (const statement of tree.statements) {
    const line = tree.getLineAndCharacterOfPosition(statement.getStart(tree)).line + 1;
    if (!ts.isExportDeclaration(statement)) {
      const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
      for (const name of declaredNames(statement)) exports.push({ name, line, isType });
      continue;
    }
    const specifier = statement.moduleSpecifier && (statement.moduleSpecifier as ts.StringLiteral).text;
    const { exportClause } = statement;
    if (!exportClause) passedOn.push({ specifier: specifier ?? "", isTypeOnly: statement.isTypeOnly });
    else if (ts.isNamespaceExport(exportClause)) exports.push({ name: exportClause.name.text, line, isType: false });
    else
      for (const { name, propertyName, isTypeOnly } of exportClause.elements) {
        const from = specifier === undefined ? {} : { from: { specifier, name: (propertyName ?? name).text } };
        exports.push({ name: name.text, line, isType: statement.isTypeOnly || isTypeOnly, ...from });
      }
  }
  return { exports, passedOn };
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isExportAssignment(statement)) return ["default"];
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  const has = (kind: ts.SyntaxKind) => modifiers.some((one) => one.kind === kind);
  if (!has(ts.SyntaxKind.ExportKeyword)) return [];
  if (has(ts.SyntaxKind.DefaultKeyword)) return ["default"];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => bound(name));
  const { name } = statement as ts.DeclarationStatement;
  return name ? [name.text] : [];
}

function bound(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((one) => (ts.isBindingElement(one) ? bound(one.name) : []));
}
