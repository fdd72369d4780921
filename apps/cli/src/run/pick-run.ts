/**
 * Selects the run: by a full id, the beginning or end of one, or none.
 *
 * - `pickRun(client, given, command, context)` for reading: without an id the newest run of this repository, or the newest
 *   of all, and a note on stderr names it.
 * - `pickActiveRun(…)` for control: without an id the only active one, in this repository or at all; never a guess.
 * - `pickAskingRun(…, "gate" | "permission")` for decisions: likewise the only one with such an open question.
 */

import { dirname } from "node:path";
import { canonicalRemote } from "@devflow/core/canonical-remote";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import { plainLine } from "@devflow/core/plain-text";
import { git } from "@devflow/git";
import { ApprovalList, RunDetail, RunList, type RunSummary } from "@devflow/protocol";
import type { RunsClient } from "./runs-client.ts";
import { shortId, stateWord } from "./words.ts";

type Caller = Pick<CommandContext, "cwd" | "env" | "output">;

export async function pickRun(
  client: RunsClient,
  given: string | undefined,
  command: string,
  caller: Caller,
): Promise<RunDetail> {
  const id = given === undefined ? await newestRun(client, caller) : await namedRun(client, given, command);
  return await detail(client, id);
}

export async function pickActiveRun(
  client: RunsClient,
  given: string | undefined,
  command: string,
  caller: Caller,
): Promise<RunDetail> {
  if (given !== undefined) return await detail(client, await namedRun(client, given, command));
  const { runs } = await client.get("/api/runs?state=active&limit=200", RunList);
  if (runs.length > 0) return await detail(client, await onlyOf(runs, "Several runs are active.", command, caller));
  const latest = (await client.get("/api/runs?limit=5", RunList)).runs;
  throw latest.length > 0 ? several(latest, "No run is active.", command) : noRun();
}

export async function pickAskingRun(
  client: RunsClient,
  given: string | undefined,
  command: string,
  caller: Caller,
  question: "gate" | "permission" = "gate",
): Promise<RunDetail> {
  if (given !== undefined) return await detail(client, await namedRun(client, given, command));
  const { approvals, permissions } = await client.get("/api/approvals?state=pending", ApprovalList);
  const ids = [...new Set((question === "gate" ? approvals : permissions).map((one) => one.runId))];
  const [only] = ids;
  if (only === undefined) {
    const what = question === "gate" ? "An open gate" : "An agent that asks for permission";
    throw new DevflowError("not_found", { details: { what, next: "See: devflow run list" } });
  }
  if (ids.length === 1) return await detail(client, only);
  const { runs } = await client.get("/api/runs?state=active&lanes=true&limit=200", RunList);
  const asking = runs.filter((run) => ids.includes(run.id));
  return await detail(client, await onlyOf(asking, "Several runs have open questions.", command, caller));
}

const detail = (client: RunsClient, id: string) => client.get(`/api/runs/${id}`, RunDetail);

async function namedRun(client: RunsClient, given: string, command: string): Promise<string> {
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

async function newestRun(client: RunsClient, caller: Caller): Promise<string> {
  const here = await repositoryHere(caller);
  const newest = async (filter: string) => (await client.get(`/api/runs?limit=1${filter}`, RunList)).runs[0];
  const [ofHere] = (await Promise.all(here.map((name) => newest(`&repo=${encodeURIComponent(name)}`))))
    .filter((one) => one !== undefined)
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  const found = ofHere ?? (await newest(""));
  if (!found) throw noRun();
  say(found, ofHere ? "the newest of this repository" : `the newest, of ${found.repository}`, caller);
  return found.id;
}

/** The only one; if several match, the only one of this repository. */
async function onlyOf(runs: readonly RunSummary[], problem: string, command: string, caller: Caller): Promise<string> {
  const [only] = runs;
  if (only && runs.length === 1) return only.id;
  const here = await repositoryHere(caller);
  const ofHere = runs.filter(({ repository, remote }) => here.includes(remote === null ? repository : keyOf(remote)));
  const [mine] = ofHere;
  if (!mine || ofHere.length > 1) throw several(ofHere.length > 1 ? ofHere : runs, problem, command);
  say(mine, "the only one of this repository", caller);
  return mine.id;
}

function say(run: RunSummary, which: string, { output }: Caller): void {
  output.note(`Run ${shortId(run.id)} (${stateWord(run)}), ${which}: ${plainLine(run.title)}`);
}

/**
 * The repository of this folder under the names that runs use: its main worktree, even from a run's worktree, and for runs on other
 * machines its remote.
 */
async function repositoryHere({ cwd, env }: Caller): Promise<readonly string[]> {
  try {
    const words = ["rev-parse", "--path-format=absolute", "--git-common-dir"] as const;
    const common = (await git([...words], { cwd, env })).stdout.replace(/\n$/, "");
    const { stdout } = await git(["config", "--get", "remote.origin.url"], { cwd, env, answers: [1] });
    const remote = stdout.trim();
    return [...(common.endsWith("/.git") ? [dirname(common)] : []), ...(remote === "" ? [] : [keyOf(remote)])];
  } catch {
    // No repository here, or no git: then no run is preferred.
    return [];
  }
}

const keyOf = (remote: string): string => canonicalRemote(remote) ?? remote;

const noRun = (): DevflowError =>
  new DevflowError("not_found", {
    details: { what: "A run", next: 'Start one: devflow run start "what to do"' },
  });

function several(runs: readonly RunSummary[], problem: string, command: string): DevflowError {
  const listed = runs
    .slice(0, 10)
    .map((run) => `  devflow ${command} ${shortId(run.id)}   ${stateWord(run)}, ${plainLine(run.title)}`);
  return new DevflowError("usage", { details: { problem, next: `Name one:\n${listed.join("\n")}` } });
}
