/**
 * The branches that this work may meet: teammates' as of the last fetch, those of other worktrees of this machine, and work in progress
 * that the team shares.
 *
 * - `otherHeads(place, own)` newest first; each commit once. Left out: what is merged here, this branch itself and its copy on the remote,
 *   and what nobody touched for 60 days.
 */
import { git } from "@devflow/git";
import { commitOf, type GitPlace, type OwnWork } from "./own-work.ts";

export interface OtherHead {
  /** As people say it: `origin/ada/cart`. */
  readonly name: string;
  /** The branch without the remote, as intents name it. */
  readonly branch: string;
  readonly commit: string;
  /** Whose work in progress it is. */
  readonly agent?: string;
  /** The author of its last commit. */
  readonly author: string;
  readonly isTarget: boolean;
}

const maxAgeMs = 60 * 24 * 3_600_000;
const maxHeads = 60;

export async function otherHeads(
  place: GitPlace,
  own: OwnWork,
  { nowMs, ownAgents }: { readonly nowMs: number; readonly ownAgents: ReadonlySet<string> },
): Promise<{ heads: readonly OtherHead[]; left: number }> {
  const format = ["refname", "objectname", "committerdate:unix", "authorname", "worktreepath", "symref"];
  const { stdout } = await git(
    [
      "for-each-ref",
      `--format=${format.map((name) => `%(${name})`).join("%00")}`,
      "--sort=-committerdate",
      `--no-merged=${own.head}`,
      ...["refs/remotes", "refs/heads", "refs/devflow/wip"],
    ],
    place,
  );
  const remotes = await remoteNames(place);
  const target = own.against === null ? undefined : await commitOf(place, own.against);
  const seen = new Set<string>();
  const heads: OtherHead[] = [];
  for (const line of stdout.split("\n")) {
    const [ref = "", commit = "", seconds = "0", author = "", worktree = "", symbolic = ""] = line.split("\0");
    if (commit === "" || symbolic !== "" || seen.has(commit)) continue;
    const found = nameOf(ref, remotes);
    if (found.agent !== undefined && ownAgents.has(found.agent)) continue;
    const isTarget = commit === target;
    if (!isTarget && nowMs - Number(seconds) * 1000 > maxAgeMs) continue;
    if (found.isLocal && (worktree === "" || found.branch === own.branch)) continue;
    if (!isTarget && !found.isLocal && own.branch !== null && found.branch === own.branch) continue;
    seen.add(commit);
    const { name, branch, agent } = found;
    heads.push({ name, branch, commit, author, isTarget, ...(agent === undefined ? {} : { agent }) });
  }
  const sorted = heads.sort((a, b) => Number(b.isTarget) - Number(a.isTarget));
  return { heads: sorted.slice(0, maxHeads), left: Math.max(0, sorted.length - maxHeads) };
}

async function remoteNames(place: GitPlace): Promise<string[]> {
  const { stdout } = await git(["config", "--name-only", "--get-regexp", "^remote\\..*\\.url$"], {
    ...place,
    answers: [1],
  });
  const names = stdout.split("\n").flatMap((line) => /^remote\.(.+)\.url$/.exec(line)?.[1] ?? []);
  // A remote may have a slash in its name; the longest that fits is meant.
  return names.sort((a, b) => b.length - a.length);
}

interface Named {
  readonly name: string;
  readonly branch: string;
  readonly isLocal: boolean;
  readonly agent?: string;
}

function nameOf(ref: string, remotes: readonly string[]): Named {
  const agent = /^refs\/devflow\/wip\/(.+)$/.exec(ref)?.[1];
  // As git resolves it.
  if (agent !== undefined) return { name: ref.slice("refs/".length), branch: ref, isLocal: false, agent };
  const name = ref.replace(/^refs\/(?:remotes|heads)\//, "");
  if (!ref.startsWith("refs/remotes/")) return { name, branch: name, isLocal: true };
  const remote = remotes.find((one) => name.startsWith(`${one}/`));
  return { name, branch: remote === undefined ? name : name.slice(remote.length + 1), isLocal: false };
}
