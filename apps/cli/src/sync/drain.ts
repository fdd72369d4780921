/** `devflow sync drain`, and the hidden `devflow drainer`, which works in the background. */
import type { HandlerOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { type DrainPorts, type DrainReport, drainNow, runDrainer, spoolStatus } from "@devflow/team/drain";
import { counted } from "../data/amounts.ts";
import type { drainerRecord, syncDrainRecord } from "./commands.ts";
import { drainPorts } from "./drain-ports.ts";
import { localServer } from "./place.ts";

/** The next command that spools a record, and the next `devflow up`, start another one. */
const giveUpMs = 10 * 60_000;

/** For one that sends already: CI ends after this command, and what waits then is lost with its machine. */
const waitForOtherMs = 60_000;
const askAgainMs = 100;

/** EX_TEMPFAIL */
const unsent = 75;

export const syncDrain: HandlerOf<typeof syncDrainRecord> = async (_input, context) => {
  const { home: root, syncEnabled } = context.config();
  const { output } = context;
  if (!syncEnabled) {
    output.result({ sent: 0, enabled: false }, "Sync is off, so nothing was sent. Turn it on: devflow sync on");
    return 1;
  }
  const ports = drainPorts(homeAt(root), context.env, context.signal);
  const report = await drainInTurn(ports);
  const { queued } = await spoolStatus(ports.folder);
  if (report === "busy") {
    output.result(
      { sent: 0, busy: true, left: queued },
      `Another process is sending records, ${queued} left. See how it goes: devflow sync status`,
    );
    return queued > 0 ? unsent : 0;
  }
  const lines = [
    `${counted(report.sent, "record")} sent, ${queued} left.`,
    ...(report.dead > 0 ? [`${counted(report.dead, "record")} refused: devflow sync dead list`] : []),
    ...(report.waiting > 0 ? [`${counted(report.waiting, "record")} held back: devflow sync dead list`] : []),
    ...report.obstacles.map(({ to, reason }) => `${to.server}: ${reason}`),
  ];
  const obstacles = report.obstacles.map(({ to, reason }) => ({ server: to.server, team: to.team, reason }));
  output.result({ ...report, obstacles, left: queued }, lines.join("\n"));
  return obstacles.length > 0 ? unsent : 0;
};

/** After the process that drains now; "busy" when that takes longer than a minute, or the wait is stopped. */
export async function drainInTurn(ports: DrainPorts): Promise<DrainReport | "busy"> {
  const endMs = ports.now() + waitForOtherMs;
  for (;;) {
    const report = await drainNow(ports);
    if (report !== "busy" || ports.signal?.aborted || ports.now() >= endMs) return report;
    await ports.sleep(askAgainMs, ports.signal).catch(() => {});
  }
}

export const drainer: HandlerOf<typeof drainerRecord> = async ({ live }, context) => {
  const { home: root, syncEnabled } = context.config();
  if (!syncEnabled) return;
  const { env, signal } = context;
  const home = homeAt(root);
  const drain = drainPorts(home, env, signal);
  if (live) {
    await (await import("../brain/keep-live.ts")).keepLive({ home, env, signal, drain });
    const report = await drainNow(drain);
    // The local server sends what is left when it is up again.
    if (report === "busy" || report.obstacles.every(({ to }) => to.server === localServer)) return;
  }
  await runDrainer(drain, { giveUpMs });
};
