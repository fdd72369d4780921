/** `devflow qa …`: what a test of the app in the browser came to. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const qaReportRecord = defineRecord({
  name: "qa report",
  summary: "Make a QA report with a health score from evidence and findings",
  description:
    "Files under .devflow/qa-reports. Console errors, failed requests and vitals come from the evidence, whatever the findings say; what the evidence did not touch is not scored. Compared with the saved baseline of the site, else with its newest report.",
  category: "Browse",
  effect: "write",
  args: z.object({
    findings: option(z.string().optional().describe("JSON: a list of findings"), { placeholder: "<file>" }),
    evidence: option(z.string().optional().describe("A bundle; by default the newest that was ended"), {
      placeholder: "<bundle>",
    }),
    noEvidence: z.boolean().default(false).describe("From findings alone; the report says that nothing is proven"),
    url: option(z.url().optional().describe("Which site; by default the first page of the evidence"), {
      placeholder: "<url>",
    }),
    saveBaseline: z.boolean().default(false).describe("Compare later reports with this one"),
    failUnder: option(z.number().min(0).max(100).optional().describe("Exit with 1 when the score is lower"), {
      placeholder: "<score>",
    }),
  }),
  output: z.object({
    report: z.string(),
    json: z.string(),
    score: z.number().nullable(),
    before: z.number().nullable(),
    open: z.number(),
    fixed: z.number(),
    evidence: z.string().nullable(),
  }),
  examples: [
    { run: "qa report --findings findings.json", does: "from the newest evidence" },
    { run: "qa report --save-baseline", does: "before a change, to see its effect later" },
  ],
});

export const qaCommands: readonly AnyCommand[] = [
  defineCommand(qaReportRecord, async () => (await import("./report.ts")).qaReport),
];
