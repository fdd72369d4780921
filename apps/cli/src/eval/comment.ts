/**
 * `devflow eval comment`: the comparison as Markdown, with the commits that broke cases. With `--pr` it is posted to the pull
 * request, replacing the earlier comment; without `gh` it is printed.
 */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import {
  type AncestryCommit,
  type BlameReport,
  blameTogether,
  type CompareReport,
  compareCommentMarker,
  renderCompareMarkdown,
} from "@devflow/evals/compare";
import type { EvalStore } from "@devflow/evals/store";
import { blameStored } from "./blame-case.ts";
import { openCommits } from "./commits.ts";
import { aboutLines, compareStored } from "./compare.ts";
import { type PostedComment, postComment } from "./post-comment.ts";
import type { evalCommentRecord } from "./store-commands.ts";
import { withStore } from "./with-store.ts";
import { percent, plural, shortSha } from "./words.ts";

export const comment: HandlerOf<typeof evalCommentRecord> = async (input, context) => {
  const { markdown, verdict } = await withStore(context, async (store) => {
    const { report, sides } = await compareStored(store, input, context);
    for (const text of [sides.missing, sides.lack]) if (text !== null) context.output.note(shortLine(text, 600));
    const notes = await culprits(store, report, context);
    const about = aboutLines(sides);
    return { markdown: renderCompareMarkdown(report, { diff: input.wordDiff, about, notes }), verdict: report.verdict };
  });
  const marker = markerOf(input.name);
  const body = markdown.replace(compareCommentMarker, marker);
  const posted = input.pr ? await post(body, marker, input.number, context) : null;
  context.output.result({ verdict, markdown: body, posted }, posted ? postedText(posted) : body);
};

/** The name lets two jobs keep one comment each on the same pull request. */
function markerOf(name: string | undefined): string {
  if (name === undefined) return compareCommentMarker;
  if (/^[\w.-]{1,60}$/.test(name)) return compareCommentMarker.replace(" -->", ` ${name} -->`);
  const problem = `"${name}" is not a valid name for a comment.`;
  throw new DevflowError("usage", {
    details: { problem, next: "Use letters, digits, dots, dashes and underscores: --name nightly" },
  });
}

const postedText = ({ action, url, number }: PostedComment): string =>
  `${action === "created" ? "Commented on" : "Replaced the comment on"} pull request ${number}${url ? `: ${url}` : ""}`;

async function post(body: string, marker: string, number: number | undefined, context: CommandContext) {
  const posted = await postComment({ body, marker, number, context });
  if (posted) return posted;
  context.output.note(
    "gh is not installed, so the comment was only printed. Post it yourself, or install gh: https://cli.github.com",
  );
  return null;
}

/** More broken cases than these say nothing more about who broke them. */
const mostBlamed = 60;

/** The commits that broke cases, each with the number of cases it broke; cases that prove too little alone are taken together. */
async function culprits(store: EvalStore, report: CompareReport, context: CommandContext): Promise<string[]> {
  const commits = await openCommits(context);
  if (!commits) return [];
  const line = await commits.line();
  const found = new Map<string, { readonly text: string; cases: number }>();
  const unclear: BlameReport[] = [];
  for (const { suite, tier, broken } of report.suites) {
    for (const { name, renamedTo } of broken.slice(0, mostBlamed)) {
      const query = { suite, case: renamedTo ?? name, tier, limit: 5000, withRenames: true };
      const { report: blamed } = await blameStored(suite, store.history(query), commits);
      const [only] = blamed.suspects;
      if (blamed.outcome !== "broke" || blamed.suspects.length !== 1 || !only) unclear.push(blamed);
      else found.set(only.sha, { text: commitText(only), cases: (found.get(only.sha)?.cases ?? 0) + 1 });
    }
  }
  return [
    ...[...found.values()].map(({ text, cases }) => `${plural(cases, "case")} broke in ${text}.`),
    ...togetherText(unclear, line),
  ];
}

const commitText = ({ sha, subject, author }: AncestryCommit): string =>
  `${shortSha(sha)} "${subject ?? ""}" by ${author ?? "?"}`;

function togetherText(unclear: readonly BlameReport[], line: readonly AncestryCommit[]): string[] {
  if (unclear.length === 0) return [];
  const pooled = blameTogether(unclear, line);
  const isNamed = pooled.outcome === "broke";
  const { suspects, probability } = isNamed
    ? { suspects: pooled.suspects, probability: pooled.confidence * (1 - pooled.probabilityOfNoChange) }
    : (pooled.probably ?? { suspects: [], probability: 0 });
  const [only] = suspects;
  if (!only) return [];
  const where =
    suspects.length === 1
      ? commitText(only)
      : `one of ${suspects.length} commits up to ${commitText(suspects.at(-1) ?? only)}`;
  return [`${plural(unclear.length, "case")} broke, probably in ${where} (${percent(probability)}).`];
}
