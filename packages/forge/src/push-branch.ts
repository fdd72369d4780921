/**
 * Pushes one branch to a remote, never by force.
 *
 * - `pushBranch(options)` what the remote said; `isNew` when it had another commit, or none, before. Errors: `push_failed`.
 *
 * The repository's configuration starts nothing: no hooks, no receive-pack of its own, no credential helpers but the user's.
 */
import type { Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { plainText } from "@devflow/core/plain-text";
import { git } from "@devflow/git";
import { redactSecrets } from "@devflow/redact";
import type { Remote } from "./find-remote.ts";

export interface PushOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly remote: Remote;
  readonly branch: string;
  /** Passed on to the remote; see GitLab's push options. */
  readonly options?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface Pushed {
  /** False: the remote had this commit already, and has not been told anything. */
  readonly isNew: boolean;
  /** What the remote wrote, line by line. */
  readonly said: readonly string[];
}

export async function pushBranch({ cwd, env, remote, branch, options = [], signal }: PushOptions): Promise<Pushed> {
  const ref = `refs/heads/${branch}`;
  try {
    const { stdout, stderr } = await git(
      [
        "push",
        "--porcelain",
        "--no-follow-tags",
        "--no-signed",
        "--receive-pack=git-receive-pack",
        ...options.map((option) => `--push-option=${option}`),
      ],
      {
        cwd,
        env,
        revisions: [remote.name, `${ref}:${ref}`],
        protocols: ["https", "http", "ssh", "file"],
        credentials: "user",
        ...(signal ? { signal } : {}),
      },
    );
    return { isNew: !/^=\t/m.test(stdout), said: remoteLines(stderr) };
  } catch (error) {
    if (!(error instanceof DevflowError) || error.code !== "git_failed") throw error;
    throw pushFailed(error, remote, branch);
  }
}

const remoteLines = (text: string): string[] =>
  plainText(text)
    .split("\n")
    .flatMap((line) => (line.startsWith("remote:") ? [line.slice("remote:".length).trim()] : []))
    .filter(Boolean);

/** The remote takes no push options at all. */
export const takesNoOptions = (error: unknown): boolean =>
  error instanceof DevflowError && /does not support push options/.test(String(error.details.reason));

function pushFailed(error: DevflowError, { name, url }: Remote, branch: string): DevflowError {
  const said = redactSecrets(plainText(String(error.details.reason))).text;
  // What git advises is for a person in that folder.
  const reason = said
    .split("\n")
    .filter((line) => !line.startsWith("hint:"))
    .join("\n");
  return new DevflowError("push_failed", {
    details: { branch, url, reason: reason.trim(), next: nextStep(said, name, branch) },
    cause: error,
  });
}

function nextStep(reason: string, remote: string, branch: string): string {
  if (/non-fast-forward|fetch first|behind its remote/.test(reason)) {
    return `${branch} has commits on ${remote} that are not here. Get them first: git fetch ${remote} ${branch}`;
  }
  if (/terminal prompts disabled|Authentication failed|Permission denied|could not read Username|403/.test(reason)) {
    return "Sign in to the remote, for example with: gh auth setup-git, or an ssh key in your agent";
  }
  return `See what git says: git push ${remote} ${branch}`;
}
