/**
 * Decisions on a terminal.
 *
 * - `decisionName(row)` `#12`, or the last characters of its id while the server has not given it a number.
 * - `decisionLines(rows)` one row each; `decisionPage(detail)` all of it.
 */
import { plainText, shortLine } from "@devflow/core/plain-text";
import type { DecisionDetail, DecisionRow } from "@devflow/protocol";
import { textTable } from "../text-table.ts";

export const decisionName = ({ number, id }: Pick<DecisionRow, "number" | "id">): string =>
  number === null ? id.slice(-8) : `#${number}`;

export function decisionLines(rows: readonly DecisionRow[]): string {
  return textTable(
    ["DECISION", "TITLE", "STATE", "WHO", "DATE"].map((title) => ({ title })),
    rows.map((row) => [
      decisionName(row),
      shortLine(row.type === "decision" ? row.title : `${row.type}: ${row.title}`, 70),
      stateWords(row),
      shortLine(row.user_name, 24),
      row.created_at.slice(0, 10),
    ]),
  );
}

export function stateWords({ state, expires_at }: DecisionRow): string {
  return expires_at !== null && (state === "accepted" || state === "proposed")
    ? `${state} until ${expires_at.slice(0, 10)}`
    : state;
}

export function decisionPage(one: DecisionDetail): string {
  const facts = [
    `${decisionName(one)} ${shortLine(one.title, 300)}`,
    `${one.type}, ${stateWords(one)}; ${shortLine(one.user_name, 60)}, ${one.created_at.slice(0, 10)}`,
    ...(one.superseded_by
      ? [`Superseded by ${one.superseded_by.slice(-8)}; see: devflow brain decide show ${one.superseded_by}`]
      : []),
    ...(one.supersedes ? [`Supersedes ${one.supersedes.slice(-8)}`] : []),
    ...(one.files.length > 0 ? [`Files: ${one.files.map((file) => shortLine(file, 200)).join(", ")}`] : []),
    ...(one.features.length > 0 ? [`Features: ${one.features.join(", ")}`] : []),
    ...(one.source_file ? [`Imported from ${shortLine(one.source_file, 200)}`] : []),
  ];
  const part = (title: string, text: string | null) =>
    text?.trim() ? [`\n${title}\n\n${plainText(text).trim()}`] : [];
  const timeline = one.timeline.map(
    ({ at, event, user_name, text }) =>
      `  ${at.slice(0, 16).replace("T", " ")}  ${event}${user_name ? ` by ${shortLine(user_name, 40)}` : ""}${text ? `: ${shortLine(text, 200)}` : ""}`,
  );
  return [
    ...facts,
    ...part("DECISION", one.body),
    ...part("CONTEXT", one.context),
    ...part("ALTERNATIVES", one.alternatives),
    ...(timeline.length > 0 ? ["\nTIMELINE\n", ...timeline] : []),
  ].join("\n");
}
