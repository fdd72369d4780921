/**
 * `devflow sync status`: one screen, from local files; the only questions to the server have a limit of one second.
 *
 * People and scripts call it often: files are read and questions asked at the same time, and what only a team server needs is loaded only
 * there.
 */
import { access, constants, stat } from "node:fs/promises";
import type { HandlerOf } from "@devflow/core/command";
import type { Environment } from "@devflow/core/config";
import { type Home, homeAt } from "@devflow/core/home";
import { plainLine } from "@devflow/core/plain-text";
import type { AlertState } from "@devflow/protocol";
import { type CacheMeta, cacheFolder, readMeta } from "@devflow/team/cache";
import { readDrainState, sentAmount, spoolStatus } from "@devflow/team/drain";
import { callRpc } from "@devflow/team/remote";
import { spoolFolder } from "@devflow/team/spool";
import { counted, duration, size } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { syncStatusRecord } from "./commands.ts";
import { tokenFor } from "./connection.ts";
import { askForInvite, findPlaceAt, findServerName, localServer, type TeamPlace, whyNowhere } from "./place.ts";
import { syncLogFile } from "./sync-log.ts";

const manyRecords = 100;
const longMs = 24 * 3_600_000;

export const syncStatus: HandlerOf<typeof syncStatusRecord> = async (_input, context) => {
  const config = context.config();
  const home = homeAt(config.home);
  const folder = spoolFolder(home.root);
  const nowMs = Date.now();
  const [{ place, nowhere, meta, cacheProblem, told }, spooled, sent, drained, { size: logBytes }] = await Promise.all([
    teamStatus(home, { ...context, inspectConfig: () => config }),
    spoolStatus(folder),
    // The screen does not show it.
    context.output.json ? sentAmount(folder) : 0,
    readDrainState(folder),
    stat(syncLogFile(home)).catch(() => ({ size: 0 })),
  ]);
  const { connected, alerts, alertTrouble } = told;
  const warning = warningOf(spooled, nowMs);
  const problems = spooled.queued > 0 ? (drained?.obstacles ?? []) : [];
  const ago = (at: string | null | undefined) => (at ? `${duration(nowMs - Date.parse(at))} ago` : "never");
  const rows = [
    ["Team", place ? teamText(place, told, problems.length > 0) : (nowhere?.text ?? "none; records are not collected")],
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
      /** Of a team that the repository names, and that its person is not in here. */
      notIn: nowhere ? { server: nowhere.server, team: nowhere.team } : null,
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
      sent,
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

interface TeamStatus {
  readonly place?: TeamPlace;
  /** The repository names a team, and this machine's person is not in it. */
  readonly nowhere?: { readonly server: string; readonly team: string | null; readonly text: string };
  readonly meta?: CacheMeta | undefined;
  readonly cacheProblem?: string | undefined;
  readonly told: Told;
}

async function teamStatus(home: Home, context: Parameters<typeof findServerName>[0]): Promise<TeamStatus> {
  const found = await findServerName(context);
  // The local server is asked with the machine's token, so not only after it has said who its person is.
  const local = found.server === localServer ? askServer(home, context.env, { server: localServer }) : undefined;
  local?.catch(() => {});
  const place = await findPlaceAt(context, found);
  if (!place) {
    const why = await whyNowhere(context, found);
    if (why === undefined) return { told: notConnected };
    const { server, team = null } = found;
    const next = why === "signed out" ? "not signed in. Sign in: devflow sync setup" : `not a member. ${askForInvite}`;
    const text = plainLine(`${team ?? "a team"} on ${server}; ${next}`);
    return { nowhere: { server, team, text }, told: notConnected };
  }
  const folder = cacheFolder(home.root, { ...place.to, repo: place.repo });
  const [told, meta, cacheProblem] = await Promise.all([
    local ?? askServer(home, context.env, place.to),
    readMeta(folder),
    whyUnwritable(folder),
  ]);
  return { place, meta, cacheProblem, told };
}

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

interface Told {
  readonly connected: boolean;
  /** Why no question was asked. */
  readonly why?: string;
  /** The server says that the person is not in the team any more. */
  readonly isStranger?: boolean;
  /** Null where the server is the machine's own, or does not know alerts. */
  readonly alerts: AlertState | null;
  readonly alertTrouble?: string | undefined;
}

const notConnected: Told = { connected: false, alerts: null };

async function askServer(
  home: Home,
  env: Environment,
  { server, user = "", team }: { readonly server: string; readonly user?: string; readonly team?: string },
): Promise<Told> {
  const found = await tokenFor(home, env)(server, user);
  if ("waiting" in found) return { ...notConnected, why: found.waiting };
  const limit = { timeoutMs: 1_000 };
  const [who, state] = await Promise.all([
    callRpc(found, "whoami", {}, limit),
    team === undefined ? undefined : callRpc(found, "alert_state", { team_id: team }, limit),
  ]);
  if (who.is !== "answered") return notConnected;
  if (state?.is !== "answered") {
    const isStranger = state?.is === "refused" && state.code === "42501" && state.details === "not_a_member";
    return { connected: true, alerts: null, isStranger };
  }
  const { alertProblem, readAlertState } = await import("../alerts/alert-lines.ts");
  const alerts = readAlertState(state.body);
  return { connected: true, alerts, alertTrouble: alerts ? alertProblem(alerts) : undefined };
}

/** What keeps records waiting has rows of its own. */
function teamText(
  { team, to, userName }: TeamPlace,
  { connected, isStranger, why }: Told,
  isExplained: boolean,
): string {
  const server = to.server === localServer ? "this machine's server" : to.server;
  if (isStranger) return plainLine(`${team.name} on ${server}; ${userName} is not a member. ${askForInvite}`);
  return plainLine(
    `${team.name} on ${server}, as ${userName}; ${connected ? "connected" : `not connected${why === undefined || isExplained ? "" : `: ${why}`}`}`,
  );
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
