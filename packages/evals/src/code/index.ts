/** Entry point of code: runs the code of suites in other processes, within limits. */
export { CodeFailure, CodeLimit, type CodePool, openCodePool } from "./code-pool.ts";
export { runCodeWorker } from "./code-worker.ts";
export { callScript } from "./run-script.ts";
export type { ScriptLanguage } from "./script-languages.ts";
