/**
 * `devflow eval label --ask`: asks about one output after another on a terminal. The judges' verdict is shown only after
 * the answer, because people who know it tend to agree with it.
 */

import { createInterface } from "node:readline";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainLine, plainText } from "@devflow/core/plain-text";
import { judgeReport, type LabelFile } from "@devflow/evals/judges";
import { type Paint, painter } from "../paint.ts";
import { type LabelledRun, labelFor } from "./label.ts";
import { plural, shortRun } from "./words.ts";

interface Asked {
  readonly run: LabelledRun;
  readonly file: LabelFile;
  readonly by: string;
}

const shownLines = 20;

export async function askLabels({ run, file, by }: Asked, context: CommandContext): Promise<number> {
  const { output } = context;
  if (!output.isTerminal || output.json) {
    throw new DevflowError("usage", {
      details: {
        problem: "--ask needs a terminal.",
        next: `Give labels as a file: devflow eval label ${run.runId} --from labels.jsonl`,
      },
    });
  }
  const paint = painter(context);
  const { next } = judgeReport(run.results, await file.read());
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  let kept = 0;
  for (const [index, judged] of next.entries()) {
    const result = run.results[judged.ordinal];
    if (!result || context.signal.aborted) break;
    output.item(
      null,
      `${paint(`${index + 1}/${next.length}  ${plainLine(judged.name)}`, "bold")}\n${shown("input", result.input, paint)}\n${shown("output", result.output, paint)}`,
    );
    const answer = await askOne(lines, context);
    if (answer === "quit") break;
    if (answer === "skip") continue;
    await file.add([labelFor(result, run, by, { verdict: answer })]);
    kept += 1;
    const agrees = judged.isPass === (answer === "pass");
    output.item(
      null,
      `${paint(agrees ? "The judges agree." : `The judges said ${judged.isPass ? "pass" : "fail"}.`, agrees ? "dim" : "yellow")}\n\n`,
    );
  }
  output.item(
    null,
    `${plural(kept, "label")} stored. See how well the judges agree: devflow eval label ${shortRun(run.runId)}`,
  );
  return 0;
}

const answers: Readonly<Record<string, "pass" | "fail" | "skip" | "quit">> = {
  p: "pass",
  pass: "pass",
  f: "fail",
  fail: "fail",
  s: "skip",
  "": "skip",
  q: "quit",
};

async function askOne(lines: AsyncIterator<string>, { output, signal }: CommandContext) {
  while (!signal.aborted) {
    output.item(null, "Is it good?  p pass   f fail   s skip   q quit");
    const { value, done } = await lines.next();
    if (done) return "quit";
    const answer = answers[String(value).trim().toLowerCase()];
    if (answer) return answer;
  }
  return "quit";
}

function shown(title: string, value: unknown, paint: Paint): string {
  if (value === null || value === undefined) return "";
  const text = plainText(typeof value === "string" ? value : JSON.stringify(value, null, 2));
  const lines = text.split("\n");
  const cut =
    lines.length > shownLines
      ? [...lines.slice(0, shownLines), paint(`… ${lines.length - shownLines} more lines`, "dim")]
      : lines;
  return [paint(title, "cyan"), ...cut.map((line) => `  ${line}`)].join("\n");
}
