/**
 * The only code that calls git. A repository is untrusted: its hooks, drivers, aliases and settings start nothing here.
 *
 * - `git(args, options)` runs one command of the closed list, with hooks, fsmonitor, filters, pager, editor, prompts,
 *   signing and foreign protocols off; throws `git_missing` or `git_failed`.
 *
 * Untrusted words go into `revisions` and `paths`, never into `args`: they cannot become options.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Environment, processEnvironment } from "@devflow/core/environment";
import { DevflowError } from "@devflow/core/errors";
import { userCredentialHelpers } from "./credential-helpers.ts";
import { driverOverrides, driverPattern, fixedOverrides, quietArguments, settingVariables } from "./disarm.ts";
import { type GitProtocol, gitEnvironment } from "./git-environment.ts";
import { abandonedAfterMs, repairCommondir, stumbledOver } from "./half-made-worktree.ts";
import { type ProcessResult, runBounded } from "./run-bounded.ts";

/** Commands built into git. An alias cannot replace them, and no other command is allowed. */
const gitCommands = [
  ...[
    "add",
    "apply",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-ref-format",
    "checkout",
    "clone",
    "commit",
    "commit-tree",
  ],
  ...[
    "config",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "grep",
    "hash-object",
    "init",
  ],
  ...["log", "ls-files", "ls-remote", "ls-tree", "merge", "merge-base", "merge-tree", "push", "read-tree", "remote"],
  ...["reset", "restore", "rev-list", "rev-parse", "rm", "show", "status", "switch", "symbolic-ref", "tag"],
  ...["update-index", "update-ref", "version", "worktree", "write-tree"],
] as const;
export type GitCommand = (typeof gitCommands)[number];

export interface GitOptions {
  readonly cwd: string;
  /** Untrusted revisions: placed after `--end-of-options`, refused when they start with a dash. */
  readonly revisions?: readonly string[];
  /** Untrusted paths: placed after `--`, taken literally. */
  readonly paths?: readonly string[];
  readonly input?: string | Uint8Array;
  /** Ends git and everything it started; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Bytes of standard output after which the call fails. */
  readonly maxOutput?: number;
  /** Takes the output as it comes; the answer then has none, and `maxOutput` does not apply. */
  readonly onOutput?: (chunk: Buffer) => void;
  /** Exit codes that are results, not failures. */
  readonly answers?: readonly number[];
  /** Allowed transports; none by default. */
  readonly protocols?: readonly GitProtocol[];
  readonly env?: Environment;
  /** An index file other than the repository's own, to look at a worktree without touching what is staged. */
  readonly index?: string;
  /** The author of a commit, if not the user of this machine. */
  readonly identity?: GitIdentity;
  /** Lets git ask the credential helpers of the user and the system; never those of the repository. */
  readonly credentials?: "user";
}

export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

export interface GitAnswer {
  readonly stdout: string;
  /** The same before it was decoded, for content that is no text. */
  readonly bytes: Buffer;
  readonly stderr: string;
  readonly exit: number;
}

type Drivers = ReturnType<typeof driverOverrides>;

const defaultMaxOutput = 32 * 1024 * 1024;

/** These read no content and no attributes, so no driver can be involved. */
const withoutDrivers: ReadonlySet<string> = new Set([
  ...["check-ref-format", "config", "for-each-ref", "init", "ls-tree", "merge-base", "rev-list", "rev-parse"],
  ...["symbolic-ref", "update-ref", "version"],
]);

export async function git(args: readonly [GitCommand, ...string[]], options: GitOptions): Promise<GitAnswer> {
  const [command, ...rest] = args;
  if (!gitCommands.includes(command)) throw failed(command, "Devflow does not use that command");
  const drivers = withoutDrivers.has(command) ? [] : driverOverrides(await configuredDrivers(options));
  if (options.credentials === "user") drivers.push(...(await helpersOf(options)));
  const words = [command, ...quietArguments(command), ...rest, ...operands(options)];
  const result = await startUnhindered(words, drivers, options);
  const answers = options.answers ?? [];
  if (result.exit !== 0 && !answers.includes(result.exit)) throw failed(command, reasonOf(result));
  return { stdout: result.stdout.toString("utf8"), bytes: result.stdout, stderr: result.stderr, exit: result.exit };
}

