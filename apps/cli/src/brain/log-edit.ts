/** `devflow brain log-edit`: edits by hand, for agents that have no hooks. Git says which lines differ from the last commit. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileHash, linesOfDiff, linesOfText } from "@devflow/brain/edits";
import { type AgentEdit, brainDraft } from "@devflow/brain/records";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { git } from "@devflow/git";
import { findCheckout, headCommit } from "@devflow/git/checkout";
import { counted } from "../data/amounts.ts";
import { changedFiles } from "./changed-files.ts";
import type { logEditRecord } from "./commands.ts";
import { openBrain } from "./open-brain.ts";
import { ownIntent } from "./own-intent.ts";

export const logEdit: HandlerOf<typeof logEditRecord> = async ({ file, tool, prompt }, context) => {
  const brain = await openBrain(context);
  const { root, branch, agent } = brain;
  const checkout = root === undefined ? undefined : findCheckout(root);
  if (root === undefined || !checkout) {
    throw new DevflowError("usage", {
      details: { problem: "This is not a repository.", next: "Run it inside the repository that has the file." },
    });
  }
  const files =
    file.length > 0 ? await Promise.all(file.map((one) => brain.pathOf(one))) : await changedFiles(brain, context);
  if (files.length === 0) return context.output.result({ edits: 0 }, "No file differs from the last commit.");
  const commit = headCommit(checkout) ?? null;
  const lines = await changedLines(root, commit, files, context);
  const intent = await ownIntent(brain);
  const drafts = files.map((path) => {
    const hash = fileHash(join(root, path));
    const payload: AgentEdit = {
      ...{ agent, file: path, tool, branch, commit, lines: lines.get(path) ?? [] },
      via: "edit",
      ...(hash === undefined ? {} : { hash_after: hash }),
      ...(intent ? { intent_id: intent.id } : {}),
      ...(prompt === undefined ? {} : { prompt: prompt.slice(0, 300) }),
    };
    return brainDraft("agent_edit", payload);
  });
  const { isSent, line } = await brain.write(drafts);
  context.output.result(
    { edits: drafts.length, files, sent: isSent },
    `${counted(drafts.length, "edit")} recorded. ${line}`,
  );
};

/** A file that git does not know is new as a whole. */
async function changedLines(
  root: string,
  commit: string | null,
  paths: readonly string[],
  { signal }: CommandContext,
): Promise<ReadonlyMap<string, [number, number][]>> {
  const args = ["diff", "--no-color", "--unified=0", "--no-renames"] as const;
  const given = { cwd: root, paths, signal, maxOutput: 16_000_000 };
  const { stdout } = commit === null ? { stdout: "" } : await git(args, { ...given, revisions: [commit] });
  const found = linesOfDiff(stdout);
  for (const path of paths) {
    if (found.has(path)) continue;
    const text = await readFile(join(root, path), "utf8").catch(() => undefined);
    const isTracked =
      (await git(["ls-files", "--error-unmatch"], { cwd: root, paths: [path], signal, answers: [1] })).exit === 0;
    if (text !== undefined && !isTracked) found.set(path, linesOfText(text));
  }
  return found;
}
