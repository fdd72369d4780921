/**
 * Finds command lines in a text for people or agents, and checks whether they would work.
 *
 * - `commandLinesIn(text)` lines of code blocks, and inline code, that start with `devflow` or `npm`.
 * - `devflowFault(line, commands)` the parser's error for one of them; undefined when it would work.
 */
import type { AnyCommand } from "./command.ts";
import { parseCommandLine } from "./command-line.ts";

export interface CommandLineInText {
  readonly line: string;
  readonly at: number;
  /** It is inline code in a sentence. */
  readonly isNamed: boolean;
}

export function devflowFault(line: string, commands: readonly AnyCommand[]): string | undefined {
  const words = splitWords(line).slice(1);
  if (words.length === 1 && (words[0] === "--version" || words[0] === "-v")) return undefined;
  // A placeholder for any command or flag cannot be checked.
  if (words.some((word) => word === "<command>" || word === "[flags]" || word === "…")) return undefined;
  try {
    // A digit is valid as text and as a number; only a URL needs its own example.
    const filled = words.map((word) => word.replaceAll("<url>", "http://a.test").replace(/<[^>]*>|\{\w+\}/g, "1"));
    parseCommandLine(filled, commands);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export function commandLinesIn(text: string): CommandLineInText[] {
  const found: CommandLineInText[] = [];
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

export function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

function startingLine(text: string, at: number, isNamed: boolean): CommandLineInText[] {
  const match = /^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\S*\/)?((?:devflow|npm)(?: .*)?)$/.exec(text);
  // What follows a comment sign, a pipe or another command is not parsed here.
  const line = match?.[1]?.split(/\s+#\s|\s[|&>;]/)[0]?.trim();
  return line ? [{ line, at, isNamed }] : [];
}
