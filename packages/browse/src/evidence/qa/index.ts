export { Finding } from "./finding.ts";
export { observe } from "./observed.ts";
export { makeReport, type QaReport } from "./qa-report.ts";
export { readBaseline, writeReport } from "./write-report.ts";
