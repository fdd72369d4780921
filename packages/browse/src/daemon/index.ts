/** The door of the daemon. */
export { runBrowseDaemon } from "./daemon.ts";
