export { Finding } from "./finding.ts";
export { observe } from "./observed.ts";
export { makeReport, QaReport } from "./qa-report.ts";
export { type ResultSink, readBaseline, writeReport } from "./write-report.ts";
