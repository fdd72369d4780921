/**
 * Checks the use of the error registry.
 *
 * - `hintFaults(commands)` hints that name an unknown command, or end with something to copy and a period after it.
 * - `detailFaults(root)` code that raises an error without the details its message needs: `{path}` would be printed literally.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyCommand } from "@devflow/core/command";
import { devflowFault } from "@devflow/core/command-text";
import { type ErrorCode, errorRegistry } from "@devflow/core/errors";
import ts from "typescript";
import { listSources } from "../boundaries/source-tree.ts";

export function hintFaults(commands: readonly AnyCommand[]): string[] {
  return Object.entries(errorRegistry).flatMap(([code, { hint }]) => [
    ...commandsIn(hint).flatMap((line) => {
      const fault = devflowFault(line, commands);
      return fault ? [`the hint of ${code} says "${line}": ${fault}`] : [];
    }),
    ...(endsCopyable(hint) ? [`the hint of ${code} ends with a period that would be copied`] : []),
  ]);
}

/** A value, a path, code or a command, followed by a period. */
export const endsCopyable = (hint: string): boolean => /(?:[}`]|\S*[/.]\S+|(?<![\w./'-])devflow [^.;,]*)\.$/.test(hint);

/** From `devflow` to the end of the hint, or to the end of the command in a sentence. */
export function commandsIn(hint: string): string[] {
  return [...hint.matchAll(/(?<![\w./'-])devflow(?: [^`,;.)]+(?:\.[\w-]+)?)/g)].map(([line]) => line.trim());
}

export function detailFaults(root: string): string[] {
  return listSources(root).flatMap((path) =>
    /\.test\.|\/tests?\//.test(path) ? [] : detailFaultsIn(path, readFileSync(join(root, path), "utf8")),
  );
}

export function detailFaultsIn(path: string, text: string): string[] {
  if (!text.includes("DevflowError(")) return [];
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const faults: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && node.expression.getText() === "DevflowError") {
      const missing = missingDetails(node);
      const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      if (missing.length > 0)
        faults.push(`${path}:${line} raises ${node.arguments?.[0]?.getText()} without ${missing.join(", ")}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return faults;
}

function missingDetails(raised: ts.NewExpression): string[] {
  const [code, options] = raised.arguments ?? [];
  if (!code || !ts.isStringLiteral(code) || !(code.text in errorRegistry)) return [];
  const needed = placeholdersOf(code.text as ErrorCode);
  if (!options) return needed;
  const details = ts.isObjectLiteralExpression(options) ? propertyOf(options, "details") : undefined;
  if (!ts.isObjectLiteralExpression(options) || details === "hidden") return [];
  if (details === undefined) return needed;
  // Details that are computed elsewhere cannot be checked here.
  if (!ts.isObjectLiteralExpression(details) || details.properties.some(ts.isSpreadAssignment)) return [];
  const given = new Set(details.properties.map((one) => one.name?.getText()));
  return needed.filter((name) => !given.has(name));
}

function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | "hidden" | undefined {
  for (const property of object.properties) {
    if (ts.isSpreadAssignment(property) || (ts.isShorthandPropertyAssignment(property) && property.name.text === name))
      return "hidden";
    if (ts.isPropertyAssignment(property) && property.name.getText() === name) return property.initializer;
  }
  return undefined;
}

/** `{next}` may be omitted: then the hint is empty. */
function placeholdersOf(code: ErrorCode): string[] {
  const { message, hint } = errorRegistry[code];
  const names = [...`${message} ${hint}`.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return [...new Set(names)].filter((name) => name !== "next");
}
