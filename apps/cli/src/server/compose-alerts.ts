/**
 * Alerts of a team server: the team's work in the background, with the evals' own compare as its judge.
 *
 * - `composeAlerts(parts, config, webUrl)` the work. The evals are loaded when the first run has to be compared.
 */
import type { Config } from "@devflow/core/config";
import type { TeamWork, TeamWorkParts } from "@devflow/server/team";
import { createAlertWork, type EvalJudge } from "@devflow/team/alerts";

export function composeAlerts(
  parts: TeamWorkParts,
  { alertHosts }: Pick<Config, "alertHosts">,
  webUrl?: string,
): TeamWork {
  let judge: Promise<EvalJudge> | undefined;
  return createAlertWork({
    ...parts,
    allowHosts: alertHosts,
    webUrl,
    judge() {
      judge ??= import("./eval-judge.ts").then(({ evalJudge }) => evalJudge);
      return judge;
    },
  });
}
