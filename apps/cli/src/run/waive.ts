/** `devflow run waive`: lets a finding stand, with a reason that the report keeps. */

import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainLine } from "@devflow/core/plain-text";
import { FindingView, type RunDetail } from "@devflow/protocol";
import type { runWaiveRecord } from "./commands.ts";
import { pickActiveRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { isOpenFinding, shortId } from "./words.ts";

export const waive: HandlerOf<typeof runWaiveRecord> = async ({ run: given, finding: wanted, message }, context) => {
  const client = await connectRuns(context);
  const run = await pickActiveRun(client, given, "run waive", context);
  const id = shortId(run.id);
  const finding = findingOf(run, wanted);
  if (!message?.trim()) {
    const next = `Add the reason: devflow run waive ${id} ${wanted} -m "…"`;
    throw new DevflowError("usage", { details: { problem: "Why may the finding stand?", next } });
  }
  const path = `/api/runs/${run.id}/findings/${finding.id}/waiver`;
  const waived = await client.post(path, { reason: message }, FindingView);
  const left = run.findings.filter((one) => isOpenFinding(one) && one.id !== finding.id).length;
  const next = run.pendingRecoveries > 0 ? `devflow run retry ${id}` : `devflow run show ${id}`;
  context.output.result(
    waived,
    `Waived: ${plainLine(finding.summary)}\n${left === 0 ? "No open finding is left." : `${left} open ${left === 1 ? "finding is" : "findings are"} left.`}\nNext: ${next}`,
  );
};

/** By its number in `run show`, or its id. */
function findingOf(run: RunDetail, wanted: string): FindingView {
  const found = run.findings.find((one, at) => one.id === wanted || String(at + 1) === wanted);
  if (found) return found;
  const id = shortId(run.id);
  const next = run.findings.length > 0 ? `List the findings: devflow run show ${id}` : `See: devflow run show ${id}`;
  throw new DevflowError("not_found", { details: { what: `Finding ${wanted} of run ${id}`, next } });
}
