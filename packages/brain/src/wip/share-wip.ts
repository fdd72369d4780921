/**
 * Work in progress that teammates' prechecks can merge with: `refs/devflow/wip/<agent>` on the remote, where the team turned it on.
 *
 * - `shareWip(place, of)` pushes what changed since the last time and fetches that of others. It asks nobody for a password.
 * - `dropWip(place, agent)` takes it off the remote again.
 */
import { type GitOptions, git } from "@devflow/git";
import { ownWork } from "../precheck/index.ts";
import { wipCommit } from "./wip-commit.ts";

type GitPlace = Pick<GitOptions, "cwd" | "env" | "signal">;

export interface SharedWip {
  /** Of the last time; undefined when nothing is on the remote. */
  readonly tree: string | undefined;
}

const network = { protocols: ["https", "ssh", "file"], credentials: "user" } as const;
const wipRefs = "refs/devflow/wip";

export async function shareWip(
  place: GitPlace,
  { agent, who, last }: { readonly agent: string; readonly who: string; readonly last: SharedWip },
): Promise<SharedWip> {
  const remote = await remoteOf(place);
  const base = remote === undefined ? null : ((await ownWork(place, undefined))?.base ?? null);
  if (remote === undefined || base === null) return last;
  const now = await wipCommit(place, { base, who });
  if (now && now.tree !== last.tree) {
    await git(["push", "--quiet", "--force", "--no-verify"], {
      ...{ ...place, ...network },
      revisions: [remote, `${now.commit}:${wipRefs}/${agent}`],
    });
  }
  // What was in progress is shared by now, or was taken back.
  if (!now && last.tree !== undefined) await dropWip(place, agent);
  await git(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--prune"], {
    ...{ ...place, ...network },
    revisions: [remote, `+${wipRefs}/*:${wipRefs}/*`],
  });
  return { tree: now?.tree };
}

export async function dropWip(place: GitPlace, agent: string): Promise<void> {
  const remote = await remoteOf(place);
  if (remote === undefined) return;
  await git(["push", "--quiet", "--no-verify"], {
    ...{ ...place, ...network },
    revisions: [remote, `:${wipRefs}/${agent}`],
    // It was never there.
    answers: [1],
  });
}

async function remoteOf(place: GitPlace): Promise<string | undefined> {
  const { stdout } = await git(["remote"], place);
  const names = stdout.split("\n").filter(Boolean);
  return names.includes("origin") ? "origin" : names[0];
}
