/**
 * Colors, only on a terminal and without NO_COLOR.
 *
 * - `painter(context)` `paint(text, "red")`, or the plain text.
 */
import type { CommandContext } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Colour = keyof typeof codes;
export type Paint = (text: string, colour: Colour) => string;

export function isColoured({ output, env }: Pick<CommandContext, "output" | "env">): boolean {
  return output.isTerminal && !output.json && !environmentOf(env).NO_COLOR;
}

export function painter(context: Pick<CommandContext, "output" | "env">): Paint {
  const coloured = isColoured(context);
  return (text, colour) => (coloured && text !== "" ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text);
}
