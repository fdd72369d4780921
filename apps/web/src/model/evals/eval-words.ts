/** Words for the results, verdicts, rates and costs of evals. A state is always a word; its tone only adds the colour. */
import type { EvalMoney, EvalStatus, EvalVerdict, EvalWatch, EvalWatchWorker } from "@devflow/protocol";
import type { Tone, Word } from "../runs/run-words.ts";

const statusWords: Record<EvalStatus, Word> = {
  pass: { word: "Pass", tone: "good" },
  fail: { word: "Fail", tone: "bad" },
  error: { word: "Error", tone: "warn" },
  skipped: { word: "Skipped", tone: "calm" },
};
export const statusWord = (status: EvalStatus): Word => statusWords[status];

const verdictWords: Record<EvalVerdict, Word> = {
  regression: { word: "Regression", tone: "bad" },
  improvement: { word: "Improvement", tone: "good" },
  "no evidence": { word: "No evidence", tone: "calm" },
  "not enough data": { word: "Not enough data", tone: "warn" },
};
export const verdictWord = (verdict: EvalVerdict): Word => verdictWords[verdict];

const workerWords: Record<EvalWatchWorker["state"], Word> = {
  running: { word: "Running", tone: "busy" },
  finished: { word: "Finished", tone: "good" },
  dead: { word: "Died", tone: "bad" },
};
export const workerWord = (state: EvalWatchWorker["state"]): Word => workerWords[state];

const watchWords: Record<EvalWatch["state"], Word> = {
  running: { word: "Running", tone: "busy" },
  finished: { word: "Finished", tone: "good" },
  died: { word: "Ended early", tone: "bad" },
};
export const watchWord = (state: EvalWatch["state"]): Word => watchWords[state];

/** The outcome of a run, in a word or two. */
export function runWord(run: { passed: number; failed: number; errors: number; total: number }): Word {
  if (run.total === 0) return { word: "Empty", tone: "calm" };
  if (run.failed === 0 && run.errors === 0) return { word: "All passed", tone: "good" };
  if (run.failed === 0) return { word: plural(run.errors, "error"), tone: "warn" };
  const errors = run.errors > 0 ? `, ${plural(run.errors, "error")}` : "";
  return { word: `${run.failed} failed${errors}`, tone: "bad" };
}

/** The model and the prompt variant of a run; empty if it names neither. */
export function variantText({ model, variant }: { model: string | null; variant: string | null }): string {
  return [model, variant].filter(Boolean).join(" · ");
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** `97.3 %`, or a dash without a rate. 100 % and 0 % are shown only if they are exact. */
export function percent(rate: number | null): string {
  if (rate === null) return "–";
  const shown = (rate * 100).toFixed(1);
  if (shown === "100.0") return rate === 1 ? "100 %" : "> 99.9 %";
  if (shown === "0.0") return rate === 0 ? "0 %" : "< 0.1 %";
  return `${shown} %`;
}

export function intervalText({ low, high }: { low: number; high: number }): string {
  return `${Math.round(low * 100)}–${Math.round(high * 100)} %`;
}

/** A difference of rates in percentage points, always with a sign. */
export function points(difference: number): string {
  return `${signed(difference * 100, 1)} points`;
}

export function signed(value: number, digits: number): string {
  const shown = Math.abs(value).toFixed(digits);
  if (Number(shown) === 0) return `±${shown}`;
  return `${value < 0 ? "−" : "+"}${shown}`;
}

export function score(value: number | null): string {
  return value === null ? "–" : Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}

/** Four decimals below a dollar, where cents would show as $0.00. */
export function usd(value: number | null): string {
  if (value === null) return "unknown";
  return `$${value.toFixed(value === 0 || value >= 1 ? 2 : 4)}`;
}

/** The known cost; `+ ?` if some calls have no price. */
export function moneyText({ actualUsd, estimatedUsd, unpricedCalls }: EvalMoney): string {
  const known = actualUsd + estimatedUsd;
  if (known === 0) return unpricedCalls > 0 ? "not priced" : "–";
  return `${actualUsd === 0 ? "≈ " : ""}${usd(known)}${unpricedCalls > 0 ? " + ?" : ""}`;
}

export function moneyNote({ actualUsd, estimatedUsd, unpricedCalls }: EvalMoney): string {
  const parts = [
    ...(actualUsd > 0 ? [`${usd(actualUsd)} billed`] : []),
    ...(estimatedUsd > 0 ? [`${usd(estimatedUsd)} estimated from tokens`] : []),
    ...(unpricedCalls > 0 ? [`${plural(unpricedCalls, "call")} without a known price, not included`] : []),
  ];
  return parts.join(" · ") || "no usage reported";
}

export function milliseconds(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${String(Math.round((ms % 60_000) / 1_000)).padStart(2, "0")} s`;
}

export function pValue(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

export const shortSha = (sha: string | null): string => sha?.slice(0, 10) ?? "no commit";

/** The short name of a state: a commit's first digits, or a run's id. */
export function stateName(id: string): string {
  const sha = /^commit:(.+)$/s.exec(id)?.[1];
  return sha === undefined ? id.slice(id.lastIndexOf("/") + 1) : shortSha(sha);
}

export interface Level {
  readonly word: string;
  readonly tone: Extract<Tone, "good" | "warn" | "bad" | "calm">;
}

/** The pass rate of a group, in words. */
export function passLevel(rate: number | null): Level {
  if (rate === null) return { word: "none ran", tone: "calm" };
  if (rate === 1) return { word: "all", tone: "good" };
  if (rate >= 0.95) return { word: "nearly all", tone: "good" };
  if (rate >= 0.7) return { word: "most", tone: "warn" };
  if (rate >= 0.4) return { word: "about half", tone: "bad" };
  return rate === 0 ? { word: "none", tone: "bad" } : { word: "few", tone: "bad" };
}

/** A mean score on the scale its criterion seems to use: up to 1, 5, 10 or 100. */
export function scoreLevel(mean: number, most: number): Level {
  const top = [1, 5, 10, 100].find((end) => most <= end) ?? most;
  const share = mean / top;
  if (share >= 0.85) return { word: "high", tone: "good" };
  return share >= 0.7 ? { word: "fair", tone: "warn" } : { word: "low", tone: "bad" };
}

/** Krippendorff's alpha with the thresholds that Krippendorff recommends. */
export function agreementLevel(alpha: number | null): Level {
  if (alpha === null) return { word: "no variation", tone: "calm" };
  if (alpha >= 0.8) return { word: "reliable", tone: "good" };
  return alpha >= 0.667 ? { word: "tentative", tone: "warn" } : { word: "too low to gate", tone: "bad" };
}

/** A name quoted for a shell. */
export const shellWord = (name: string): string =>
  /^[\w./:@-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
