/** Renders how far judges can be trusted, for a terminal. Pure. */
import { plainLine } from "@devflow/core/plain-text";
import type { CriterionAgreement, JudgeReport, PeopleAgreement } from "@devflow/evals/judges";
import type { Paint } from "../paint.ts";
import { textTable } from "../text-table.ts";
import { quoted } from "./check-report.ts";
import { percent, plural } from "./words.ts";

export interface JudgeReportView {
  readonly run: string;
  readonly next: number;
  readonly paint: Paint;
  readonly columns: number;
}

export function judgeReportLines(report: JudgeReport, view: JudgeReportView): string[] {
  const { paint } = view;
  if (report.judged === 0) {
    return [
      "No output of this run has been judged.",
      `To judge them: devflow eval rejudge ${view.run} --profile <profile>`,
    ];
  }
  return [
    `${paint(plural(report.judged, "output"), "bold")} judged by ${report.models.map(plainLine).join(", ")}: ${report.judgedPass} passed, ${report.judged - report.judgedPass} failed`,
    ...agreementLines(
      "Between the judges",
      report.between.map((one) => ({ ...one, who: plainLine(one.criterion) })),
      paint,
    ),
    ...agreementLines(
      "Each judge with itself",
      report.within.map((one) => ({ ...one, who: `${plainLine(one.model)}, ${plainLine(one.criterion)}` })),
      paint,
    ),
    ...(report.between.length + report.within.length === 0
      ? ["", paint("One judge with one vote: it can only be compared with people's labels.", "dim")]
      : []),
    ...report.people.flatMap((one) => peopleLines(one, paint)),
    ...(report.people.length === 0 ? ["", "No output of this run has a label yet."] : []),
    ...nextLines(report, view),
  ];
}

function agreementLines(
  title: string,
  rows: readonly (CriterionAgreement & { readonly who: string })[],
  paint: Paint,
): string[] {
  if (rows.length === 0) return [];
  const number = (value: number | null) => (value === null ? "—" : value.toFixed(2));
  const table = textTable(
    [
      { title: "  criterion" },
      { title: "outputs", align: "right" },
      { title: "scores", align: "right" },
      { title: "verdicts", align: "right" },
      { title: "may gate" },
    ],
    rows.map(({ who, items, scores, verdicts, mayGate }) => [
      `  ${who}`,
      String(items),
      number(scores),
      number(verdicts),
      mayGate ? "yes" : "no, below 0.67",
    ]),
  );
  const [head = "", ...body] = table.split("\n");
  return ["", `${title} (Krippendorff's alpha)`, paint(head, "dim"), ...body];
}

function peopleLines(
  { criterion, labels, table, isEnough, cohensKappa, gwetsAc1, agreement }: PeopleAgreement,
  paint: Paint,
): string[] {
  const cell = (row: number, column: number) => String(table[row]?.[column] ?? 0).padStart(7);
  const about = criterion === null ? "" : `, ${plainLine(criterion)}`;
  const figures = isEnough
    ? `  Agreement ${agreement === null ? "—" : percent(agreement)}, Cohen's kappa ${cohensKappa?.toFixed(2) ?? "—"}, Gwet's AC1 ${gwetsAc1?.toFixed(2) ?? "—"}`
    : paint("  Not enough labels: at least 30 are needed, 10 of them with the rarer verdict.", "dim");
  return [
    "",
    `Compared with people${about}: ${plural(labels, "label")}`,
    paint("               person: pass    fail", "dim"),
    `  judge: pass       ${cell(0, 0)} ${cell(0, 1)}`,
    `  judge: fail       ${cell(1, 0)} ${cell(1, 1)}`,
    figures,
  ];
}

function nextLines({ next }: JudgeReport, { run, next: most }: JudgeReportView): string[] {
  if (next.length === 0) return ["", "Every judged output has a label."];
  const lines = next.slice(0, most).map(({ name, repeat }) => {
    const which = repeat > 0 ? ` --repeat ${repeat}` : "";
    return `  ${quoted(plainLine(name))}${which}`;
  });
  return [
    "",
    `Label next: devflow eval label ${quoted(run)} <case> pass|fail   (or with --ask)`,
    ...lines,
    ...(next.length > lines.length
      ? [`  and ${plural(next.length - lines.length, "more output")} without a label`]
      : []),
  ];
}
