/**
 * The alerts of a team as text.
 *
 * - `readAlertState(answer)` what a server said about them; null when it is something else.
 * - `alertLines(state)` where they go, and what could not be sent; `alertProblem(state)` only the latter, undefined when all is well.
 */
import { plainLine } from "@devflow/core/plain-text";
import { AlertState } from "@devflow/protocol";
import { counted } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import { weekDays } from "./commands.ts";

export const readAlertState = (answer: unknown): AlertState | null => AlertState.safeParse(answer).data ?? null;

export function alertLines(state: AlertState): string {
  const { webhook_host, webhook_format, emails, branches, open_regressions, waiting } = state;
  const problem = alertProblem(state);
  const rows = [
    ["Webhook", webhook_host === null ? "none" : `${plainLine(webhook_host)} (${webhook_format})`],
    ...(emails === null ? [] : [["Mail", emails.map(plainLine).join(", ") || "none"]]),
    ["Branches", branches.map(plainLine).join(", ") || "all"],
    ["Digest", digestText(state)],
    ["Open", open_regressions === 0 ? "no regression" : counted(open_regressions, "regression")],
    ...(waiting === 0 ? [] : [["Waiting", counted(waiting, "message")]]),
    ...(problem === undefined ? [] : [["Problem", problem]]),
  ];
  return textTable([{ title: "" }, { title: "" }], rows);
}

export function alertProblem({ failing, given_up, last_error }: AlertState): string | undefined {
  if (failing + given_up === 0) return undefined;
  const what = [
    failing > 0 ? `${counted(failing, "message")} tried again` : "",
    given_up > 0 ? `${counted(given_up, "message")} given up` : "",
  ];
  return `${what.filter(Boolean).join(", ")}: ${plainLine(last_error ?? "no reason")}`;
}

function digestText({ digest, digest_day, digest_hour, time_zone }: AlertState): string {
  if (!digest) return "off";
  return `${weekDays[digest_day - 1]} at ${String(digest_hour).padStart(2, "0")}:00, ${plainLine(time_zone)}`;
}
