import { existsSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { isCompiled } from "../server/self.ts";
import type { uninstallRecord } from "./commands.ts";
import { previousOf } from "./installation.ts";
import { type Installation, installedHow } from "./installed-how.ts";

type UninstallInput = InputOf<typeof uninstallRecord>;

export interface UninstallParts {
  /** Stops the server and its Postgres; both have ended when it resolves. */
  stop(context: CommandContext): Promise<void>;
  /** Folders outside the home with its data, such as Postgres's when it runs as another user. */
  dataOutside(home: string): Promise<readonly string[]>;
  /** Removes Devflow's skills and hooks from this person's agents; returns what was removed. */
  removeSkills(context: CommandContext): Promise<readonly string[]>;
}

/** Never prompts: what cannot be undone needs `--yes`, with or without a terminal. */
export function makeUninstall(parts: UninstallParts): HandlerOf<typeof uninstallRecord> {
  return async (input, context) => {
    const executable = await realpath(process.execPath);
    await uninstallAt({ executable, how: installedHow(executable, isCompiled()) }, input, context, parts);
  };
}

export async function uninstallAt(
  { executable, how }: { readonly executable: string; readonly how: Installation },
  { data, yes }: UninstallInput,
  context: CommandContext,
  { stop, dataOutside, removeSkills }: UninstallParts,
): Promise<void> {
  const { home } = context.inspectConfig();
  const folders = data ? [home, ...(await dataOutside(home))].filter(existsSync) : [];
  if (data) refuseForeignHome(home);
  if (data && !yes) {
    throw new DevflowError("usage", {
      details: {
        problem: `--data permanently removes: ${folders.join(", ") || home}.`,
        next: "Keep a copy first (devflow backup <file>), then confirm: devflow uninstall --data --yes",
      },
    });
  }
  await stop(context);
  const removed = [...(await removeSkills(context))];
  for (const folder of folders) {
    await rm(folder, { recursive: true, force: true });
    removed.push(folder);
  }
  if (how === "executable") {
    for (const path of [previousOf(executable), executable]) {
      if (!existsSync(path)) continue;
      await rm(path);
      removed.push(path);
    }
  }
  const kept = data ? "" : ` Your data is still in ${home}.`;
  context.output.result({ removed, kept: data ? [] : [home] }, `${tell(removed)}${kept}${leftToYou[how]}`);
}

const tell = (removed: readonly string[]): string =>
  removed.length === 0 ? "Nothing was removed." : `Removed ${removed.join(", ")}.`;

const leftToYou: Readonly<Record<Installation, string>> = {
  executable: "",
  npm: " The program was installed by npm; remove it with: npm uninstall -g devflow",
  source: " This Devflow runs from source; remove the clone yourself.",
};

/** DEVFLOW_HOME may be any folder; only one that Devflow created is removed, and never one with other files. */
function refuseForeignHome(home: string): void {
  const protectedFolders = [homedir(), process.cwd(), "/"].map((one) => resolve(one));
  const holdsMore =
    protectedFolders.some((one) => one === home || one.startsWith(`${home}/`)) || dirname(home) === home;
  const isOurs = ["pg", "log", "keys", "signing.key", "server.json", "config.yaml"].some((name) =>
    existsSync(join(home, name)),
  );
  if (!existsSync(home) || (isOurs && !holdsMore)) return;
  throw new DevflowError("conflict", {
    details: {
      problem: `${home} ${holdsMore ? "holds more than Devflow's data" : "does not look like a home that Devflow made"}.`,
      next: "Remove it yourself if you want to. Without --data only the program is removed: devflow uninstall",
    },
  });
}
