export { LogFiles, type LogKind, logKinds } from "./log-files.ts";
export { Redactor } from "./redactor.ts";
export { Ring, ringCapacity } from "./ring.ts";
