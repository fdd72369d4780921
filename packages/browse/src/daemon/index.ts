/** Entry point of the daemon. */
export { runBrowseDaemon } from "./daemon.ts";
