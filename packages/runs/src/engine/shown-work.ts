/**
 * What a gate shows, so that its verdict can be bound to it: the commit, the tree of all files, and the hash of the diff.
 *
 * - `shownWork(context, run)` the run's work now.
 * - `shownAtGate(context, snapshot, phase)` the same when the phase may open a gate for a person; otherwise undefined.
 * - `isSameWork(a, b)`; `whatCameOnTop(context, run, before, after)` commits and files, for the person who decides;
 *   `describeAdded(added)` in a line.
 */
import { hashBytes } from "@devflow/core/hash";
import { type Added, addedSince, diffAgainst, worktreeContent } from "@devflow/harness";
import { z } from "zod";
import type { EngineContext } from "./context.ts";
import { lentFiles } from "./lent-files.ts";
import { gatesOf } from "./next-step.ts";
import { diffBase, type PhaseRow, type RunRow } from "./rows.ts";
import type { Snapshot } from "./snapshot.ts";

export const ShownWork = z.object({ commit: z.string(), tree: z.string(), diffHash: z.string() });
export type ShownWork = z.infer<typeof ShownWork>;

type WorkContext = Pick<EngineContext, "env">;

export async function shownWork({ env }: WorkContext, run: RunRow): Promise<ShownWork> {
  const place = await placeOf({ env }, run);
  const [content, { diff }] = [
    await worktreeContent(place),
    await diffAgainst({ ...place, baseCommit: diffBase(run) }),
  ];
  return { ...content, diffHash: hashBytes(Buffer.from(diff)) };
}

export async function shownAtGate(
  context: WorkContext,
  snapshot: Snapshot,
  phase: PhaseRow,
): Promise<ShownWork | undefined> {
  // A verification may add a gate when its verdicts are recorded.
  const mayAsk = phase.kind === "verify" || gatesOf(snapshot, phase).some((gate) => !gate.startsWith("auto:"));
  return mayAsk ? await shownWork(context, snapshot.run) : undefined;
}

/** A commit of the same files is another work too: the run's branch would end there. */
export const isSameWork = (a: ShownWork, b: ShownWork): boolean => a.commit === b.commit && a.tree === b.tree;

export async function whatCameOnTop(
  context: WorkContext,
  run: RunRow,
  before: ShownWork,
  after: ShownWork,
): Promise<Added> {
  return await addedSince(await placeOf(context, run), before, after);
}

export function describeAdded(added: Added | undefined): string {
  if (!added) return "it was asked again";
  const names = added.files.slice(0, 3).map(({ path, change }) => `${path} (${change})`);
  const more = added.files.length > 3 ? ` and ${added.files.length - 3} more` : "";
  return added.files.length === 0 ? `${added.commits.length} commits were added` : `${names.join(", ")}${more}`;
}

async function placeOf({ env }: WorkContext, run: RunRow) {
  const withheld = await lentFiles({ repository: run.repo_path, baseCommit: run.base_commit }, { env });
  return { worktree: run.worktree_root, withheld, env };
}
