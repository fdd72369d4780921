/**
 * What this machine has stored about a repository from before it belonged to the team.
 *
 * - `storedHere(context, place)` the eval runs of its commits, and its ships.
 * - `bringIn(context, place, stored)` queues them for the team. What the team has already counts once.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { git, repositoryRoot } from "@devflow/git";
import { readShips, type Ship } from "@devflow/team/ship";
import { allLines, withStore } from "../eval/with-store.ts";
import { teamEvals } from "../team/team-evals.ts";
import type { TeamPlace } from "./place.ts";
import { pushed } from "./push-records.ts";

export interface StoredHere {
  /** `suite/id`, newest first. */
  readonly evalRuns: readonly string[];
  readonly ships: readonly Ship[];
}

export async function storedHere(context: CommandContext, { repo }: TeamPlace): Promise<StoredHere> {
  const { home } = context.config();
  const ships = repo === null ? [] : await readShips(home, repo);
  const root = await repositoryRoot(context);
  if (root === undefined || !existsSync(join(home, "evals"))) return { evalRuns: [], ships };
  return await withStore(context, async (store) => {
    const lines = allLines(store);
    const known = await commitsIn(context, [...new Set(lines.flatMap(({ gitSha }) => gitSha ?? []))]);
    const own = lines.filter(({ gitSha }) => gitSha !== null && known.has(gitSha));
    return { evalRuns: own.map(({ suite, runId }) => `${suite}/${runId}`), ships };
  });
}

export async function bringIn(
  context: CommandContext,
  place: TeamPlace,
  { evalRuns, ships }: StoredHere,
): Promise<void> {
  const home = homeAt(context.config().home);
  if (evalRuns.length > 0) {
    const { sink } = await teamEvals(place, context);
    // Oldest first, so that alerts see them as they happened.
    await withStore(context, async (store) => {
      for (const ref of evalRuns.toReversed()) await store.feed(ref, sink);
    });
  }
  const drafts = ships.map(({ id, ...payload }) => ({ id, kind: "ship_log" as const, payload }));
  await pushed(home, place, drafts.toReversed(), context);
}

/** The eval store is the person's, for all repositories; a run belongs to this one if its commit does. */
async function commitsIn({ cwd, env, signal }: CommandContext, shas: readonly string[]): Promise<ReadonlySet<string>> {
  const asked = shas.filter((sha) => /^[0-9a-f]{7,64}$/.test(sha));
  if (asked.length === 0) return new Set();
  const { stdout } = await git(["cat-file", "--batch-check=%(objecttype)"], {
    cwd,
    env,
    signal,
    input: `${asked.join("\n")}\n`,
  });
  const types = stdout.split("\n");
  return new Set(asked.filter((_, at) => types[at] === "commit"));
}
