export { Finding } from "./finding.ts";
export { observe } from "./observed.ts";
export { makeReport } from "./qa-report.ts";
export { readBaseline, writeReport } from "./write-report.ts";
