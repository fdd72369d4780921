import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@devflow/evals/testing";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

const size = 200_000;
const main = join(import.meta.dir, "../apps/cli/src/main.ts");
const steps = [
  { name: "first push", words: ["push", "one.jsonl"] },
  { name: "second push", words: ["push", "two.jsonl"] },
  { name: "compare", words: ["compare", "one", "two"] },
] as const;
const memoryOf = (name: string) => `${name}: peak memory in MB`;

export default defineBenchmark({
  name: "eval-compare-large",
  what: `Two runs of ${size} results with scores, cost and latency: pushed one after the other and compared, each in a process of its own.`,
  unit: "ms",
  rounds: 1,
  warmUp: 0,
  goals: steps.map(({ name }) => limitGoal(`${name}: at most 300 MB`, memoryOf(name), 300, "MB")),
  prepare: async ({ say }) => {
    const folder = mkdtempSync(join(tmpdir(), "df-bench-"));
    await writeRun(join(folder, "one.jsonl"), "one", 0.9);
    await writeRun(join(folder, "two.jsonl"), "two", 0.85);
    say("2 files written");
    const peaks = new Map<string, number>();
    const measured = ({ name, words }: (typeof steps)[number]) => ({
      name,
      sample: async () => {
        const env = { ...process.env, DEVFLOW_HOME: join(folder, "home") };
        const started = Bun.nanoseconds();
        const ended = Bun.spawn([process.execPath, main, "eval", ...words], { cwd: folder, env, stdout: "ignore" });
        await ended.exited;
        peaks.set(name, (ended.resourceUsage()?.maxRSS ?? 0) / 1e6);
        return [(Bun.nanoseconds() - started) / 1e6];
      },
    });
    return {
      contenders: [
        ...steps.map(measured),
        ...steps.map(({ name }) => ({ name: memoryOf(name), sample: async () => [peaks.get(name) ?? 0] })),
      ],
      finish: async () => rmSync(folder, { recursive: true }),
    };
  },
});

async function writeRun(path: string, id: string, rate: number): Promise<void> {
  const random = seededRandom(id);
  const file = Bun.file(path).writer();
  const timestamp = id === "one" ? "2026-03-15T10:00:00Z" : "2026-03-16T10:00:00Z";
  file.write(`${JSON.stringify({ suite: "big", run_id: id, timestamp })}\n`);
  for (let at = 0; at < size; at++) {
    const passed = random.fraction() < rate;
    const record = {
      name: `case number ${at} of the large suite`,
      passed,
      input: { question: `question ${at}` },
      category: `category ${at % 20}`,
      duration_ms: 200 + random.below(900),
      judge_scores: { accuracy: random.fraction(), tone: random.fraction() },
      output: { response: `${"answer ".repeat(10)}${at}` },
      failures: passed ? [] : ["wrong"],
      usage: [{ model: "claude-sonnet-4-6", input_tokens: 900, output_tokens: 90, cost_usd: random.fraction() / 500 }],
    };
    file.write(`${JSON.stringify(record)}\n`);
  }
  await file.end();
}
