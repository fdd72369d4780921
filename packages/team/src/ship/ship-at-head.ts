/**
 * What HEAD ships: the commits since the ship before it, how long they took to get here, and what they repair.
 *
 * - `shipAtHead(place, options)` a ship of the version that is given, or that a tag at HEAD, `VERSION` or `package.json` states.
 *
 * The ship before is the newest known one that HEAD contains, else the newest version tag below HEAD. A ship repairs an earlier one if
 * it reverts a commit of it, or if its branch is a hotfix; anything else has to be said.
 */
import { DevflowError } from "@devflow/core/errors";
import { uuidv5 } from "@devflow/core/ids";
import { currentBranch, type GitOptions, git } from "@devflow/git";
import { versionAt, versionTags } from "../retro/index.ts";
import type { Ship } from "./ship-files.ts";

type Place = Pick<GitOptions, "cwd" | "env" | "signal">;
/** A ship of this machine or of a teammate. */
export type KnownShip = Pick<Ship, "version" | "sha" | "at">;

export interface ShipOptions {
  readonly version?: string | undefined;
  readonly prUrl?: string | undefined;
  readonly fixes: readonly string[];
  /** The commit that was shipped before, if not the one that is found. */
  readonly since?: string | undefined;
  readonly known: readonly KnownShip[];
  readonly repo: string;
  readonly nowMs: number;
}

const namespace = "5f2d3f5c-6d5e-5b0a-9a55-7c1c7d0b8a44";
/** Further back, nobody ships. */
const mostCommits = 10_000;
const mostKnown = 50;

export async function shipAtHead(
  place: Place,
  options: ShipOptions,
): Promise<Ship & { readonly since: string | null }> {
  const sha = await resolveCommit(place, "HEAD");
  if (sha === undefined) {
    throw new DevflowError("input_invalid", {
      details: { problem: "This repository has no commit yet, so there is nothing to ship.", next: "Commit first." },
    });
  }
  const version = options.version ?? (await statedVersion(place, sha)) ?? sha.slice(0, 12);
  const branch = (await currentBranch(place)) ?? "HEAD";
  const known = options.known.filter((one) => one.sha !== sha).slice(0, mostKnown);
  const since = await startOf(place, options, known, sha);
  const commits = since === null ? [] : await commitsBetween(place, since, sha);
  const fixes = new Set(options.fixes);
  for (const reverted of commits.flatMap((one) => one.reverts)) {
    const first = await firstShipWith(place, reverted, known);
    if (first !== undefined) fixes.add(first);
  }
  if (/^(?:hotfix|revert)[/-]/.test(branch) && fixes.size === 0 && known[0]) fixes.add(known[0].version);
  fixes.delete(version);
  return {
    id: uuidv5(namespace, `${options.repo}\n${version}\n${sha}`),
    version,
    branch,
    sha,
    at: new Date(options.nowMs).toISOString(),
    pr_url: options.prUrl ?? null,
    commits: commits.length,
    lead_seconds: median(commits.map(({ atMs }) => Math.max(0, Math.round((options.nowMs - atMs) / 1000)))),
    fixes: [...fixes].slice(0, 20),
    since,
  };
}

async function startOf(
  place: Place,
  { since }: ShipOptions,
  known: readonly KnownShip[],
  head: string,
): Promise<string | null> {
  if (since !== undefined) {
    const given = await resolveCommit(place, since);
    if (given !== undefined) return given;
    throw new DevflowError("not_found", { details: { what: `The commit "${since}"`, next: "List commits: git log" } });
  }
  for (const one of known) if (await contains(place, head, one.sha)) return one.sha;
  return (await versionTags(place)).find((tag) => tag.sha !== head)?.sha ?? null;
}

async function statedVersion(place: Place, head: string): Promise<string | undefined> {
  return (await versionTags(place)).find(({ sha }) => sha === head)?.name ?? (await versionAt(place, head));
}

async function commitsBetween(place: Place, since: string, head: string) {
  const shape = "--format=%at%x00%B%x00";
  const { stdout } = await git(["log", "--no-merges", `--max-count=${mostCommits}`, "--no-notes", shape], {
    ...place,
    revisions: [`${since}..${head}`],
    maxOutput: 256 * 1024 * 1024,
  });
  const parts = stdout.split("\0");
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, n) => ({
    atMs: Number(parts[2 * n]) * 1000,
    reverts: [...(parts[2 * n + 1] ?? "").matchAll(/^This reverts commit ([0-9a-f]{7,64})\b/gim)].map(
      ([, sha = ""]) => sha,
    ),
  }));
}

/** The oldest ship that contains the commit: the one that brought it. */
async function firstShipWith(place: Place, commit: string, known: readonly KnownShip[]): Promise<string | undefined> {
  let found: string | undefined;
  for (const one of known) {
    if (!(await contains(place, one.sha, commit))) break;
    found = one.version;
  }
  return found;
}

/** A commit that this clone does not have is contained in nothing. */
async function contains(place: Place, later: string, earlier: string): Promise<boolean> {
  if (!/^[0-9a-f]{7,64}$/.test(earlier) || !/^[0-9a-f]{7,64}$/.test(later)) return false;
  const { exit } = await git(["merge-base", "--is-ancestor", earlier, later], { ...place, answers: [1, 128] });
  return exit === 0;
}

async function resolveCommit(place: Place, revision: string): Promise<string | undefined> {
  const { stdout } = await git(["rev-list", "--max-count=1"], { ...place, revisions: [revision], answers: [128] });
  return stdout.trim() || undefined;
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[middle - 1] ?? 0) + upper) / 2);
}
