/**
 * The part of the client that every command loads: no settings, no zod, no module of Node. What it cannot do (no daemon,
 * an older one, help), the full client does.
 */
export { defaultSession } from "./default-session.ts";
export { patienceMs, takenMs } from "./patience.ts";
export { socketPaths } from "./socket-path.ts";
export { type QuickRequest, replyOf } from "./wire.ts";
