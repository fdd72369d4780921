/**
 * Git's pre-push hook of a repository: a marked block in its script.
 *
 * - `installPrePush(context)`, `uninstallPrePush(context)`. A script that is there stays, with the block behind its first line. One in
 *   another language, and hooks that the repository keeps in its own folder, are a person's to change: the message says which line.
 */
import { chmod, mkdir, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { readIfThere } from "@devflow/core/read-if-there";
import { git } from "@devflow/git";
import { findCheckout } from "@devflow/git/checkout";
import type { HookOutcome } from "@devflow/skills/hosts";
import { requireRepository, selfCommand } from "./settings-place.ts";

const begin = "# devflow: begin; remove with: devflow hooks uninstall --host git";
const end = "# devflow: end";
const shebang = "#!/bin/sh\n";

/** Without input: the list of refs there is for the rest of the script. */
const callOf = (program: string): string => `${program} hook git pre-push </dev/null || true`;
const blockOf = (): string => `${begin}\n${callOf(selfCommand())}\n${end}\n`;

export async function installPrePush(context: CommandContext): Promise<{ file: string; outcome: HookOutcome }> {
  const file = await scriptOf(context);
  const before = await readIfThere(file);
  const rest = before === undefined ? shebang : withoutBlock(before);
  const [, first = ""] = /^(#!.*\n)/.exec(rest) ?? [];
  if (!/^#!\s*(?:\/usr)?\/bin\/(?:env )?(?:ba|da|z|k)?sh\b/.test(first)) throw byHand(file, "it is no shell script");
  const after = `${first}${blockOf()}${rest.slice(first.length)}`;
  if (after === before) return { file, outcome: "unchanged" };
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic(file, after, 0o755);
  await chmod(file, 0o755);
  return { file, outcome: before?.includes(begin) ? "updated" : "installed" };
}

export async function uninstallPrePush(context: CommandContext): Promise<{ file: string; outcome: HookOutcome }> {
  const file = await scriptOf(context);
  const before = await readIfThere(file);
  if (!before?.includes(begin)) return { file, outcome: "absent" };
  const after = withoutBlock(before);
  if (after === shebang) await rm(file);
  else {
    await writeFileAtomic(file, after, 0o755);
    await chmod(file, 0o755);
  }
  return { file, outcome: "removed" };
}

function withoutBlock(text: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(`${end}\n`, from);
  return from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + end.length + 1);
}

async function scriptOf(context: CommandContext): Promise<string> {
  const root = await requireRepository(context, "git");
  const { commonFolder } = findCheckout(root) ?? { commonFolder: join(root, ".git") };
  const moved = await hooksPath(root, context);
  if (moved === undefined) return join(commonFolder, "hooks", "pre-push");
  const folder = isAbsolute(moved) ? moved : join(root, moved);
  if (folder === join(commonFolder, "hooks")) return join(folder, "pre-push");
  throw byHand(join(folder, "pre-push"), `core.hooksPath is ${moved}`);
}

/** By level: for our own calls of git the setting is turned off. */
async function hooksPath(cwd: string, { env, signal }: CommandContext): Promise<string | undefined> {
  for (const level of ["--local", "--global"]) {
    const { stdout } = await git(["config", level, "--get", "core.hooksPath"], {
      cwd,
      env,
      signal,
      answers: [1, 128, 255],
    });
    if (stdout.trim() !== "") return stdout.trim();
  }
  return undefined;
}

function byHand(file: string, reason: string): DevflowError {
  return new DevflowError("input_invalid", {
    details: { problem: `${file} was left alone: ${reason}.`, next: `Add this line to it: ${callOf("devflow")}` },
  });
}
