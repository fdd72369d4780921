/** Collects what the text of a run's pull request is made of: the rows of its report, the agents' summary, the branch. */
import { z } from "zod";
import type { EngineContext } from "../engine/context.ts";
import { composeReport, type FinalReport } from "../reports/compose-report.ts";
import { checkBranch } from "../reports/verify-branch.ts";
import { readRun } from "../reports/verify-run.ts";
import type { VisibleRun } from "../views/index.ts";
import { renderPullRequest } from "./render-pull-request.ts";

export async function pullRequestText(
  context: EngineContext,
  { id }: VisibleRun,
): Promise<{ readonly title: string; readonly body: string }> {
  const report = await composeReport(context, id);
  const { run, events } = await readRun(context, id);
  const { ok, detail } = await checkBranch(context, run, events);
  const { summary, issueUrl } = await writtenBy(context, id);
  const body = renderPullRequest(report, { summary, branch: { ok, detail }, head: signedHead(report), issueUrl });
  return { title: report.title, body };
}

/** Later events, such as that of the pull request itself, do not change what was signed. */
function signedHead({ events, chain }: FinalReport): string {
  const written = events.tail.findLast((one) => one.type === "report.written");
  return z.object({ head: z.string() }).safeParse(written?.payload).data?.head ?? chain.head;
}

const Summary = z.object({ summary: z.string() });
const IssueOf = z.object({ issue: z.object({ url: z.url({ protocol: /^https?$/ }) }) });

async function writtenBy({ database }: EngineContext, runId: string) {
  const [row] = await database.asEngine(
    (tx) => tx<{ change: string | null; extra: unknown }[]>`
      select i.extra, (select a.content from app.artifacts a
          where a.run_id = i.run_id and a.valid and a.schema_id = 'dev/change-report@1'
          order by a.created_at desc, a.id desc limit 1) as change
      from app.run_inputs i where i.run_id = ${runId}`,
  );
  return {
    summary: Summary.safeParse(JSON.parse(row?.change ?? "null")).data?.summary,
    issueUrl: IssueOf.safeParse(row?.extra).data?.issue.url,
  };
}
