/**
 * A QA report goes to the team, where there is one.
 *
 * - `shareReport(report, context)` the line that says what became of it; undefined without a team. A report that cannot be queued is
 *   still written, so this never fails the command.
 */
import type { QaReport } from "@devflow/browse/evidence";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { recordsOfFile } from "@devflow/team/records";
import { findPlace } from "../sync/place.ts";
import { pushed, syncLine } from "../sync/push-records.ts";

export async function shareReport(report: QaReport, context: CommandContext): Promise<string | undefined> {
  const place = await findPlace(context);
  if (!place || report.url === null) return undefined;
  const payload = {
    url: report.url.slice(0, 2000),
    mode: report.evidence ? "evidence" : "findings",
    health_score: report.score,
    category_scores: report.scores,
    issues: report.findings
      .filter(({ fixed }) => !fixed)
      .slice(0, 500)
      .map(({ title, severity, category }) => ({ title, severity, category })),
    report: report.id,
    commit: report.commit,
    branch: report.branch,
  };
  try {
    const about = { file: "The report", team: place.to.team, repo: place.repo };
    const { drafts } = recordsOfFile("qa", JSON.stringify(payload), about);
    const { isSent } = await pushed(homeAt(context.config().home), place, drafts, context);
    return syncLine({ isSent, syncEnabled: context.config().syncEnabled });
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    return `Not queued for ${place.team.name}: ${error.message}`;
  }
}
