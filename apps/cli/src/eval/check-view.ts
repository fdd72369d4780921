/**
 * What `eval check` shows during and after a run. Pure.
 *
 * - `progressLines(progress, view)` progress, counts and the running cases.
 * - `reportLines(run, line, view)` counts, failures with reasons, results of A/B tests and tier chains, cost.
 */
import { plainLine } from "@devflow/core/plain-text";
import type { CheckProgress, FailureRecord, ResultRecord, RunRecord } from "@devflow/evals/check";
import type { RunLine } from "@devflow/evals/store";
import type { Paint } from "../paint.ts";
import { duration, money, percent, plural, tallyBar, tallyWords } from "./words.ts";

export interface CheckView {
  readonly suite: string;
  readonly tier: string;
  readonly columns: number;
  readonly paint: Paint;
}

const barWidth = 30;

export function progressLines(progress: CheckProgress, { suite, tier, paint }: CheckView): string[] {
  const { done, total, passed, failed, errors, running, elapsedMs } = progress;
  const waiting = total - done;
  const filled = Math.round((done / Math.max(1, total)) * barWidth);
  const bar =
    tallyBar({ passed, failed, errors, skipped: 0 }, filled, paint) + paint("·".repeat(barWidth - filled), "dim");
  const left = done > 0 && waiting > 0 ? `, about ${duration((elapsedMs / done) * waiting)} left` : "";
  const at = running.length > 0 ? paint(`  running ${running.slice(0, 4).map(plainLine).join(", ")}`, "dim") : "";
  return [
    `${paint(plainLine(suite), "bold")} ${tier}  ${filled === 0 ? paint("·".repeat(barWidth), "dim") : bar} ${done}/${total}  ${percent(done / Math.max(1, total))}`,
    `${tallyWords({ passed, failed, errors, skipped: 0 }, paint)}, ${duration(elapsedMs)}${left}`,
    ...(at ? [at] : []),
  ];
}

/** More than this many of one kind are counted, not listed. */
const most = 20;

export function reportLines(run: RunRecord, line: RunLine | null, view: CheckView): string[] {
  const { paint } = view;
  const failed = run.all_results.filter(({ status }) => status === "fail");
  const errors = run.all_results.filter(({ status }) => status === "error");
  const cost = line ? money(line) : "";
  const about = [
    `${run.tier} tier`,
    plural(run.total, "result"),
    duration(run.duration_seconds * 1000),
    ...(cost ? [cost] : []),
  ];
  return [
    `${paint(plainLine(run.suite), "bold")}  ${about.join(", ")}`,
    `${tallyBar(run, barWidth, paint)}  ${tallyWords(run, paint)}`,
    ...(run.judges.length > 0
      ? [paint(`Judged by ${[...new Set(run.judges.map(({ model }) => plainLine(model)))].join(", ")}`, "dim")]
      : []),
    ...comparisonLines(run, view),
    ...problems(failed, "FAIL", view),
    ...problems(errors, "ERROR", view),
  ];
}

function problems(results: readonly ResultRecord[], word: "FAIL" | "ERROR", { paint, columns }: CheckView): string[] {
  if (results.length === 0) return [];
  const colour = word === "FAIL" ? "red" : "yellow";
  const lines = results.slice(0, most).flatMap((result) => {
    const repeat = result.repeat > 0 ? ` #${result.repeat + 1}` : "";
    const told =
      word === "FAIL"
        ? result.failures.map((failure) => `${failure.expectation_type}: ${failureWords(failure)}`)
        : [result.error ?? "could not be checked"];
    return [
      `  ${paint(word.padEnd(5), colour)}  ${plainLine(result.name)}${repeat}`,
      ...told
        .slice(0, 3)
        .flatMap((text) => wrapped(plainLine(text), columns - 9, 2).map((one) => `         ${paint(one, "dim")}`)),
      ...(told.length > 3 ? [`         ${paint(`and ${told.length - 3} more`, "dim")}`] : []),
    ];
  });
  const rest = results.length - most;
  return ["", ...lines, ...(rest > 0 ? [`         and ${plural(rest, "more case")} like these`] : [])];
}

/** For a judged expectation, the criteria say more than the message. */
function failureWords({ type, details, message }: FailureRecord): string {
  const below = Array.isArray(details) ? (details as { criterion?: string; score?: number; threshold?: number }[]) : [];
  const isJudged = type === "threshold" && below.length > 0 && below.every(({ score }) => typeof score === "number");
  if (!isJudged) return message;
  return below
    .map(({ criterion, score, threshold }) => `${criterion} ${score?.toFixed(2)} below ${threshold}`)
    .join(", ");
}

/** Wraps the text at `width`, on at most `mostLines` lines; the last one is cut. */
export function wrapped(text: string, width: number, mostLines: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== "" && lines.length < mostLines) {
    if (rest.length <= width) {
      lines.push(rest);
      return lines;
    }
    const space = rest.lastIndexOf(" ", width);
    const at = space > width / 2 ? space : width;
    const isLast = lines.length === mostLines - 1;
    lines.push(isLast ? `${rest.slice(0, width - 1)}…` : rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return lines;
}

interface AbComparison {
  readonly type: "ab_test";
  readonly deltas: readonly { criterion: string; control: number; treatment: number; delta: number }[];
}
interface ChainComparison {
  readonly type: "tier_chain";
  readonly steps: readonly { tier: string | null; model: string | null; expectations_passed: number; errors: number }[];
}

function comparisonLines(run: RunRecord, { paint }: CheckView): string[] {
  const compared = run.all_results.flatMap(({ name, comparison }) =>
    comparison ? [{ name, comparison: comparison as AbComparison | ChainComparison }] : [],
  );
  if (compared.length === 0) return [];
  const lines = compared.slice(0, most).map(({ name, comparison }) => {
    const told =
      comparison.type === "ab_test"
        ? comparison.deltas.map(({ criterion, control, treatment, delta }) => {
            const change = `${delta < 0 ? "−" : "+"}${Math.abs(delta).toFixed(2)}`;
            const colour = delta < 0 ? "red" : delta > 0 ? "green" : "dim";
            return `${criterion} ${control.toFixed(2)} → ${treatment.toFixed(2)} ${paint(change, colour)}`;
          })
        : comparison.steps.map(
            ({ tier, model, expectations_passed: share, errors }) =>
              `${tier}${model ? ` (${plainLine(model)})` : ""} ${errors > 0 ? paint("error", "yellow") : percent(share)}`,
          );
    const kind = comparison.type === "ab_test" ? "A/B" : "chain";
    return `  ${paint(kind.padEnd(5), "cyan")}  ${plainLine(name)}  ${told.join(comparison.type === "ab_test" ? ", " : " → ")}`;
  });
  const rest = compared.length - most;
  return ["", ...lines, ...(rest > 0 ? [`         and ${plural(rest, "more case")}`] : [])];
}
