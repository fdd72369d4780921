/**
 * What the last drains did, for `sync status`: a small file beside the spool. It is only a note; without it nothing is lost.
 *
 * - `noteReport(folder, report, nowMs)` after each pass; `readDrainState(folder)` the last one, undefined when there is none.
 */
import { readFile } from "node:fs/promises";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { z } from "zod";
import type { SpoolFolder } from "../spool/index.ts";
import type { DrainReport } from "./drain-pass.ts";

const DrainState = z.object({
  /** When records last reached a server. */
  pushedAt: z.string().nullable(),
  triedAt: z.string(),
  obstacles: z.array(z.object({ server: z.string(), team: z.string(), reason: z.string() })),
});
export type DrainState = z.infer<typeof DrainState>;

export async function readDrainState(folder: SpoolFolder): Promise<DrainState | undefined> {
  try {
    return DrainState.safeParse(JSON.parse(await readFile(folder.state, "utf8"))).data;
  } catch {
    return undefined;
  }
}

export async function noteReport(folder: SpoolFolder, report: DrainReport, nowMs: number): Promise<void> {
  const at = new Date(nowMs).toISOString();
  const before = await readDrainState(folder);
  const state: DrainState = {
    pushedAt: report.sent > 0 ? at : (before?.pushedAt ?? null),
    triedAt: at,
    obstacles: report.obstacles.map(({ to, reason }) => ({ server: to.server, team: to.team, reason })),
  };
  // A full disk must not keep records from being sent.
  await writeFileAtomic(folder.state, `${JSON.stringify(state)}\n`).catch(() => {});
}
