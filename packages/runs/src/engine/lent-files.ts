/**
 * Files that a repository lends to its runs: `copy` in the `.devflow.json` of the base commit. Commands may use them; no
 * commit, diff or log may show them.
 *
 * - `lentFiles(run, options)` their paths inside the worktree; none if the settings cannot be read, because then nothing
 *   was copied either.
 * - `usableSettings(run, options)` the same with the variables that the repository asks for and its test commands.
 * - `lentSecrets(run, files)` their values, as in the repository and as in the worktree now.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { type RepositorySettings, readRepositorySettings, secretValues } from "@devflow/harness";
import type { RunRow } from "./rows.ts";

export type UsableSettings = Pick<RepositorySettings, "copy" | "environment" | "test">;

interface Lender {
  readonly repository: string;
  readonly baseCommit: string;
}

export async function lentFiles(
  { repository, baseCommit: commit }: Lender,
  options: { readonly env: Environment; readonly signal?: AbortSignal },
): Promise<readonly string[]> {
  return (await settingsOrNone({ repository, commit, ...options })).copy;
}

export async function usableSettings(
  { repo_path: repository, base_commit: commit }: Pick<RunRow, "repo_path" | "base_commit">,
  options: { readonly env: Environment; readonly signal?: AbortSignal },
): Promise<UsableSettings> {
  return await settingsOrNone({ repository, commit, ...options });
}

async function settingsOrNone(options: Parameters<typeof readRepositorySettings>[0]): Promise<UsableSettings> {
  try {
    return await readRepositorySettings(options);
  } catch (error) {
    if (error instanceof DevflowError && error.code === "input_invalid") return { copy: [], environment: [], test: [] };
    throw error;
  }
}

export async function lentSecrets(
  { repository, worktree }: { readonly repository: string; readonly worktree: string },
  files: readonly string[],
): Promise<string[]> {
  const places = files.flatMap((file) => [join(repository, file), join(worktree, file)]);
  // A missing path, or one that is not a file, has no value to hide.
  const texts = await Promise.all(places.map((path) => readFile(path, "utf8").catch(() => "")));
  return [...new Set(texts.flatMap(secretValues))];
}
