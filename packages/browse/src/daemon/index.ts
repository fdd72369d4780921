/** Entry point of the daemon. */
export { type DaemonOptions, runBrowseDaemon } from "./daemon.ts";
export { explainFailure } from "./explain-failure.ts";
