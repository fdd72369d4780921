/** Results for the eval benchmarks: the same cases for Devflow and for promptfoo, each in its own format. */
import { closeSync, openSync, writeSync } from "node:fs";

const words = Array.from({ length: 2000 }, (_, at) => `word${(at * 7919) % 2000}`);

/** About 1 kB of text, different for each case and always the same for one case. */
function textOf(at: number): string {
  return Array.from({ length: 120 }, (_, word) => words[(at * 31 + word * word) % words.length]).join(" ");
}

export function writeDevflowResults(path: string, count: number, suite = "bench"): void {
  writeList(
    path,
    `{"schema_version":1,"suite":${JSON.stringify(suite)},"git_sha":"abc123","all_results":[`,
    "]}",
    count,
    (at) => ({
      name: `case ${at}`,
      category: `category ${at % 7}`,
      passed: at % 9 !== 0,
      duration_ms: (at * 37) % 9000,
      input: { question: `question ${at}` },
      output: { response: textOf(at) },
      judge_scores: { accuracy: (at % 100) / 100, tone: (at % 10) / 10 },
      failures: at % 9 === 0 ? [{ type: "deterministic", message: `the answer of case ${at} is wrong` }] : [],
      usage: [{ model: "claude-sonnet-4-6", input_tokens: 1000 + at, output_tokens: 200 }],
    }),
  );
}

/** promptfoo's export, version 3: the input of `promptfoo import`. */
export function writePromptfooResults(path: string, count: number): void {
  const prompt = { raw: "{{question}}", label: "{{question}}", id: "prompt", provider: "echo" };
  const head = {
    evalId: `eval-bench-${count}`,
    config: { prompts: ["{{question}}"], providers: ["echo"], tests: [] },
    metadata: { promptfooVersion: "0.123.1", evaluationCreatedAt: "2026-03-15T10:30:00.000Z" },
  };
  const start = `${JSON.stringify(head).slice(0, -1)},"results":{"version":3,"timestamp":"2026-03-15T10:30:00.000Z","prompts":[${JSON.stringify(prompt)}],"stats":{"successes":0,"failures":0,"errors":0},"results":[`;
  writeList(path, start, "]}}", count, (at) => ({
    id: `result-${at}`,
    promptIdx: 0,
    testIdx: at,
    testCase: { description: `case ${at}`, vars: { question: `question ${at}` }, assert: [] },
    promptId: "prompt",
    provider: { id: "echo" },
    prompt: { raw: `question ${at}`, label: "{{question}}" },
    vars: { question: `question ${at}` },
    response: { output: textOf(at), tokenUsage: { total: 1200 + at, prompt: 1000 + at, completion: 200 } },
    success: at % 9 !== 0,
    failureReason: at % 9 === 0 ? 1 : 0,
    score: at % 9 === 0 ? 0 : 1,
    latencyMs: (at * 37) % 9000,
    namedScores: { accuracy: (at % 100) / 100, tone: (at % 10) / 10 },
    gradingResult: { pass: at % 9 !== 0, score: at % 9 === 0 ? 0 : 1, reason: "checked", componentResults: [] },
    cost: 0,
    metadata: {},
  }));
}

function writeList(path: string, start: string, end: string, count: number, item: (at: number) => unknown): void {
  const file = openSync(path, "w");
  writeSync(file, start);
  for (let at = 0; at < count; at++) writeSync(file, `${at > 0 ? "," : ""}${JSON.stringify(item(at))}`);
  writeSync(file, end);
  closeSync(file);
}
