/** `browse evidence start | stop | list`. */
import { existsSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { version } from "@devflow/core/version";
import { repositoryRoot, repositoryStatus } from "@devflow/git";
import type { Answer, DaemonScope } from "../command.ts";
import { journalVersion, openJournal } from "../journal/index.ts";
import { watchCommands } from "../watch-commands.ts";
import { type Bundle, evidenceFolder, journalFile, listBundles, readBundle, specFile } from "./bundle.ts";
import { endJournal, Recorder, writeSpec } from "./recorder.ts";

export interface EndedBundle {
  readonly bundle: string;
  readonly commands: number;
  readonly head: string;
  readonly spec: string;
}

/** One per daemon, and a daemon is a process. */
export const recorder = new Recorder();

export async function startEvidence(
  { name, shots }: { readonly name: string; readonly shots: boolean },
  { daemon, signal }: DaemonScope,
): Promise<Answer> {
  const { workspace, sessionName: session } = daemon;
  const tabs = (await daemon.tabs(false)).map(({ id }) => id);
  const started = await startBundle({ workspace, session, name, tabs, withShots: shots, signal });
  watchCommands(recorder);
  return { text: `${started.text}\nStop: devflow browse evidence stop`, data: started.data };
}

export interface BundleOptions {
  readonly workspace: string;
  readonly session: string;
  readonly name: string;
  readonly tabs: readonly string[];
  readonly withShots: boolean;
  readonly isByHand?: boolean;
  readonly signal: AbortSignal;
}

export async function startBundle({ workspace, session, name, tabs, signal, ...how }: BundleOptions): Promise<Answer> {
  const state = await stateOf(workspace, signal);
  const bundle = bundleName(name, new Date(), evidenceFolder(workspace));
  const folder = join(evidenceFolder(workspace), bundle);
  const start = { kind: "start", version: journalVersion, bundle, name, session, devflow: version } as const;
  const byHand = how.isByHand ? { byHand: true as const } : {};
  await recorder.start({ folder, start: { ...start, ...state, tabs: [...tabs], ...byHand }, ...how });
  const at = state.commit === null ? "no commit" : `commit ${state.commit.slice(0, 12)}`;
  const changed = state.changedFiles > 0 ? ` with ${state.changedFiles} changed files` : "";
  return {
    text: `Recording into ${relative(workspace, folder)}, ${at}${changed}.`,
    data: { bundle: folder, commit: state.commit, changedFiles: state.changedFiles },
  };
}

export async function stopEvidence(_: unknown, { daemon }: DaemonScope): Promise<Answer> {
  return await stopBundle(daemon.workspace, daemon.sessionName);
}

export async function stopBundle(workspace: string, session: string): Promise<Answer & { readonly data: EndedBundle }> {
  const stopped = (await recorder.stop(session)) ?? (await endLeftOver(workspace, session));
  if (!stopped) {
    throw new DevflowError("not_found", {
      details: { what: "A recording in this session", next: "Start one: devflow browse evidence start" },
    });
  }
  const { folder, commands, head, fault } = stopped;
  const spec = join(folder, specFile);
  const lines = [
    `${commands} commands in ${relative(workspace, folder)}`,
    `The journal ends with ${head}`,
    ...(fault === undefined ? [] : [`It is not complete: ${fault}`]),
    `Replay it: devflow browse verify ${relative(workspace, folder)}`,
  ];
  return { text: lines.join("\n"), data: { bundle: folder, commands, head, spec } };
}

export async function listEvidence(_: unknown, { daemon }: DaemonScope): Promise<Answer> {
  const { workspace } = daemon;
  const bundles = listBundles(workspace).map((folder) => {
    const where = relative(workspace, folder);
    try {
      const { start, commands, isEnded } = readBundle(folder);
      const open = recorder.isRecording(start.session) ? "being recorded" : "cut short";
      return { bundle: where, name: start.name, commands: commands.length, remark: isEnded ? "" : open };
    } catch (error) {
      return { bundle: where, name: "", commands: 0, remark: (error as Error).message };
    }
  });
  const lines = bundles.map(({ bundle, commands, remark }) => `${bundle}  ${commands} commands  ${remark}`.trimEnd());
  return { text: lines.join("\n") || "None yet: devflow browse evidence start", data: { bundles } };
}

/** Closes the journal that a killed daemon left open; its entries are valid. */
async function endLeftOver(workspace: string, session: string) {
  for (const folder of listBundles(workspace)) {
    let bundle: Bundle;
    try {
      bundle = readBundle(folder);
    } catch {
      continue;
    }
    if (bundle.start.session !== session) continue;
    if (bundle.isEnded) return undefined;
    const journal = await openJournal(join(folder, journalFile));
    await endJournal(journal, bundle.commands.length, "interrupted");
    await writeSpec(folder);
    const fault = "the browser's daemon was killed; what was recorded by then is valid";
    return { folder, commands: bundle.commands.length, head: journal.head, fault };
  }
  return undefined;
}

async function stateOf(workspace: string, signal: AbortSignal) {
  const nothing = { commit: null, branch: null, changedFiles: 0 };
  if (!(await repositoryRoot({ cwd: workspace, signal }).catch(() => undefined))) return nothing;
  const { head, branch, changes } = await repositoryStatus({ cwd: workspace, signal });
  return { commit: head ?? null, branch: branch ?? null, changedFiles: changes.length };
}

/** `20261115T101500-checkout`: sorts by time, and is always a plain name. */
function bundleName(name: string, now: Date, root: string): string {
  const time = now.toISOString().replace(/[-:]|\.\d+Z$/g, "");
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  const wanted = [time, slug].filter(Boolean).join("-");
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? wanted : `${wanted}-${number}`;
    if (!existsSync(join(root, candidate))) return basename(candidate);
  }
}
