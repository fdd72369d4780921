/** The output of a handler: results to standard output, messages to standard error. */
import type { Output } from "@devflow/core/command";
import type { CommandLineIo } from "./run.ts";

export function createOutput(
  io: Pick<CommandLineIo, "stdout" | "stderr" | "isTerminal" | "columns">,
  json: boolean,
): Output {
  const print = (value: unknown, text: string) => {
    if (json) io.stdout(`${JSON.stringify(value)}\n`);
    else if (text) io.stdout(text.endsWith("\n") ? text : `${text}\n`);
  };
  return {
    json,
    isTerminal: io.isTerminal,
    columns: io.columns,
    result: print,
    item: print,
    note: (text) => io.stderr(`${text}\n`),
  };
}
