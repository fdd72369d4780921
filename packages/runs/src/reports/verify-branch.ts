/**
 * Whether a run's branch is what its log says: it ends at the last commit that the log knows, and each of Devflow's commits
 * names the head of the event chain before it.
 *
 * - `checkBranch(context, run, events)` one check. A branch that was deleted is not a fault.
 */
import { git } from "@devflow/git";
import { z } from "zod";
import type { EngineContext } from "../engine/context.ts";
import { diffBase, type RunRow } from "../engine/rows.ts";
import { chainTrailer } from "../engine/steps/commit-work.ts";
import type { ChainedEvent } from "../events/chain.ts";
import type { VerifyCheck } from "./verify-run.ts";

type BranchOf = Pick<RunRow, "repo_path" | "branch" | "base_commit" | "lane_base">;

export async function checkBranch(
  { env }: Pick<EngineContext, "env">,
  { repo_path: cwd, branch, ...run }: BranchOf,
  events: readonly ChainedEvent[],
): Promise<VerifyCheck> {
  const result = (ok: boolean, detail: string): VerifyCheck => ({ name: "branch", ok, detail });
  const place = { cwd, env };
  const recorded = events.flatMap(commitIn);
  const last = recorded.at(-1)?.commit ?? diffBase(run);
  const reference = { ...place, revisions: [`refs/heads/${branch}`], answers: [1, 128] };
  const tip = (await git(["rev-parse", "--verify", "--quiet"], reference)).stdout.trim();
  if (tip === "") return result(true, `${branch} was deleted; it ended at ${short(last)}`);
  if (tip !== last) {
    const count = await git(["rev-list", "--count"], { ...place, revisions: [`${last}..${tip}`], answers: [128] });
    const more = count.stdout.trim();
    const problem = more === "" || more === "0" ? "does not contain it" : `has ${more} more, up to ${short(tip)}`;
    return result(false, `the log ends at ${short(last)}, but ${branch} ${problem}`);
  }
  const ofOrigin = recorded.find((one) => one.isOfOrigin)?.commit;
  for (const { commit, seq } of recorded) {
    if (commit === ofOrigin) continue;
    const fault = await trailerFault(commit, seq, events, place);
    if (fault) return result(false, `commit ${short(commit)} ${fault}`);
  }
  return result(true, `ends at ${short(last)}, as recorded`);
}

const short = (commit: string): string => commit.slice(0, 10);

interface RecordedCommit {
  readonly commit: string;
  readonly seq: number;
  /** Made by the run that this one was forked from: its trailer names an event of that run. */
  readonly isOfOrigin?: boolean;
}

const WithCommit = z.object({ commit: z.string() });
const WithShown = z.object({ shown: WithCommit });

/** The commits that the log knows: those that Devflow recorded, those that a gate showed, and the first one of a fork. */
function commitIn({ type, payload, seq }: ChainedEvent): RecordedCommit[] {
  const forked = type === "run.forked" ? WithCommit.safeParse(payload).data : undefined;
  if (forked) return [{ ...forked, seq, isOfOrigin: true }];
  if (type === "commit.created" || type === "merge.completed") return [{ ...WithCommit.parse(payload), seq }];
  const shown = type === "approval.requested" ? WithShown.safeParse(payload).data?.shown : undefined;
  return shown ? [{ commit: shown.commit, seq }] : [];
}

/** Commits of agents have no trailers; in Devflow's own the chain's head must be one of an earlier event. */
async function trailerFault(
  commit: string,
  seq: number,
  events: readonly ChainedEvent[],
  place: { readonly cwd: string; readonly env: EngineContext["env"] },
): Promise<string | undefined> {
  const format = `--format=%(trailers:key=${chainTrailer},valueonly,separator=%x00)`;
  const { stdout } = await git(["log", "--max-count=1", format], { ...place, revisions: [commit] });
  const head = stdout.trim();
  if (head === "") return undefined;
  const named = events.find((event) => event.hash === head);
  return named && named.seq < seq
    ? undefined
    : `names ${short(head)} as the head of the log, which has no such event before it`;
}
