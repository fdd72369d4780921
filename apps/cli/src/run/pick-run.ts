/**
 * Which run is meant: a whole id, the beginning or the end of one, or none where only one can be meant. Otherwise the
 * answer is the list to choose from.
 */
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import { ApprovalList, RunDetail, RunList, type RunSummary } from "@devflow/protocol";
import { plainLine } from "./plain-text.ts";
import type { RunsClient } from "./runs-client.ts";
import { shortId, stateWord } from "./words.ts";

export async function pickRun(client: RunsClient, given: string | undefined, command: string): Promise<RunDetail> {
  return await client.get(`/api/runs/${await pickRunId(client, given, command)}`, RunDetail);
}

async function pickRunId(client: RunsClient, given: string | undefined, command: string): Promise<string> {
  if (given === undefined) return await onlyActive(client, command);
  const wanted = given.toLowerCase();
  if (isUuid(wanted)) return wanted;
  const unknown = new DevflowError("not_found", { details: { what: `Run "${given}"`, next: "devflow run list" } });
  if (!/^[0-9a-f-]+$/.test(wanted)) throw unknown;
  const { runs } = await client.get(`/api/runs?match=${encodeURIComponent(wanted)}&limit=10`, RunList);
  const [only] = runs;
  if (!only) throw unknown;
  if (runs.length > 1) throw several(runs, `${runs.length} runs have "${given}" in their id.`, command);
  return only.id;
}

async function onlyActive(client: RunsClient, command: string): Promise<string> {
  const { runs } = await client.get("/api/runs?state=active&limit=10", RunList);
  const [only] = runs;
  if (only && runs.length === 1) return only.id;
  if (runs.length > 1) throw several(runs, "Several runs are active.", command);
  const latest = (await client.get("/api/runs?limit=5", RunList)).runs;
  if (latest.length > 0) throw several(latest, "No run is active.", command);
  throw new DevflowError("not_found", {
    details: { what: "A run", next: 'Start one: devflow run start "what is to be done"' },
  });
}

/** The run whose gate is meant: the only one that asks something, unless one was named. */
export async function pickAskingRun(client: RunsClient, given: string | undefined, command: string) {
  if (given !== undefined) return await pickRun(client, given, command);
  const { approvals } = await client.get("/api/approvals?state=pending", ApprovalList);
  const ids = [...new Set(approvals.map((one) => one.runId))];
  const [only] = ids;
  if (only === undefined) {
    throw new DevflowError("not_found", { details: { what: "An open gate", next: "See: devflow run list" } });
  }
  if (ids.length === 1) return await pickRun(client, only, command);
  const { runs } = await client.get("/api/runs?state=active&limit=50", RunList);
  throw several(
    runs.filter((run) => ids.includes(run.id)),
    "Several runs ask something.",
    command,
  );
}

function several(runs: readonly RunSummary[], problem: string, command: string): DevflowError {
  const listed = runs.map(
    (run) => `  devflow ${command} ${shortId(run.id)}   ${stateWord(run)}, ${plainLine(run.title)}`,
  );
  return new DevflowError("usage", { details: { problem, next: `Name one:\n${listed.join("\n")}` } });
}
