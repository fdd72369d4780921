/** A worker process of `eval check`: reads cases from standard input, writes results to standard output, ends with its input. */
import type { CommandHandler } from "@devflow/core/command";
import { runCheckWorker } from "@devflow/evals/check";

export const checkWorker: CommandHandler = async () => {
  // Ctrl-C reaches the whole process group of the terminal; the parent decides when its workers end.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  await runCheckWorker(process.stdin, process.stdout);
};
