/** Words for a team's numbers and records. */
import { type ActivityRow, markBidi } from "@devflow/protocol";
import { plural, usd } from "../evals/eval-words.ts";

/** `4.2 h`, `3.1 d`; a dash without a value. */
export function hours(value: number | null): string {
  if (value === null) return "–";
  if (value === 0) return "0 h";
  if (value < 1) return `${Math.round(value * 60)} min`;
  return value < 48 ? `${value.toFixed(1)} h` : `${(value / 24).toFixed(1)} d`;
}

/** Without decimals, as the axis of a chart has room for. */
export const wholePercent = (rate: number): string => `${Math.round(rate * 100)} %`;

/** What the period before had. */
export const before = (text: string): string => `before: ${text}`;

const kinds: Readonly<Record<string, string>> = {
  eval_run: "Eval run",
  ship_log: "Ship",
  qa_report: "QA report",
  review_triage: "Review finding",
  retro_snapshot: "Retro",
  transcript: "Transcript",
  run_progress: "Run",
  approval_request: "Gate",
  verdict: "Verdict",
};
export const kindTitle = (kind: string): string => (Object.hasOwn(kinds, kind) ? kinds[kind]! : kind);
export const recordKinds: readonly string[] = Object.keys(kinds);

const outcomes: Readonly<Record<string, string>> = {
  fp: "false alarm",
  fix: "fixed",
  "already-fixed": "already fixed",
};

/** One line about a record: what it is about. What would turn its order around is shown instead. */
export function recordLine({ kind, facts }: Pick<ActivityRow, "kind" | "facts">): string {
  const text = (name: string): string => {
    const value = facts[name];
    return value === null || value === undefined ? "" : markBidi(String(value));
  };
  switch (kind) {
    case "eval_run":
      return `${text("suite")}: ${text("passed")} of ${text("total")} passed${text("branch") && ` on ${text("branch")}`}`;
    case "ship_log":
      return `${text("version")} from ${text("branch")}${text("commits") && `, ${plural(Number(facts.commits), "commit")}`}`;
    case "qa_report":
      return `${text("url")}: ${text("score") === "" ? "not scored" : `health ${text("score")}`}, ${plural(Number(facts.issues ?? 0), "issue")}`;
    case "review_triage":
      return `${text("category")} in ${text("file")}: ${outcomes[text("outcome")] ?? text("outcome")}`;
    case "retro_snapshot":
      return text("line") || `of ${text("window")}`;
    case "run_progress":
      return `${text("title")}: ${text("state")}`;
    case "approval_request":
      return `${text("gate")} ${text("state")}`.trim();
    case "verdict":
      return text("action");
    default:
      return text("turns") && plural(Number(facts.turns), "turn");
  }
}

/** Money as a whole: cents below a hundred dollars, none above. */
export const money = (value: number | null): string =>
  value === null ? "–" : value >= 100 ? `$${Math.round(value).toLocaleString("en-US")}` : usd(value);

/** A step of a chart: a day, or a week by its Monday. */
export const stepName = (at: string): string => at.slice(5);

/** The last day of a step; a week ends on Sunday. */
export function endOfStep(at: string, unit: "day" | "week"): string {
  if (unit === "day") return at;
  return new Date(Date.parse(at) + 6 * 86_400_000).toISOString().slice(0, 10);
}
