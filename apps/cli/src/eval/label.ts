/**
 * `devflow eval label`: labels that people give to outputs, and how well the judges of a run agree with people, with each
 * other and with themselves.
 */

import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { resolve } from "node:path";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import { plainLine } from "@devflow/core/plain-text";
import type { EvalResult } from "@devflow/evals";
import { type HumanLabel, judgeReport, type LabelFile, labelFile, outputShaOf } from "@devflow/evals/judges";
import { z } from "zod";
import { painter } from "../paint.ts";
import type { evalLabelRecord } from "./check-commands.ts";
import { openCommits } from "./commits.ts";
import { judgeReportLines } from "./judge-report-view.ts";
import { withStore } from "./with-store.ts";
import { plural, shortRun } from "./words.ts";

type LabelInput = InputOf<typeof evalLabelRecord>;

export interface LabelledRun {
  readonly suite: string;
  readonly runId: string;
  readonly results: readonly EvalResult[];
}

export const label: HandlerOf<typeof evalLabelRecord> = async (input, context) => {
  const run = await readRun(input.run, context);
  const file = labelFile(context.config().home, run.suite);
  const by = input.by ?? (await labelAuthor(context));
  if (input.ask) return await (await import("./ask-labels.ts")).askLabels({ run, file, by }, context);
  if (input.from !== undefined) return await addMany(input.from, run, file, by, context);
  if (input.case !== undefined) {
    if (input.verdict === undefined) throw missingVerdict(input);
    const result = findResult(run, input.case, input.repeat);
    const made = labelFor(result, run, by, { verdict: input.verdict, criterion: input.criterion, note: input.note });
    await file.add([made]);
    const word = painter(context)(input.verdict, input.verdict === "pass" ? "green" : "red");
    const about = input.criterion === undefined ? "" : `, ${input.criterion}`;
    context.output.result(made, `${plainLine(result.name)}${about}: ${word}, by ${by}.`);
    return 0;
  }
  const report = judgeReport(run.results, await file.read());
  const lines = judgeReportLines(report, {
    run: shortRun(run.runId),
    next: input.next,
    paint: painter(context),
    columns: context.output.columns,
  });
  const next = report.next.slice(0, input.next).map(({ ordinal, name, repeat }) => ({ ordinal, name, repeat }));
  context.output.result({ suite: run.suite, runId: run.runId, ...report, next }, lines.join("\n"));
  return 0;
};

async function readRun(id: string, context: CommandContext): Promise<LabelledRun> {
  return await withStore(context, async (store) => {
    const { line } = await store.run(id);
    const results: EvalResult[] = [];
    for await (const block of store.allResults(`${line.suite}/${line.runId}`)) results.push(...block);
    return { suite: line.suite, runId: line.runId, results };
  });
}

async function labelAuthor(context: CommandContext): Promise<string> {
  const known = await (await openCommits(context))?.userName();
  return known || userInfo().username || "somebody";
}

export function labelFor(
  result: EvalResult,
  run: LabelledRun,
  by: string,
  said: { verdict: "pass" | "fail"; criterion?: string | undefined; note?: string | undefined },
): HumanLabel {
  return {
    at: new Date().toISOString(),
    by,
    run_id: run.runId,
    name: result.name,
    input_sha: result.inputSha,
    repeat: result.repeat,
    output_sha: outputShaOf(result.output),
    criterion: said.criterion ?? null,
    verdict: said.verdict,
    note: said.note ?? null,
  };
}

function findResult(run: LabelledRun, name: string, repeat: number): EvalResult {
  const named = run.results.filter((result) => result.name === name);
  const numbered = /^\d+$/.test(name) && named.length === 0 ? run.results[Number(name)] : undefined;
  const found = named.filter((result) => result.repeat === repeat);
  if (found.length > 1) {
    throw new DevflowError("conflict", {
      details: {
        problem: `${found.length} results of ${run.runId} are called "${name}".`,
        next: `Give its number in the run: ${found.map((one) => run.results.indexOf(one)).join(", ")}`,
      },
    });
  }
  const [one = numbered] = found;
  if (one) return one;
  const meant = nearest(name, [...new Set(run.results.map((result) => result.name))]);
  const next =
    named.length > 0
      ? `Choose one of its repeats with --repeat: ${named.map((result) => result.repeat).join(", ")}`
      : meant
        ? `Did you mean ${meant}?`
        : `See the cases: devflow eval show ${run.runId}`;
  throw new DevflowError("not_found", {
    details: { what: `The case "${name}"${repeat > 0 ? `, repeat ${repeat},` : ""} in ${run.runId}`, next },
  });
}

const lineSchema = z.object({
  case: z.union([z.string(), z.number().transform(String)]).optional(),
  name: z.string().optional(),
  verdict: z.enum(["pass", "fail"]),
  repeat: z.number().int().min(0).default(0),
  criterion: z.string().optional(),
  note: z.string().optional(),
  by: z.string().optional(),
});

/** Stores all labels or none, so that a faulty file can be fixed and given again. */
async function addMany(
  path: string,
  run: LabelledRun,
  file: LabelFile,
  by: string,
  context: CommandContext,
): Promise<number> {
  const text =
    path === "-"
      ? await context.readStdin()
      : await readFile(resolve(context.cwd, path), "utf8").catch((cause) => {
          throw new DevflowError("not_found", {
            details: { what: `The file ${path}`, next: "Check the path. The file has one JSON object per line." },
            cause,
          });
        });
  const made = text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const at = `${path === "-" ? "The input" : path}, line ${index + 1}`;
    const parsed = lineSchema.safeParse(parse(line, at));
    const name = parsed.data?.case ?? parsed.data?.name;
    if (!parsed.success || name === undefined) {
      throw unusable(`${at}: ${parsed.error ? z.prettifyError(parsed.error) : "no case is named"}`);
    }
    const result = findResult(run, name, parsed.data.repeat);
    return [labelFor(result, run, parsed.data.by ?? by, parsed.data)];
  });
  if (made.length > 0) await file.add(made);
  context.output.result(
    { labels: made.length },
    `${plural(made.length, "label")} stored. See how well the judges agree: devflow eval label ${run.runId}`,
  );
  return 0;
}

function parse(line: string, at: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw unusable(`${at}: ${(error as Error).message}`);
  }
}

function unusable(problem: string): DevflowError {
  return new DevflowError("input_invalid", {
    details: { problem, next: 'Nothing was stored. Each line must be like {"case": "its name", "verdict": "pass"}' },
  });
}

function missingVerdict({ run, case: name }: LabelInput): DevflowError {
  return new DevflowError("usage", {
    details: { problem: "The verdict is missing: pass or fail.", next: `devflow eval label ${run} '${name}' pass` },
  });
}
