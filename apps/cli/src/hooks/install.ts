/** `devflow hooks install` and `devflow hooks uninstall`. */
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import {
  type HookHostName,
  type HookOutcome,
  hookHosts,
  installHooks,
  trustNote,
  uninstallHooks,
} from "@devflow/skills/hosts";
import { fetchDigest } from "../brain/fetch-digest.ts";
import { findPlace } from "../sync/place.ts";
import type { hooksInstallRecord, hooksUninstallRecord } from "./commands.ts";
import { installPrePush, uninstallPrePush } from "./pre-push.ts";
import { settingsOf } from "./settings-place.ts";

type Input = InputOf<typeof hooksUninstallRecord>;

const outcomeWords: Readonly<Record<HookOutcome, string>> = {
  installed: "Hooks were added to",
  updated: "Hooks were updated in",
  unchanged: "Hooks are already in",
  removed: "Hooks were taken out of",
  absent: "There are no Devflow hooks in",
};

export const installHooksFor: HandlerOf<typeof hooksInstallRecord> = async ({ host, project }, context) => {
  const { output } = context;
  if (host === "git") {
    const { file, outcome } = await installPrePush(context);
    output.result({ host, file, outcome, trust: null }, `${outcomeWords[outcome]} ${file}.`);
    return;
  }
  const { file, entries, backups } = await settingsOf({ host, project }, context);
  const outcome = await installHooks(file, entries, backups);
  const trust = trustNote(host) ?? null;
  const isKnown = await rememberTeam(context);
  const lines = [
    `${outcomeWords[outcome]} ${file}.`,
    ...(trust === null ? [`Restart ${hookHosts[host].title} to load them.`] : [trust]),
    "Check that they fire: devflow doctor",
  ];
  output.result({ host, file, outcome, trust }, lines.join("\n"));
  if (!isKnown) {
    output.note(
      "No team is known here, so nothing is recorded yet. Start the local server, which has a team of one: devflow up -d",
    );
  }
};

export const uninstallHooksFor: HandlerOf<typeof hooksUninstallRecord> = async (input, context) => {
  const { file, outcome } = await uninstallFrom(input, context);
  context.output.result({ host: input.host, file, outcome, trust: null }, `${outcomeWords[outcome]} ${file}.`);
};

/** Also for `devflow uninstall`. */
export async function uninstallFrom(
  { host, project }: Input,
  context: CommandContext,
): Promise<{ file: string; outcome: HookOutcome }> {
  if (host === "git") return await uninstallPrePush(context);
  const { file, backups } = await settingsOf({ host: host satisfies HookHostName, project }, context);
  return { file, outcome: await uninstallHooks(file, backups) };
}

/** Hooks know only what this machine has seen: the team, and what it does here. Both can come later. */
async function rememberTeam(context: CommandContext): Promise<boolean> {
  try {
    const place = await findPlace(context);
    if (!place) return false;
    const { env, signal } = context;
    const home = homeAt(context.inspectConfig().home);
    if (place.repo !== null) await fetchDigest({ home, env, signal }, { ...place.to, repo: place.repo });
    return true;
  } catch {
    return false;
  }
}