/** Waits for a concurrent git that is creating a worktree, and repairs what a killed one left. */
async function startUnhindered(
  words: readonly string[],
  drivers: Drivers,
  options: GitOptions,
): Promise<ProcessResult> {
  const until = Date.now() + 2 * abandonedAfterMs;
  const { onOutput: _onOutput, ...asking } = options;
  for (;;) {
    const result = await start(words, drivers, options);
    const name = result.exit === 0 ? undefined : stumbledOver(result.stderr);
    if (name === undefined || Date.now() > until) return result;
    await sleep(50, undefined, options.signal && { signal: options.signal });
    const common = await start(["rev-parse", "--path-format=absolute", "--git-common-dir"], [], asking);
    if (common.exit === 0) await repairCommondir(common.stdout.toString("utf8").trim(), name).catch(() => undefined);
  }
}

function operands({ revisions = [], paths = [] }: GitOptions): string[] {
  for (const word of [...revisions, ...paths]) {
    if (word.includes("\0")) throw refusedWord(word, "contains a zero byte");
  }
  for (const revision of revisions) {
    if (revision.startsWith("-")) throw refusedWord(revision, "starts with a dash");
    if (revision === "") throw refusedWord(revision, "is empty");
  }
  return [
    ...(revisions.length > 0 ? ["--end-of-options", ...revisions] : []),
    ...(paths.length > 0 ? ["--", ...paths] : []),
  ];
}

/** Read again for every call, at every level of configuration: an agent may have changed it. */
async function configuredDrivers(options: GitOptions): Promise<string[]> {
  const words = ["config", "-z", "--name-only", "--get-regexp", driverPattern];
  const { input: _input, onOutput: _onOutput, ...rest } = options;
  const result = await start(words, [], { ...rest, maxOutput: 1024 * 1024 });
  // 1: there are none.
  if (result.exit > 1) throw failed("config", reasonOf(result));
  return [...new Set(result.stdout.toString("utf8").split("\0").filter(Boolean))];
}

/** They follow the override that turned all helpers off. */
async function helpersOf(options: GitOptions): Promise<Drivers> {
  const { input: _input, onOutput: _onOutput, ...rest } = options;
  return await userCredentialHelpers((words) => start(words, [], { ...rest, maxOutput: 1024 * 1024 }));
}

async function start(words: readonly string[], drivers: Drivers, options: GitOptions): Promise<ProcessResult> {
  // A short list of variables is passed on, so that no secret is among them.
  const environment = gitEnvironment(options.env ?? processEnvironment(), options.protocols ?? []);
  try {
    return await runBounded("git", ["--no-pager", ...words], {
      cwd: options.cwd,
      env: {
        ...environment,
        ...settingVariables([...fixedOverrides, ...drivers]),
        ...identityVariables(options.identity),
        ...(options.index === undefined ? {} : { GIT_INDEX_FILE: options.index }),
      },
      maxOutput: options.maxOutput ?? defaultMaxOutput,
      ...(options.input === undefined ? {} : { input: options.input }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.onOutput === undefined ? {} : { onOutput: options.onOutput }),
    });
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    throw new DevflowError("git_missing", { details: { cwd: options.cwd }, cause: error });
  }
}

function identityVariables(identity: GitIdentity | undefined): Record<string, string> {
  if (!identity) return {};
  const { name, email } = identity;
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

function reasonOf({ overflow, signal, stderr, exit }: ProcessResult): string {
  if (overflow) return "its output exceeded the limit";
  if (signal) return `it was ended by ${signal}`;
  return stderr.trim().slice(0, 2000) || `it exited with ${exit}`;
}

function failed(command: string, reason: string): DevflowError {
  return new DevflowError("git_failed", { details: { command, reason } });
}

function refusedWord(word: string, reason: string): DevflowError {
  return new DevflowError("input_invalid", {
    details: {
      problem: `${JSON.stringify(word)} ${reason}, so it cannot be the name of a branch, commit or file.`,
      next: "List the branches: git branch --list",
    },
  });
}
