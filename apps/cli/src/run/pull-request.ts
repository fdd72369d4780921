/** `devflow run pr`: from a run's branch to a pull request. */
import type { HandlerOf } from "@devflow/core/command";
import { plainLine, plainText } from "@devflow/core/plain-text";
import { PullRequestAnswer } from "@devflow/protocol";
import type { runPrRecord } from "./commands.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { untilReport } from "./until-report.ts";

/** A first push of a large repository takes its time. */
const patienceMs = 15 * 60_000;

export const pullRequest: HandlerOf<typeof runPrRecord> = async ({ run: given, ...request }, context) => {
  const client = await connectRuns(context);
  const run = await pickRun(client, given, "run pr", context);
  if (run.endedAt !== null) await untilReport(client, run, context);
  const answer = await client.post(`/api/runs/${run.id}/pr`, request, PullRequestAnswer, { timeoutMs: patienceMs });
  const { output } = context;
  output.result(answer, textOf(answer));
  if (answer.action === "pushed" && answer.forge === null) {
    const next = "devflow config set forges <host>=gitea";
    output.note(
      `${plainLine(answer.remote)} is no forge that Devflow knows. If it is one (github, gitlab, gitea): ${next}`,
    );
  }
};

function textOf({
  action,
  url,
  branch,
  remote,
  base,
  commands,
  bodyFile,
  body,
  isDraft,
  title,
}: PullRequestAnswer): string {
  const what = isDraft ? "draft pull request" : "pull request";
  switch (action) {
    case "none":
      return [
        `Nothing was pushed. A ${what} of ${branch} into ${base} at ${plainLine(remote)} would be opened with:`,
        ...commands.map((command) => `  ${plainLine(command)}`),
        "",
        `Title: ${plainLine(title)}`,
        "",
        plainText(body ?? "").trimEnd(),
      ].join("\n");
    case "pushed":
      return [
        `Pushed ${branch} to ${plainLine(remote)}.`,
        ...(commands.length > 0
          ? ["Open the pull request:", ...commands.map((command) => `  ${plainLine(command)}`)]
          : []),
        `Its text: ${bodyFile}`,
      ].join("\n");
    case "unchanged":
      return `Nothing is new since the pull request: ${plainLine(url ?? "")}`;
    case "opened":
    case "updated":
      return `${action === "opened" ? `Opened a ${what}` : "Updated the pull request"}: ${plainLine(url ?? "")}`;
  }
}
