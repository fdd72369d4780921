/**
 * The background work of a team server: comparing eval runs, sending messages, queueing digests, and erasing what is no longer kept.
 *
 * - `createAlertWork(options)`; `wake()` there may be something new; `start()`, `stop()`.
 * - `alertPass(options, parts, signal)` the same work once, for where no process stays: what was compared, sent and not sent.
 * - `problems()` what could not be done, as text.
 *
 * Several servers over one database share the work: each row is taken by one of them at a time.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Clock } from "@devflow/core/clock";
import { faultPoint } from "@devflow/core/fault-point";
import type { Log } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import type { Database } from "@devflow/db";
import { rpcAnswer } from "@devflow/protocol";
import { composeDigest } from "../digest/index.ts";
import type { AlertMessage } from "../messages/index.ts";
import { DigestSpan, EvalAlert } from "./alert.ts";
import { checkNextRun } from "./check-runs.ts";
import { composeAlert, composeTest } from "./compose-alert.ts";
import type { EvalJudge } from "./eval-judge.ts";
import { type DueMessage, nextDueInMs, outboxProblems, settle, takeDue } from "./outbox.ts";
import { sendWebhook } from "./send-webhook.ts";

export interface AlertWorkOptions {
  readonly database: Pick<Database, "asEngine">;
  readonly clock: Clock;
  readonly log: Log;
  /** Loaded when the first run has to be compared. */
  readonly judge: () => Promise<EvalJudge>;
  /** Sends one mail, or throws; absent when the server cannot. */
  readonly mail?: { send(mail: AlertMail): Promise<void> } | undefined;
  /** Where the team's web is, for links; absent where there is none. */
  readonly webUrl?: string | undefined;
  /** Hosts of webhooks that may have a private address. */
  readonly allowHosts: readonly string[];
  /** A change of the team's log was written: its streams are to be told. */
  readonly wrote?: () => void;
}

export interface AlertMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same in every attempt. */
  readonly id: string;
}

/** What a pass does, besides sending what is due. */
export type AlertPart = "digests" | "regressions" | "retention";

export interface AlertPassReport {
  readonly compared: number;
  readonly sent: number;
  readonly failed: number;
}

export async function alertPass(
  options: AlertWorkOptions,
  parts: readonly AlertPart[],
  signal: AbortSignal,
): Promise<AlertPassReport> {
  if (parts.includes("digests")) await bestEffort("queue digests", options.log, () => queueDigests(options));
  let compared = 0;
  while (parts.includes("regressions") && !signal.aborted && (await checkNextRun(options))) compared += 1;
  const { sent, failed } = await sendAllDue(options, signal);
  if (parts.includes("retention") && !signal.aborted)
    await bestEffort("erase what is no longer kept", options.log, () => eraseOld(options, signal));
  return { compared, sent, failed };
}

export interface AlertWork {
  wake(): void;
  problems(): Promise<string[]>;
  start(): void;
  stop(): Promise<void>;
}

/** When nothing wakes it: a row of another server, a digest that is due. */
const idleMs = 30_000;
const tidyEveryMs = 3600_000;

export function createAlertWork(options: AlertWorkOptions): AlertWork {
  const { clock, log } = options;
  const end = new AbortController();
  let pause = new AbortController();
  let isWoken = false;
  let tidiedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> = Promise.resolve();

  const once = async (): Promise<void> => {
    const isTidyDue = clock.now() - tidiedAt >= tidyEveryMs;
    if (isTidyDue) tidiedAt = clock.now();
    await alertPass(options, ["digests", "regressions", ...(isTidyDue ? (["retention"] as const) : [])], end.signal);
  };

  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      isWoken = false;
      pause = new AbortController();
      await bestEffort("alerts", log, once);
      if (isWoken) continue;
      const due = await bestEffort("alerts", log, () => nextDueInMs(options));
      const wait = Math.min(idleMs, due ?? idleMs);
      await clock.sleep(wait, AbortSignal.any([end.signal, pause.signal])).catch(() => undefined);
    }
  };

  return {
    wake() {
      isWoken = true;
      pause.abort();
    },
    problems: () => outboxProblems(options),
    start() {
      running = loop();
    },
    async stop() {
      end.abort();
      await running;
    },
  };
}

