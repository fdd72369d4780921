/**
 * The drainer: one at a time per home, started on demand, gone when there is nothing left to do.
 *
 * - `drainNow(ports)` one pass; "busy" when another process drains.
 * - `runDrainer(ports, limits)` passes until the spool is empty, waiting longer after each failure, and gives up after a while: whoever
 *   spools next starts it again.
 *
 * A record that is spooled while the drainer ends is not forgotten: its writer finds the lock taken and starts nothing, so the drainer
 * looks once more after it has let go of the lock.
 */

import { join } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import { tryLock } from "@devflow/core/exclusive-lock";
import { faultPoint } from "@devflow/core/fault-point";
import { destinationKey } from "./batches.ts";
import { backoffMs } from "./decide-push.ts";
import { type DrainPorts, type DrainReport, drainPass } from "./drain-pass.ts";
import { noteReport } from "./drain-state.ts";
import { readRecord, recordNames } from "./spool-files.ts";

export async function drainNow(ports: DrainPorts): Promise<DrainReport | "busy"> {
  await ensurePrivateFolder(ports.folder.root);
  const lock = tryLock(ports.folder.lock);
  if (!lock) return "busy";
  try {
    const report = await drainPass(ports);
    await noteReport(ports.folder, report, ports.now());
    faultPoint("drainBeforeRelease");
    return report;
  } finally {
    lock.release();
  }
}

export interface DrainerLimits {
  /** Without success for this long, it ends. */
  readonly giveUpMs: number;
}

export async function runDrainer(ports: DrainPorts, { giveUpMs }: DrainerLimits): Promise<DrainReport | "busy"> {
  let attempt = 0;
  let lastSuccessMs = ports.now();
  for (;;) {
    const report = await drainNow(ports);
    if (report === "busy") return report;
    if (report.sent > 0) {
      attempt = 0;
      lastSuccessMs = ports.now();
    }
    const blocked = new Set(report.obstacles.map(({ to }) => destinationKey(to)));
    if (await hasUnblocked(ports, blocked)) continue;
    const isOver = blocked.size === 0 || ports.now() - lastSuccessMs >= giveUpMs;
    if (isOver || ports.signal?.aborted) return report;
    const asked = Math.max(0, ...report.obstacles.map(({ afterMs }) => afterMs ?? 0));
    attempt += 1;
    await ports.sleep(Math.max(asked, backoffMs(attempt, ports.random)), ports.signal).catch(() => {});
  }
}

async function hasUnblocked({ folder, signal }: DrainPorts, blocked: ReadonlySet<string>): Promise<boolean> {
  if (signal?.aborted) return false;
  for (const name of await recordNames(folder.new)) {
    const record = await readRecord(join(folder.new, name));
    if (record !== undefined && record !== "gone" && !blocked.has(destinationKey(record))) return true;
  }
  return false;
}
