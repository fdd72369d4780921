/** `devflow sync status`: one screen, from local files; the only question to the server has a limit of one second. */
import { access, constants, stat } from "node:fs/promises";
import type { HandlerOf } from "@devflow/core/command";
import type { Environment } from "@devflow/core/config";
import { homeAt } from "@devflow/core/home";
import { plainLine } from "@devflow/core/plain-text";
import { AlertState } from "@devflow/protocol";
import { cacheFolder, readMeta } from "@devflow/team/cache";
import { readDrainState, spoolStatus } from "@devflow/team/drain";
import { callRpc } from "@devflow/team/remote";
import { spoolFolder } from "@devflow/team/spool";
import { alertProblem } from "../alerts/alert-lines.ts";
import { counted, size } from "../data/amounts.ts";
import { duration } from "../server/status.ts";
import { textTable } from "../text-table.ts";
import type { syncStatusRecord } from "./commands.ts";
import { tokenFor } from "./connection.ts";
import { findPlace, localServer, type TeamPlace } from "./place.ts";
import { syncLogFile } from "./sync-log.ts";

const manyRecords = 100;
const longMs = 24 * 3_600_000;

export const syncStatus: HandlerOf<typeof syncStatusRecord> = async (_input, context) => {
  const config = context.config();
  const home = homeAt(config.home);
  const folder = spoolFolder(home.root);
  const nowMs = Date.now();
  const place = await findPlace(context);
  const spooled = await spoolStatus(folder);
  const drained = await readDrainState(folder);
  const meta = place ? await readMeta(cacheFolder(home.root, { ...place.to, repo: place.repo })) : undefined;
  const cacheProblem = place && (await whyUnwritable(cacheFolder(home.root, { ...place.to, repo: place.repo })));
  const connected = place ? await isConnected(home, context.env, place) : false;
  const alerts = place && connected ? await alertsOf(home, context.env, place) : null;
  const alertTrouble = alerts ? alertProblem(alerts) : undefined;
  const { size: logBytes } = await stat(syncLogFile(home)).catch(() => ({ size: 0 }));
  const warning = warningOf(spooled, nowMs);
  const problems = spooled.queued > 0 ? (drained?.obstacles ?? []) : [];
  const ago = (at: string | null | undefined) => (at ? `${duration(nowMs - Date.parse(at))} ago` : "never");
  const rows = [
    ["Team", place ? teamText(place, connected) : "none; records are not collected"],
    ["Repository", place ? plainLine(place.repo ?? "none") : ""],
    [
      "Sync",
      `${config.syncEnabled ? "on" : "off; records wait here"}, transcripts ${config.syncTranscripts ? "on" : "off"}`,
    ],
    ["Queue", queueText(spooled, nowMs)],
    ...(warning ? [["", warning]] : []),
    ...(spooled.waiting > 0
      ? [["Held back", `${counted(spooled.waiting, "record")} that the server cannot take yet: devflow sync dead list`]]
      : []),
    ...(spooled.dead > 0 ? [["Refused", `${counted(spooled.dead, "record")}: devflow sync dead list`]] : []),
    ["Last push", place ? ago(drained?.pushedAt) : ""],
    ["Last pull", place ? ago(meta?.pulledAt) : ""],
    ["Cache", place ? cacheText(meta?.kinds ?? {}) : ""],
    ...(cacheProblem === undefined
      ? []
      : [["", `Warning: the cache cannot be written (${cacheProblem}). It shows older data.`]]),
    ...(alertTrouble === undefined ? [] : [["Alerts", `${alertTrouble}. See: devflow team alerts show`]]),
    ...problems.map(({ server, reason }) => ["Problem", plainLine(`${server}: ${reason}`)]),
    ["Log", `${syncLogFile(home)} (${size(logBytes)})`],
  ].filter(([, text]) => text !== "");
  context.output.result(
    {
      team: place ? { ...place.team, server: place.to.server, user: place.userName } : null,
      repo: place?.repo ?? null,
      enabled: config.syncEnabled,
      transcripts: config.syncTranscripts,
      connected,
      queue: {
        records: spooled.queued,
        oldest: spooled.oldestMs === undefined ? null : new Date(spooled.oldestMs).toISOString(),
        warning,
      },
      waiting: spooled.waiting,
      dead: spooled.dead,
      sent: spooled.sent,
      lastPush: drained?.pushedAt ?? null,
      lastPull: meta?.pulledAt ?? null,
      cache: meta?.kinds ?? {},
      cacheProblem: cacheProblem ?? null,
      problems,
      alerts: alerts && {
        waiting: alerts.waiting,
        failing: alerts.failing,
        givenUp: alerts.given_up,
        lastError: alerts.last_error,
      },
      log: syncLogFile(home),
    },
    textTable([{ title: "" }, { title: "" }], rows),
  );
};

/** Undefined when it can be, also when there is none yet. */
async function whyUnwritable(folder: string): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? undefined : code;
  }
}

async function isConnected(home: ReturnType<typeof homeAt>, env: Environment, { to }: TeamPlace): Promise<boolean> {
  const found = await tokenFor(home, env)(to.server, to.user);
  if ("waiting" in found) return false;
  return (await callRpc(found, "whoami", {}, { timeoutMs: 1_000 })).is === "answered";
}

/** Null where the server is the machine's own, or does not know alerts. */
async function alertsOf(
  home: ReturnType<typeof homeAt>,
  env: Environment,
  { to }: TeamPlace,
): Promise<AlertState | null> {
  if (to.server === localServer) return null;
  const found = await tokenFor(home, env)(to.server, to.user);
  if ("waiting" in found) return null;
  const answer = await callRpc(found, "alert_state", { team_id: to.team }, { timeoutMs: 1_000 });
  return answer.is === "answered" ? (AlertState.safeParse(answer.body).data ?? null) : null;
}

function teamText({ team, to, userName }: TeamPlace, connected: boolean): string {
  const server = to.server === localServer ? "this machine's server" : to.server;
  return plainLine(`${team.name} on ${server}, as ${userName}; ${connected ? "connected" : "not connected"}`);
}

function queueText({ queued, oldestMs }: { queued: number; oldestMs: number | undefined }, nowMs: number): string {
  if (queued === 0 || oldestMs === undefined) return "empty";
  return `${counted(queued, "record")}, the oldest ${duration(nowMs - oldestMs)} old`;
}

function warningOf(
  { queued, oldestMs }: { queued: number; oldestMs: number | undefined },
  nowMs: number,
): string | null {
  const isOld = oldestMs !== undefined && nowMs - oldestMs > longMs;
  return queued > manyRecords || isOld ? "Warning: records pile up. Send them: devflow sync drain" : null;
}

function cacheText(kinds: Readonly<Record<string, { rows: number }>>): string {
  const parts = Object.entries(kinds).filter(([, { rows }]) => rows > 0);
  return (
    parts.map(([kind, { rows }]) => `${plainLine(kind)} ${rows}`).join(", ") || "empty; fill it: devflow sync pull"
  );
}
