/** `devflow retro`. */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { recordsOfFile } from "@devflow/team/records";
import { retroOf, retroPayload } from "@devflow/team/retro";
import { findPlace, type TeamPlace } from "../sync/place.ts";
import { pushed, syncLine } from "../sync/push-records.ts";
import { repositoryTitle } from "../team/repository-title.ts";
import { requireRepository } from "../team/require-repository.ts";
import type { retroRecord } from "./commands.ts";
import { retroText } from "./retro-view.ts";
import { teamWork } from "./team-work.ts";

const dayMs = 86_400_000;

export const retro: HandlerOf<typeof retroRecord> = async (input, context) => {
  const { env, signal, output } = context;
  const root = await requireRepository(context);
  const days = Number.parseInt(input.window, 10);
  const untilMs = input.until === undefined ? Date.now() : endOfDay(input.until);
  const place = await findPlace(context);
  const name = repositoryTitle(place?.repo, root);
  const report = await retroOf({ root, env, signal }, { days, untilMs, name });
  const team = input.team
    ? await teamWork(context, { sinceMs: untilMs - days * dayMs, untilMs }).then((found) => found ?? null)
    : undefined;
  const payload = retroPayload(report);
  const shared = place && !input.noShare ? await share(place, payload, context) : undefined;
  const value = { ...payload, ...(team === undefined ? {} : { team }), ...(shared ? { record: shared.id } : {}) };
  output.result(value, retroText(report, team, context));
  if (shared) output.note(shared.line);
};

async function share(
  place: TeamPlace,
  payload: object,
  context: CommandContext,
): Promise<{ id: string; line: string }> {
  const about = { file: "The retro", team: place.to.team, repo: place.repo };
  const { drafts } = recordsOfFile("retro", JSON.stringify(payload), about);
  const { ids, isSent } = await pushed(homeAt(context.config().home), place, drafts, context);
  return { id: ids[0] ?? "", line: syncLine({ isSent, syncEnabled: context.config().syncEnabled }) };
}

/** On the clock of whoever asks. */
function endOfDay(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return Math.min(Date.now(), new Date(year, month - 1, date + 1).getTime() - 1);
}
