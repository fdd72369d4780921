/**
 * The alerts of a team as an edge function of a Supabase project, where no Devflow server runs. A job of the database calls it.
 *
 * - `serveAlerts(parts)` answers each call with what was done. Only a caller with the service key of the project is let in. Calls at the
 *   same time share the work: each row is taken by one of them.
 *
 * Runs on Deno, which serves whatever `Deno.serve` is given.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { systemClock } from "@devflow/core/clock";
import { environmentOf, processEnvironment } from "@devflow/core/environment";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { openDatabase } from "@devflow/db/database";
import { createMailer } from "@devflow/server/mail";
import { type AlertPart, alertPass } from "@devflow/team/alerts";
import { evalJudge } from "../server/eval-judge.ts";

declare const Deno: { serve(handler: (request: Request) => Promise<Response>): unknown };

/** Below the limit of the platform; what is left is done by the next call. */
const limitMs = 60_000;

export function serveAlerts(parts: readonly AlertPart[]): void {
  const env = processEnvironment();
  const { SUPABASE_DB_URL: url = "", SUPABASE_SERVICE_ROLE_KEY: key = "" } = environmentOf(env);
  const { DEVFLOW_SMTP_URL: smtp, DEVFLOW_MAIL_FROM: from = "Devflow <devflow@localhost>" } = env;
  const allowHosts = (env.DEVFLOW_ALERT_HOSTS ?? "").split(",").map((host) => host.trim());
  const log = consoleLog();
  Deno.serve(async (request) => {
    if (!hasKey(request, key))
      return Response.json({ error: "The service key of the project is missing." }, { status: 401 });
    try {
      const database = await openDatabase({ target: new Secret(url), migrate: false, poolSize: 2, log });
      try {
        const mail = smtp === undefined ? undefined : createMailer(new Secret(smtp), from);
        const options = { database, clock: systemClock, log, judge: async () => evalJudge, mail, allowHosts };
        return Response.json(await alertPass(options, parts, AbortSignal.timeout(limitMs)));
      } finally {
        await database.close();
      }
    } catch (error) {
      log.error({ err: error }, "the alerts were not worked on");
      // The reason is for the operator: the message of an error may name the database.
      return Response.json({ error: error instanceof DevflowError ? error.code : "internal" }, { status: 500 });
    }
  });
}

/** The platform keeps what is written to the console. The usual log wants threads, files and the name of the machine. */
function consoleLog(): Log {
  const write = (level: string) => (facts: { err?: unknown }, text: string) => {
    const { err, ...rest } = facts;
    const error = err instanceof Error ? { error: err.message } : {};
    console.log(JSON.stringify({ level, text, ...rest, ...error }));
  };
  const quiet = () => undefined;
  return { debug: quiet, trace: quiet, info: quiet, warn: write("warn"), error: write("error") } as unknown as Log;
}

function hasKey(request: Request, key: string): boolean {
  const given = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return key !== "" && timingSafeEqual(digest(given), digest(key));
}
