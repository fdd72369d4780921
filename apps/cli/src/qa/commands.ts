/** `devflow qa …`: the results of testing the app in the browser. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const qaReportRecord = defineRecord({
  name: "qa report",
  summary: "Create a QA report with a health score from evidence and findings",
  description:
    "Writes to .devflow/qa-reports. Console errors, failed requests and vitals come from the evidence, not from the findings; what the evidence does not cover is not scored. Compared with the site's saved baseline, or else its newest report.",
  category: "Browse",
  effect: "write",
  args: z.object({
    findings: option(z.string().optional().describe("JSON: a list of findings"), { placeholder: "<file>" }),
    evidence: option(z.string().optional().describe("A bundle; by default the newest finished one"), {
      placeholder: "<bundle>",
    }),
    noEvidence: z.boolean().default(false).describe("Use only findings; the report notes that nothing is proven"),
    url: option(z.url().optional().describe("The site; by default the first page of the evidence"), {
      placeholder: "<url>",
    }),
    saveBaseline: z.boolean().default(false).describe("Compare later reports with this one"),
    failUnder: option(z.number().min(0).max(100).optional().describe("Exit with 1 if the score is lower"), {
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
    { run: "qa report --findings findings.json", does: "use the newest evidence" },
    { run: "qa report --save-baseline", does: "save a baseline before a change" },
  ],
});

export const qaCommands: readonly AnyCommand[] = [
  defineCommand(qaReportRecord, async () => (await import("./report.ts")).qaReport),
];
