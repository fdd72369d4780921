/**
 * Puts records on disk and gives the server a moment to take them.
 *
 * - `pushed(home, place, drafts, context)` their ids, and whether the server has them all. Throws only when the disk does not take them.
 * - `syncLine(outcome)` the line that a skill prints after it.
 */
import { readdir } from "node:fs/promises";
import type { CommandContext } from "@devflow/core/command";
import type { Home } from "@devflow/core/home";
import { drainNow } from "@devflow/team/drain";
import { type RecordDraft, readFileName, spool, spoolFolder } from "@devflow/team/spool";
import { drainPorts, wakeDrainer } from "./drain-ports.ts";
import type { TeamPlace } from "./place.ts";
import { spoolFailed } from "./spool-failed.ts";

/** What a skill may wait for; a drainer in the background goes on. */
const patienceMs = 5_000;

export async function pushed(
  home: Home,
  { to, repo }: TeamPlace,
  drafts: readonly Pick<RecordDraft, "id" | "kind" | "payload">[],
  context: Pick<CommandContext, "config" | "env" | "signal">,
): Promise<{ ids: string[]; isSent: boolean }> {
  const ids: string[] = [];
  for (const draft of drafts) {
    const outcome = await spool(home.root, { ...draft, to, repo });
    if (!outcome.spooled) throw spoolFailed(home, outcome);
    ids.push(outcome.id);
  }
  if (!context.config().syncEnabled) return { ids, isSent: false };
  const limit = AbortSignal.timeout(patienceMs);
  const report = await drainNow(drainPorts(home, context.env, AbortSignal.any([context.signal, limit]))).catch(
    () => undefined,
  );
  const isSent = !(await isQueued(home, ids));
  const isBlocked = report !== undefined && report !== "busy" && report.obstacles.length > 0;
  if (!isSent && !isBlocked) await wakeDrainer(home, context.env, to);
  return { ids, isSent };
}

async function isQueued(home: Home, ids: readonly string[]): Promise<boolean> {
  const folder = spoolFolder(home.root);
  const names = (
    await Promise.all([folder.new, folder.cur, folder.wait, folder.dead].map((one) => readdir(one)))
  ).flat();
  return names.some((name) => ids.includes(readFileName(name)?.id ?? ""));
}

export function syncLine({ isSent, syncEnabled }: { readonly isSent: boolean; readonly syncEnabled: boolean }): string {
  if (isSent) return "Synced to team ✓";
  return syncEnabled ? "Queued (offline)" : "Queued (sync is off)";
}
