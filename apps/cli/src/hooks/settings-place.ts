/**
 * Where the hooks of a host are written, and the command that they call.
 *
 * - `settingsOf(input, context)` the file and its entries. In a home the command names this very program, since agents may be started
 *   without your PATH; in a repository it is `devflow`, because teammates have it elsewhere.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { repositoryRoot } from "@devflow/git";
import { entriesOf, type HookEntry, type HookHostName, settingsFile } from "@devflow/skills/hosts";
import { selfArgv } from "../server/self.ts";

export interface HookSettingsPlace {
  readonly file: string;
  readonly entries: HookEntry[];
  /** What was there before is kept here. */
  readonly backups: string;
}

type Context = Pick<CommandContext, "cwd" | "env" | "signal" | "inspectConfig">;

export async function settingsOf(
  { host, project }: { readonly host: HookHostName; readonly project: boolean },
  { cwd, env, signal, inspectConfig }: Context,
): Promise<HookSettingsPlace> {
  const backups = join(homeAt(inspectConfig().home).hooksFolder, "backups");
  const home = env.HOME || homedir();
  if (!project) return { file: settingsFile(host, { home, env }), entries: entriesOf(host, selfCommand()), backups };
  const root = await requireRepository({ cwd, env, signal }, host);
  return { file: settingsFile(host, { home, env, project: root }), entries: entriesOf(host, "devflow"), backups };
}

export async function requireRepository(
  place: Pick<CommandContext, "cwd" | "env" | "signal">,
  host: string,
): Promise<string> {
  const root = await repositoryRoot(place);
  if (root !== undefined) return root;
  throw new DevflowError("input_invalid", {
    details: {
      problem: `${place.cwd} is not in a git repository.`,
      next:
        host === "git"
          ? "Change to one."
          : `Change to one, or install for yourself: devflow hooks install --host ${host}`,
    },
  });
}

export function selfCommand(): string {
  return selfArgv().map(quoted).join(" ");
}

const quoted = (word: string): string => (/^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
