import type { HandlerOf } from "@devflow/core/command";
import { errorReport } from "@devflow/core/errors";
import { textTable } from "../text-table.ts";
import type { Check, CheckContext, CheckResult } from "./check.ts";
import { checkAlerts } from "./checks/alerts.ts";
import { checkDefinitions } from "./checks/definitions.ts";
import { checkEvals } from "./checks/evals.ts";
import { checkConfig, checkDisk, checkHome, checkWorkspace } from "./checks/home.ts";
import { checkHooks } from "./checks/hooks.ts";
import { checkNotifications } from "./checks/notifications.ts";
import { checkDurability, checkMigrations, checkPostgres } from "./checks/postgres.ts";
import { checkSandbox } from "./checks/sandbox.ts";
import { checkTemporal } from "./checks/temporal.ts";
import { checkChromium, checkClaude, checkCodex, checkGit, checkRuntime, checkTmux } from "./checks/tools.ts";
import type { doctorRecord } from "./commands.ts";

const checks: readonly Check[] = [
  checkRuntime,
  checkConfig,
  checkHome,
  checkWorkspace,
  checkDisk,
  checkPostgres,
  checkMigrations,
  checkDurability,
  checkDefinitions,
  checkGit,
  checkTmux,
  checkChromium,
  checkClaude,
  checkCodex,
  checkSandbox,
  checkTemporal,
  checkNotifications,
  checkAlerts,
  checkEvals,
  checkHooks,
];

const marks = { pass: "ok  ", warn: "warn", fail: "FAIL" } as const;

export const doctor: HandlerOf<typeof doctorRecord> = async ({ quiet, listOrphans }, handed) => {
  if (listOrphans) return await (await import("./orphans.ts")).orphans(handed);
  const { inspectConfig, env, cwd, output } = handed;
  const context: CheckContext = { inspection: inspectConfig(), env, cwd };
  let results: CheckResult[];
  try {
    results = await Promise.all(checks.map((check) => runCheck(check, context)));
  } catch (error) {
    const { message, hint } = errorReport(error);
    output.result({ ok: false, error: message }, `doctor itself failed: ${message}\n${hint}`);
    return 2;
  }
  const ok = results.every((one) => one.status !== "fail");
  const shown = quiet ? results.filter((one) => one.status !== "pass") : results;
  const rows = shown.flatMap((one) => [
    [marks[one.status], one.name, one.detail],
    ...(one.remediation ? [["", "", `→ ${one.remediation}`]] : []),
  ]);
  output.result(
    { ok, checks: shown },
    rows.length > 0 ? textTable([{ title: "" }, { title: "" }, { title: "" }], rows) : "",
  );
  return ok ? 0 : 1;
};

/** A check that throws is a failed check, with the error's message and hint. */
async function runCheck(check: Check, context: CheckContext): Promise<CheckResult> {
  try {
    return { name: check.name, ...(await check.run(context)) };
  } catch (error) {
    const { message, hint } = errorReport(error);
    return { name: check.name, status: "fail", detail: message, remediation: hint };
  }
}
