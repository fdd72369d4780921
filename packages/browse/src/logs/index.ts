export { LogFiles, type LogKind } from "./log-files.ts";
export { Redactor } from "./redactor.ts";
export { Ring } from "./ring.ts";
