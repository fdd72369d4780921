/** `devflow team alerts set`. */
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import type { RpcArguments } from "@devflow/protocol";
import { callRpc } from "../server/client.ts";
import { askLine } from "../sync/ask-line.ts";
import { requireTeamServer } from "../team/team-server-only.ts";
import { findTarget } from "../team/team-target.ts";
import { alertLines } from "./alert-lines.ts";
import { type alertsSetRecord, weekDays } from "./commands.ts";

type Changes = Omit<RpcArguments<"set_alerts">, "team_id">;

export const setAlerts: HandlerOf<typeof alertsSetRecord> = async (input, context) => {
  const { address, server, team } = await findTarget(context, input);
  requireTeamServer(server, "Sending alerts");
  const changes = await changesOf(input, context);
  if (Object.keys(changes).length === 0) {
    throw new DevflowError("usage", {
      details: {
        problem: "Nothing to change was named.",
        next: "For example: devflow team alerts set --webhook <url>",
      },
    });
  }
  const state = await callRpc(address, "set_alerts", { team_id: team.id, ...changes });
  const test =
    state.webhook_host !== null || (state.emails ?? []).length > 0 ? "\nTry it: devflow team alerts test" : "";
  context.output.result(state, `${alertLines(state)}${test}`);
};

async function changesOf(input: InputOf<typeof alertsSetRecord>, context: CommandContext): Promise<Changes> {
  const { webhook, format, email, branch, digest, day, hour, timeZone } = input;
  return {
    ...(webhook === undefined ? {} : { webhook_url: await urlOf(webhook, context) }),
    ...(format === undefined ? {} : { webhook_format: format }),
    ...(email.length === 0 ? {} : { emails: listOf(email, "none") }),
    ...(branch.length === 0 ? {} : { branches: listOf(branch, "all") }),
    ...(digest === undefined ? {} : { digest: digest === "on" }),
    ...(day === undefined ? {} : { digest_day: weekDays.indexOf(day) + 1 }),
    ...(hour === undefined ? {} : { digest_hour: hour }),
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
  };
}

const listOf = (words: readonly string[], nothing: string): string[] =>
  words.flatMap((word) => word.split(",")).filter((word) => word !== nothing && word !== "");

async function urlOf(given: string, context: CommandContext): Promise<string> {
  if (given === "none") return "";
  const url = given === "-" ? await askLine(context, "Paste the webhook's URL:") : given;
  if (/^https?:\/\/[^/@\s?#]+([/?][^\s@#]*)?$/.test(url) && URL.canParse(url)) return url;
  // Without what was typed: it may be a secret with a typo.
  throw new DevflowError("input_invalid", {
    details: { problem: "This is not an http or https URL.", next: "It looks like https://hooks.slack.com/services/…" },
  });
}