async function queueDigests({ database, clock }: AlertWorkOptions): Promise<void> {
  await database.asEngine((tx) => tx`select app.queue_digests(${new Date(clock.now()).toISOString()}::timestamptz)`);
}

async function sendAllDue(
  options: AlertWorkOptions,
  signal: AbortSignal,
): Promise<Pick<AlertPassReport, "sent" | "failed">> {
  let [sent, failed] = [0, 0];
  for (;;) {
    const due = signal.aborted ? undefined : await takeDue(options);
    if (!due) return { sent, failed };
    const error = await sendOne(options, due, signal);
    // Not settled: it is due again soon after the next start.
    if (signal.aborted) return { sent, failed };
    if (error === undefined) sent += 1;
    else failed += 1;
    faultPoint("alertAfterSent");
    await settle(options, due, error);
    const { teamId, key, attempts } = due;
    if (error !== undefined) options.log.warn({ teamId, key, attempts, reason: error }, "an alert was not sent");
  }
}

/** Why it was not sent. */
async function sendOne(options: AlertWorkOptions, due: DueMessage, signal: AbortSignal): Promise<string | undefined> {
  let message: AlertMessage;
  try {
    message = await messageOf(options, due);
  } catch (error) {
    options.log.warn({ err: error, teamId: due.teamId, key: due.key }, "an alert could not be composed");
    return "it could not be composed; see the server's log";
  }
  if (due.target === "webhook") {
    if (due.webhookUrl === null) return "there is no webhook any more";
    const webhook = { url: new Secret(due.webhookUrl), format: due.webhookFormat };
    return await sendWebhook(webhook, message, { allowHosts: options.allowHosts, signal });
  }
  if (!options.mail) return "this server cannot send mail: devflow config set smtp_url <url>";
  const { subject, text, html } = message;
  try {
    await options.mail.send({ to: due.target, subject, text, html, id: `${due.teamId}:${due.key}` });
    return undefined;
  } catch (error) {
    return (error as Error).message.slice(0, 300);
  }
}

async function messageOf({ database, webUrl }: AlertWorkOptions, due: DueMessage): Promise<AlertMessage> {
  const { key: id, team, slug, teamId, kind, body, timeZone } = due;
  const screen = (name: string) =>
    webUrl === undefined ? undefined : `${webUrl}/team/${name}?team=${encodeURIComponent(slug)}`;
  switch (kind) {
    case "regression":
    case "recovery":
      return composeAlert({ id, team, kind, alert: EvalAlert.parse(body), url: screen("evals") });
    case "digest": {
      const { from, to } = DigestSpan.parse(body);
      const [row] = await database.asEngine(
        (tx) => tx<{ page: unknown }[]>`
          select to_json(d) as page from app.digest_of(${teamId}, ${from}::timestamptz, ${to}::timestamptz) d`,
      );
      return { ...composeDigest(rpcAnswer("digest").parse(row?.page), timeZone, screen("pulse")), id, kind };
    }
    case "test":
      return composeTest(team, id);
  }
}

async function eraseOld({ database, clock, log, wrote }: AlertWorkOptions, signal: AbortSignal): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  await database.asEngine((tx) => tx`select app.tidy(${at}::timestamptz)`);
  let erased = 0;
  while (!signal.aborted) {
    const [row] = await database.asEngine(
      (tx) => tx<{ count: number }[]>`select app.apply_retention(${at}::timestamptz) as count`,
    );
    if (!row?.count) break;
    erased += row.count;
    wrote?.();
  }
  if (erased > 0) log.info({ erased }, "records were erased because their time is over");
}
