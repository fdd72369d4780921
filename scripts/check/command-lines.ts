/**
 * Every command line in the docs works: `devflow …` parses with the real parser against the real records, and `npm …` names
 * an existing script.
 *
 * - `commandLineFaults(page, commands, scripts)` the errors on a page.
 */
import type { AnyCommand } from "@devflow/core/command";
import { commandLinesIn, devflowFault, splitWords } from "@devflow/core/command-text";
import { lineAt, type Page } from "./markdown-files.ts";

export function commandLineFaults(page: Page, commands: readonly AnyCommand[], scripts: readonly string[]): string[] {
  return commandLinesIn(page.text).flatMap(({ line, at, isNamed }) => {
    // In a sentence a command may be named without arguments: "`devflow restore` brings it back".
    if (isNamed && commands.some(({ name }) => line === `devflow ${name}`)) return [];
    const fault = line.startsWith("npm ") ? npmFault(line, scripts) : devflowFault(line, commands);
    return fault ? [`${page.path}:${lineAt(page.text, at)} ${line}: ${fault}`] : [];
  });
}

function npmFault(line: string, scripts: readonly string[]): string | undefined {
  const [, first = "", second = ""] = splitWords(line);
  const script = first === "run" ? second : first === "start" || first === "test" ? first : undefined;
  if (script === undefined || script.startsWith("<")) return undefined;
  return scripts.includes(script) ? undefined : `package.json has no script "${script}"`;
}
