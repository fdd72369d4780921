/** `devflow eval blame <case>`: the commit that broke it, who wrote it, and what the case cost before and after. */

import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import type { BlameReport, EvaluatedCommit } from "@devflow/evals/compare";
import { type Paint, painter } from "../paint.ts";
import { textTable } from "../text-table.ts";
import { blameStored, type StoredBlame } from "./blame-case.ts";
import { openCommits } from "./commits.ts";
import { caseHistory } from "./pick-runs.ts";
import type { evalBlameRecord } from "./store-commands.ts";
import { withStore } from "./with-store.ts";
import { bar, percent, plural, share, shortSha, usd } from "./words.ts";

export const blame: HandlerOf<typeof evalBlameRecord> = async (input, context) => {
  const commits = await openCommits(context);
  if (!commits) {
    const problem = "Blame needs the commits, and this folder is in no git repository.";
    throw new DevflowError("usage", {
      details: { problem, next: `By time instead: devflow eval trend "${input.case}"` },
    });
  }
  const { found, suite, name, tier } = await withStore(context, async (store) => {
    const points = caseHistory(store, input.case, input.suite, input.tier);
    // One tier at a time: another tier is another amount of checking.
    const tier = input.tier ?? points[0]?.tier ?? "standard";
    const own = points.filter((point) => point.tier === tier);
    const { suite = "", name = input.case } = points[0] ?? {};
    return { found: await blameStored(suite, own, commits, input.until), suite, name, tier };
  });
  const { report, otherJudges } = found;
  context.output.result({ suite, case: name, tier, ...report, otherJudges }, blameText(name, suite, found, context));
};

function blameText(name: string, suite: string, { report, otherJudges }: StoredBlame, context: CommandContext): string {
  const paint = painter(context);
  const lines = [
    `${paint(shortLine(name, 80), "bold")}  ${shortLine(suite, 40)}`,
    "",
    ...verdictLines(report, paint),
    "",
    ...pointLines(report, context.output.columns, paint),
  ];
  if (report.runsOutside > 0) {
    lines.push(
      "",
      paint(`${plural(report.runsOutside, "run")} on other branches or without a commit stayed out.`, "dim"),
    );
  }
  if (otherJudges > 0) lines.push(paint(`${plural(otherJudges, "result")} of other judges stayed out.`, "dim"));
  return lines.join("\n");
}

function verdictLines(report: BlameReport, paint: Paint): string[] {
  const { outcome, suspects, before, after, confidence, probabilityOfNoChange, firstBad, lastGood } = report;
  if (outcome === "no results") return ["No run of this case stands on a commit of this branch."];
  if (outcome === "no change") {
    const enough = `${percent(probabilityOfNoChange)} sure that nothing changed`;
    return [`No commit is to blame: ${share(before.passes, before.results)} passed all along (${enough}).`];
  }
  const word = outcome === "broke" ? paint("Broke", "red") : paint("Fixed", "green");
  const rates = `${share(before.passes, before.results)} → ${share(after.passes, after.results)} passed`;
  const sure = `${percent(confidence * (1 - probabilityOfNoChange))} sure that it is this place`;
  const [first] = suspects;
  const who =
    suspects.length === 1 && first
      ? [
          `${word} with ${paint(shortSha(first.sha), "yellow")} ${shortLine(first.subject ?? "", 80)}`,
          `  by ${first.author ?? "?"}, ${(first.at ?? "").slice(0, 16).replace("T", " ")}`,
        ]
      : [
          `${word} with one of ${suspects.length} commits; those between were not evaluated:`,
          ...suspects
            .slice(0, 10)
            .map(
              ({ sha, subject, author }) =>
                `  ${paint(shortSha(sha), "yellow")} ${shortLine(subject ?? "", 60)} (${author ?? "?"})`,
            ),
        ];
  const cost =
    firstBad?.costUsd == null || lastGood?.costUsd == null
      ? []
      : [`  ${usd(lastGood.costUsd)} → ${usd(firstBad.costUsd)} a result`];
  const prompts = promptChange(lastGood, firstBad);
  return [
    ...who,
    `  ${rates}; ${sure}`,
    ...prompts,
    ...cost,
    ...(firstBad ? [`  first bad run ${firstBad.runIds[0] ?? ""}`] : []),
  ];
}

function promptChange(before: EvaluatedCommit | null, after: EvaluatedCommit | null): string[] {
  const [from, to] = [before?.promptShas[0], after?.promptShas[0]];
  return from && to && from !== to ? [`  prompt ${from.slice(0, 12)} → ${to.slice(0, 12)}`] : [];
}

/** The commits that were evaluated, oldest first; the break is a line between two of them. */
function pointLines({ points, firstBad, suspects }: BlameReport, columns: number, paint: Paint): string[] {
  const shown = points.slice(-25);
  const rows = shown.map((point) => [
    point === firstBad && suspects.length > 0 ? paint("→", "red") : " ",
    paint(shortSha(point.commit.sha), "dim"),
    bar(
      [
        { count: point.passes, colour: "green", mark: "█" },
        { count: point.results - point.passes, colour: "red", mark: "▒" },
      ],
      10,
      paint,
    ),
    `${point.passes}/${point.results}`,
    shortLine(point.commit.subject ?? "", Math.max(20, columns - 50)),
    paint(shortLine(point.commit.author ?? "", 16), "dim"),
  ]);
  return textTable(
    ["", "", "", "", "", ""].map((title) => ({ title })),
    rows,
  ).split("\n");
}
