/** Entry point of pushes. */
export { findPushes } from "./find-push.ts";
