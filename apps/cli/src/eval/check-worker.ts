/** A process of `eval check`: cases come on its input, results go to its output, and it ends when its input does. */
import type { CommandHandler } from "@devflow/core/command";
import { runCheckWorker } from "@devflow/evals/check";

export const checkWorker: CommandHandler = async () => {
  // A Ctrl-C goes to the whole group of the terminal; the parent decides what becomes of its workers.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  await runCheckWorker(process.stdin, process.stdout);
};
