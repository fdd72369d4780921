/**
 * What must appear in nothing that a run stores or shows, besides everything that looks like a secret.
 *
 * - `knownSecrets(context, run)` the values of lent files, and of variables with telling names.
 * - `cleanText(text, context)`, `cleanInput(value, context)` what a person sent, before it is stored.
 */

import { environmentSecrets } from "@devflow/harness";
import { redactJson, redactSecrets } from "@devflow/redact";
import type { EngineContext } from "./context.ts";
import { lentFiles, lentSecrets } from "./lent-files.ts";
import type { RunRow } from "./rows.ts";

type Env = Pick<EngineContext, "env">;

export async function knownSecrets(
  { env }: Env,
  run: Pick<RunRow, "repo_path" | "base_commit" | "worktree_root">,
  signal?: AbortSignal,
): Promise<string[]> {
  const { repo_path: repository, base_commit: baseCommit, worktree_root: worktree } = run;
  const files = await lentFiles({ repository, baseCommit }, { env, ...(signal ? { signal } : {}) });
  return [...(await lentSecrets({ repository, worktree }, files)), ...environmentSecrets(env)];
}

export const cleanText = (text: string, { env }: Env): string =>
  redactSecrets(text, { known: environmentSecrets(env) }).text;

export const cleanInput = <T>(value: T, { env }: Env): T => redactJson(value, { known: environmentSecrets(env) }).value;
