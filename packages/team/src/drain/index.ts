/** Entry point of drain. */
export type { DrainPorts, DrainReport, PushNote, TokenFor } from "./drain-pass.ts";
export { readDrainState } from "./drain-state.ts";
export { drainNow, runDrainer } from "./drainer.ts";
export { eraseRecords } from "./erase-records.ts";
export { dropRecord, type HeldRecord, heldBack, retryRecord, sentAmount, spoolStatus } from "./spool-status.ts";
export { unsentRecords } from "./unsent-records.ts";
export { verifySent } from "./verify-sent.ts";
