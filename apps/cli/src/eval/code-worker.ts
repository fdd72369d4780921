/** A process that runs the code of a promptfoo suite: reads jobs from standard input and ends with it. */
import type { CommandHandler } from "@devflow/core/command";
import { runCodeWorker } from "@devflow/evals/code";

export const codeWorker: CommandHandler = async () => {
  // Ctrl-C reaches the whole process group of the terminal; the parent decides when its workers end.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  await runCodeWorker(process.stdin);
  // Timers and connections of the suite's code must not keep it alive.
  process.exit(0);
};
