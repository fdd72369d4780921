/** `devflow eval blame <case>`: the commit that broke it, its author, and what the case cost before and after. */

import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import type { AncestryCommit, BlameReport, EvaluatedCommit } from "@devflow/evals/compare";
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
    const problem = "Blame needs commits, and this folder is not in a git repository.";
    throw new DevflowError("usage", {
      details: { problem, next: `See the trend over time instead: devflow eval trend "${input.case}"` },
    });
  }
  const { found, suite, name, tier } = await withStore(context, async (store) => {
    const points = caseHistory(store, input.case, input.suite, input.tier);
    // One tier at a time: tiers check different amounts.
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
      paint(`${plural(report.runsOutside, "run")} on other branches or without a commit left out.`, "dim"),
    );
  }
  if (otherJudges > 0) lines.push(paint(`${plural(otherJudges, "result")} from other judges left out.`, "dim"));
  return lines.join("\n");
}

function verdictLines(report: BlameReport, paint: Paint): string[] {
  const { outcome, suspects, before, after, confidence, probabilityOfNoChange, firstBad, lastGood } = report;
  if (outcome === "no results") return ["No run of this case belongs to a commit of this branch."];
  if (outcome === "no change" && report.probably) {
    const { suspects: likely, probability } = report.probably;
    const [commit] = likely;
    const which =
      likely.length === 1 && commit
        ? commitText(commit, paint)
        : `one of ${likely.length} commits, the last of them ${commit ? commitText(likely.at(-1) ?? commit, paint) : ""}`;
    return [
      `Probably ${which}, ${percent(probability)}.`,
      `  ${share(before.passes, before.results)} passed in all; one more run of each commit would tell.`,
    ];
  }
  if (outcome === "no change") {
    const odds = `${percent(probabilityOfNoChange)} probability of no change`;
    return [`No commit changed this case: ${share(before.passes, before.results)} passed throughout (${odds}).`];
  }
  const word = outcome === "broke" ? paint("Broke", "red") : paint("Fixed", "green");
  const rates = `${share(before.passes, before.results)} → ${share(after.passes, after.results)} passed`;
  const sure = `${percent(confidence * (1 - probabilityOfNoChange))} confidence`;
  const [first] = suspects;
  const who =
    suspects.length === 1 && first
      ? [
          `${word} in ${paint(shortSha(first.sha), "yellow")} ${shortLine(first.subject ?? "", 80)}`,
          `  by ${shortLine(first.author ?? "?", 80)}, ${(first.at ?? "").slice(0, 16).replace("T", " ")}`,
        ]
      : [
          `${word} in one of ${suspects.length} commits; the commits in between were not evaluated:`,
          ...suspects
            .slice(0, 10)
            .map(
              ({ sha, subject, author }) =>
                `  ${paint(shortSha(sha), "yellow")} ${shortLine(subject ?? "", 60)} (${shortLine(author ?? "?", 80)})`,
            ),
        ];
  const cost =
    firstBad?.costUsd == null || lastGood?.costUsd == null
      ? []
      : [`  ${usd(lastGood.costUsd)} → ${usd(firstBad.costUsd)} per result`];
  const prompts = promptChange(lastGood, firstBad);
  return [
    ...who,
    `  ${rates}; ${sure}`,
    ...prompts,
    ...cost,
    ...(firstBad ? [`  first bad run ${shortLine(firstBad.runIds[0] ?? "", 80)}`] : []),
  ];
}

const commitText = ({ sha, subject, author }: AncestryCommit, paint: Paint): string =>
  `${paint(shortSha(sha), "yellow")} ${shortLine(subject ?? "", 80)} by ${shortLine(author ?? "?", 80)}`;

function promptChange(before: EvaluatedCommit | null, after: EvaluatedCommit | null): string[] {
  const [from, to] = [before?.promptShas[0], after?.promptShas[0]];
  return from && to && from !== to ? [`  prompt ${from.slice(0, 12)} → ${to.slice(0, 12)}`] : [];
}

/** The evaluated commits, oldest first; an arrow marks the one where the case changed. */
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
