/**
 * `devflow eval comment`: the comparison as Markdown, with the commits that broke cases. With `--pr` it is posted to the pull
 * request, replacing the earlier comment; without `gh` it is printed.
 */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { type CompareReport, compareCommentMarker, renderCompareMarkdown } from "@devflow/evals/compare";
import type { EvalStore } from "@devflow/evals/store";
import { blameStored } from "./blame-case.ts";
import { openCommits } from "./commits.ts";
import { aboutLines, compareStored } from "./compare.ts";
import { type PostedComment, postComment } from "./post-comment.ts";
import type { evalCommentRecord } from "./store-commands.ts";
import { withStore } from "./with-store.ts";
import { plural, shortSha } from "./words.ts";

export const comment: HandlerOf<typeof evalCommentRecord> = async (input, context) => {
  const { markdown, verdict } = await withStore(context, async (store) => {
    const { report, sides } = await compareStored(store, input, context);
    if (sides.lack !== null) context.output.note(sides.lack);
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

/** The commits that broke cases, each with the number of cases it broke. */
async function culprits(store: EvalStore, report: CompareReport, context: CommandContext): Promise<string[]> {
  const commits = await openCommits(context);
  if (!commits) return [];
  const found = new Map<string, { text: string; cases: number }>();
  for (const { suite, tier, broken } of report.suites) {
    for (const { name } of broken.slice(0, 20)) {
      const { report: blamed } = await blameStored(
        suite,
        store.history({ suite, case: name, tier, limit: 5000 }),
        commits,
      );
      const [only] = blamed.suspects;
      if (blamed.outcome !== "broke" || blamed.suspects.length !== 1 || !only) continue;
      const text = `${shortSha(only.sha)} "${only.subject ?? ""}" by ${only.author ?? "?"}`;
      found.set(only.sha, { text, cases: (found.get(only.sha)?.cases ?? 0) + 1 });
    }
  }
  return [...found.values()].map(({ text, cases }) => `${plural(cases, "case")} broke in ${text}.`);
}
