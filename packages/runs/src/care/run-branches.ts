/**
 * The branches of runs, for a backup: commits that are nowhere else than in a repository on this machine.
 *
 * - `packBranches(options)` one git bundle per run, with what its branch has on top of its base.
 * - `unpackBranches(options)` puts them back where the repository is there and the branch is not. A repository that is not
 *   there keeps its bundle waiting.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Database } from "@devflow/db";
import { type GitOptions, git } from "@devflow/git";

interface BranchOptions {
  readonly database: Pick<Database, "asEngine">;
  readonly env: Environment;
  /** Where the bundles are. */
  readonly folder: string;
}

interface Branch {
  readonly id: string;
  readonly repository: string;
  readonly name: string;
  readonly base: string;
}

const bundleOf = (folder: string, { id }: Branch): string => join(folder, `${id}.bundle`);

/** The paths of the bundles. */
export async function packBranches({ database, env, folder }: BranchOptions): Promise<string[]> {
  const packed: string[] = [];
  for (const branch of await branches(database)) {
    const place = { cwd: branch.repository, env };
    if (!existsSync(branch.repository) || !(await hasCommits(branch, place))) continue;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = bundleOf(folder, branch);
    await git(["bundle", "create", "--quiet", file, `refs/heads/${branch.name}`, `^${branch.base}`], place);
    packed.push(file);
  }
  return packed;
}

export interface Unpacked {
  readonly restored: number;
  readonly waiting: readonly { readonly bundle: string; readonly repository: string; readonly branch: string }[];
}

export async function unpackBranches({ database, env, folder }: BranchOptions): Promise<Unpacked> {
  const waiting: { bundle: string; repository: string; branch: string }[] = [];
  let restored = 0;
  for (const branch of await branches(database)) {
    const bundle = bundleOf(folder, branch);
    if (!existsSync(bundle)) continue;
    const place = { cwd: branch.repository, env };
    const isRestored = existsSync(branch.repository) && (await restore(branch, bundle, place));
    if (isRestored) restored += 1;
    else waiting.push({ bundle, repository: branch.repository, branch: branch.name });
  }
  return { restored, waiting };
}

/** False when this is another repository, or one without the base commit. */
async function restore({ name }: Branch, bundle: string, place: GitOptions): Promise<boolean> {
  try {
    if (await isThere(`refs/heads/${name}`, place)) return true;
    const refs = `refs/heads/${name}:refs/heads/${name}`;
    await git(["fetch", "--quiet", "--no-tags", bundle, refs], { ...place, protocols: ["file"] });
    return true;
  } catch (error) {
    if (error instanceof DevflowError && error.code === "git_failed") return false;
    throw error;
  }
}

async function hasCommits({ name, base }: Branch, place: GitOptions): Promise<boolean> {
  if (!(await isThere(`refs/heads/${name}`, place)) || !(await isThere(base, place))) return false;
  const { stdout } = await git(["rev-list", "--count", `${base}..refs/heads/${name}`], place);
  return Number(stdout) > 0;
}

async function isThere(revision: string, place: GitOptions): Promise<boolean> {
  const { exit } = await git(["rev-parse", "--verify", "--quiet"], {
    ...place,
    revisions: [revision],
    answers: [1, 128],
  });
  return exit === 0;
}

async function branches(database: Pick<Database, "asEngine">): Promise<Branch[]> {
  const rows = await database.asEngine(
    (tx) => tx<Branch[]>`
      select id, repo_path as repository, branch as name, base_commit as base from app.runs order by created_at`,
  );
  return [...rows];
}
