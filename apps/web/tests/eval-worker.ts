/** `eval-worker.ts <suite> <run id> <expected>`: a worker that writes one result for each line it reads, and ends at `end`. */
import { createInterface } from "node:readline";
import { EvalCollector } from "@devflow/evals/collector";

const [suite = "", runId = "", expected = "0"] = process.argv.slice(2);
const evals = new EvalCollector({
  suite,
  runId,
  expected: Number(expected),
  run: { tier: "standard", label: "night" },
});
evals.savePartial();
process.stdout.write(`${process.pid}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "end") break;
  const { name, status } = JSON.parse(line) as { name: string; status: "pass" | "fail" | "error" };
  evals.addTest({
    name,
    status,
    category: "night",
    duration_ms: 1200,
    judge_scores: { accuracy: status === "pass" ? 0.9 : 0.3 },
    usage: [{ model: "claude-sonnet-4-5", calls: 1, input_tokens: 2000, output_tokens: 300 }],
    ...(status === "fail" ? { failures: [{ type: "deterministic", message: "says 14 days instead of 30" }] } : {}),
    ...(status === "error" ? { error: "the model did not answer" } : {}),
  });
  evals.savePartial();
}
evals.savePartial(true);
