/**
 * Every command line that the docs show is one that works: `devflow …` parses with the real parser against the real
 * records, `npm …` names a script that there is.
 *
 * - `commandLineFaults(page, commands, scripts)` what is wrong with those on a page.
 * - `devflowFault(line, commands)` what is wrong with one of them.
 */
import type { AnyCommand } from "@devflow/core/command";
import { parseCommandLine } from "@devflow/core/command-line";
import { lineAt, type Page } from "./markdown-files.ts";

export function commandLineFaults(page: Page, commands: readonly AnyCommand[], scripts: readonly string[]): string[] {
  return commandLines(page.text).flatMap(({ line, at, isNamed }) => {
    // In a sentence a command may be named without being called: "`devflow restore` brings it back".
    if (isNamed && commands.some(({ name }) => line === `devflow ${name}`)) return [];
    const fault = line.startsWith("npm ") ? npmFault(line, scripts) : devflowFault(line, commands);
    return fault ? [`${page.path}:${lineAt(page.text, at)} ${line}: ${fault}`] : [];
  });
}

export function devflowFault(line: string, commands: readonly AnyCommand[]): string | undefined {
  const words = splitWords(line).slice(1);
  if (words.length === 1 && (words[0] === "--version" || words[0] === "-v")) return undefined;
  // A placeholder for any command or flag says nothing that could be wrong.
  if (words.some((word) => word === "<command>" || word === "[flags]" || word === "…")) return undefined;
  try {
    // A digit fits a text as well as a number.
    parseCommandLine(
      words.map((word) => word.replace(/<[^>]*>|\{\w+\}/g, "1")),
      commands,
    );
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function npmFault(line: string, scripts: readonly string[]): string | undefined {
  const [, first = "", second = ""] = splitWords(line);
  const script = first === "run" ? second : first === "start" || first === "test" ? first : undefined;
  if (script === undefined || script.startsWith("<")) return undefined;
  return scripts.includes(script) ? undefined : `package.json has no script "${script}"`;
}

interface CommandLine {
  readonly line: string;
  readonly at: number;
  /** It stands in a sentence. */
  readonly isNamed: boolean;
}

/** Lines of code blocks, and code within text, that start with one of the two programs. */
function commandLines(text: string): CommandLine[] {
  const found: CommandLine[] = [];
  const withoutBlocks = text.replace(
    /^```(\w*)\n([\s\S]*?)^```/gm,
    (block, language: string, body: string, at: number) => {
      if (["", "sh", "bash", "shell", "console"].includes(language)) {
        let offset = at + block.indexOf("\n") + 1;
        for (const line of body.split("\n")) {
          found.push(...startingLine(line, offset, false));
          offset += line.length + 1;
        }
      }
      return block.replace(/[^\n]/g, " ");
    },
  );
  for (const match of withoutBlocks.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g))
    found.push(...startingLine(match[1] ?? "", match.index, true));
  return found;
}

function startingLine(text: string, at: number, isNamed: boolean): CommandLine[] {
  const match = /^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\S*\/)?((?:devflow|npm)(?: .*)?)$/.exec(text);
  // What follows a comment sign, a pipe or another command is not ours to parse.
  const line = match?.[1]?.split(/\s+#\s|\s[|&>;]/)[0]?.trim();
  return line ? [{ line, at, isNamed }] : [];
}

function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}
