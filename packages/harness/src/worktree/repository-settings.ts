/**
 * The repository's settings for runs, from the base commit. The worktree's own `.devflow.json` is never read: an agent
 * could write its own commands there.
 *
 * - `readRepositorySettings({ repository, commit })` the settings; absent ones are empty, unknown keys are ignored, and an
 *   invalid file is one `input_invalid` that lists every error.
 */
import { posix } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { type GitOptions, git } from "@devflow/git";
import { z } from "zod";
import { repositoryFault } from "../environment/index.ts";

const settingsFile = ".devflow.json";

const word = z.string().refine((text) => !text.includes("\0"), "contains a zero byte");
const argv = z
  .array(word)
  .min(1, "expected a program and its arguments")
  .refine((words) => words[0] !== "", "the program has no name");
const insidePath = word
  .refine(
    (path) => path !== "" && !posix.isAbsolute(path) && !path.includes("\\"),
    "expected a path inside the repository",
  )
  .transform((path) => posix.normalize(path).replace(/\/$/, ""))
  .refine((path) => !/^(\.\.?|\.git)(\/|$)/i.test(path), "expected a path inside the repository");

const variable = word.superRefine((name, context) => {
  const message = repositoryFault(name);
  if (message) context.addIssue({ code: "custom", message });
});

const schema = z.object({
  /** Run in each new worktree, one at a time. */
  setup: z.array(argv).default([]),
  /** What `command: {from: test}` runs. */
  test: z.array(argv).default([]),
  /** Uncommitted files that a run needs: copied from the repository's folder. */
  copy: z.array(insidePath).default([]),
  /** Names of variables that agents and commands of this repository need; none that may hold a secret. */
  environment: z.array(variable).default([]),
});

export type RepositorySettings = z.output<typeof schema>;

export interface ReadSettingsOptions extends Pick<GitOptions, "env" | "signal"> {
  readonly repository: string;
  readonly commit: string;
}

export async function readRepositorySettings(options: ReadSettingsOptions): Promise<RepositorySettings> {
  const { repository, commit, ...rest } = options;
  const place = { ...rest, cwd: repository };
  const listed = await git(["ls-tree", "--full-tree"], { ...place, revisions: [commit], paths: [settingsFile] });
  const [, mode, object] = /^(\d+) \w+ ([0-9a-f]+)\t/.exec(listed.stdout) ?? [];
  if (mode === undefined || object === undefined) return schema.parse({});
  if (!mode.startsWith("100")) throw invalid(commit, ["it is a link or a folder, not a file"]);
  const { stdout } = await git(["cat-file", "blob", object], { ...place, maxOutput: 1024 * 1024 });
  const parsed = schema.safeParse(parseJson(stdout, commit));
  if (parsed.success) return parsed.data;
  throw invalid(
    commit,
    parsed.error.issues.map(({ path, message }) => `${nameOf(path)}: ${message}`),
  );
}

function parseJson(text: string, commit: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(commit, [`it is not JSON (${(error as Error).message})`]);
  }
}

function nameOf(path: readonly PropertyKey[]): string {
  const name = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return name.replace(/^\./, "") || "the whole file";
}

function invalid(commit: string, faults: readonly string[]): DevflowError {
  const list = faults.map((fault) => `  ${fault}`).join("\n");
  const problem = `${settingsFile} of commit ${commit.slice(0, 12)} has ${faults.length} error(s):\n${list}`;
  return new DevflowError("input_invalid", {
    details: { problem, next: `Fix it, commit it, and start again: git show ${commit.slice(0, 12)}:${settingsFile}` },
  });
}
