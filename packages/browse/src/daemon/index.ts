/** Entry point of the daemon. */
export { runBrowseDaemon } from "./daemon.ts";
export type { Listen, Receiver } from "./socket-server.ts";
