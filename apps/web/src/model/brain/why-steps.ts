/**
 * The way from a line to the reasons behind it, as steps for the page: what, in which words, and how it is known.
 *
 * - `whySteps(answer)` in the order of `devflow brain why`; `whyCommand(file, line)` that command, safe for a shell.
 */
import type { WhyAnswer } from "@devflow/protocol";
import { decisionName } from "./brain-words.ts";

export interface WhyStep {
  readonly id: string;
  readonly kind: "Edit" | "Intent" | "Run" | "Gate" | "Decision" | "Finding" | "Eval" | "Ship";
  readonly text: string;
  /** What an agent was asked for, as it was said. */
  readonly quote?: string;
  readonly how: string;
  readonly at: string | null;
}

export function whySteps({ edits, intents, runs, decisions, findings, evals, ships }: WhyAnswer): WhyStep[] {
  const sure = (confidence: number) => `${Math.round(confidence * 100)}% sure`;
  return [
    ...edits.map((one): WhyStep => {
      const on = one.branch ? ` on ${one.branch}` : "";
      const text = `${one.user_name} with ${one.host ?? "an agent"} (${one.tool})${on}${linesOf(one.lines)}`;
      const quote = one.prompt ? { quote: one.prompt } : {};
      return { id: one.id, kind: "Edit", text, ...quote, how: `${one.how}, ${sure(one.confidence)}`, at: one.at };
    }),
    ...intents.map(
      (one): WhyStep => ({ id: one.id, kind: "Intent", text: `${one.text} (${one.state})`, ...since(one) }),
    ),
    ...runs.flatMap((one): WhyStep[] => [
      {
        id: one.id,
        kind: "Run",
        text: `${one.title ?? "unknown"}${one.state ? ` (${one.state})` : ""}`,
        how: one.how,
        at: one.at,
      },
      ...one.gates.map((gate, n): WhyStep => {
        const by = gate.by ? ` by ${gate.by}` : "";
        const quote = gate.comment ? { quote: gate.comment } : {};
        return {
          id: `${one.id} ${n}`,
          kind: "Gate",
          text: `${gate.gate}: ${gate.state}${by}`,
          ...quote,
          how: "of the run",
          at: gate.at,
        };
      }),
    ]),
    ...decisions.map((one): WhyStep => {
      const text = `${decisionName(one)} ${one.title} (${one.state})`;
      return { id: one.id, kind: "Decision", text, how: one.how, at: one.created_at };
    }),
    ...findings.map((one): WhyStep => {
      const text = `${one.severity}: ${one.summary} (${one.resolved ? "resolved" : one.status})`;
      return { id: one.id, kind: "Finding", text, how: `${one.how}; ${one.reviewer}`, at: one.at };
    }),
    ...evals.map((one): WhyStep => {
      return {
        id: one.id,
        kind: "Eval",
        text: `${one.suite}: ${one.passed} of ${one.total} passed`,
        how: one.how,
        at: one.at,
      };
    }),
    ...ships.map(
      (one): WhyStep => ({
        id: one.id,
        kind: "Ship",
        text: `${one.version} by ${one.user_name}`,
        how: one.how,
        at: one.at,
      }),
    ),
  ];
}

const since = ({ how, updated_at: at }: { readonly how: string; readonly updated_at: string }) => ({ how, at });

function linesOf(lines: readonly (readonly number[])[]): string {
  if (lines.length === 0) return "";
  const shown = lines.slice(0, 3).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  return `, lines ${shown.join(", ")}${lines.length > 3 ? ", …" : ""}`;
}

/** A file may be called `$(…)`. */
export function whyCommand(file: string, line: number | undefined): string {
  const target = `${file}${line === undefined ? "" : `:${line}`}`;
  const word = /^[\w./@:+=-]+$/.test(target) ? target : `'${target.replaceAll("'", "'\\''")}'`;
  return `devflow brain why ${word}`;
}
