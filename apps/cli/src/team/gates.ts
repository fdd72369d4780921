/**
 * Gates of teammates' runs, from the records that their machines share.
 *
 * - `openGates(folder)` those that wait for a verdict, by the newest state of each; oldest first.
 * - `pulledCache(context)` the folder of the team cache, with what the team has now.
 * - `listGates` is `devflow team gates`.
 */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { plainLine, shortLine } from "@devflow/core/plain-text";
import { cacheFolder, pullTeam, readRows } from "@devflow/team/cache";
import { z } from "zod";
import { duration } from "../data/amounts.ts";
import { requireConnection } from "../sync/connection.ts";
import { localServer, requirePlace, type TeamPlace } from "../sync/place.ts";
import { textTable } from "../text-table.ts";
import type { teamGatesRecord } from "./commands.ts";

const State = z.looseObject({
  run_id: z.uuid(),
  request_id: z.uuid(),
  rev: z.number(),
  state: z.string(),
  epoch: z.number().int(),
  diff_hash: z.string().nullish(),
  gate: z.string(),
  title: z.string(),
});
type State = z.infer<typeof State>;

interface OpenGate {
  /** Of the request that a verdict answers. */
  readonly id: string;
  readonly shown: State;
  readonly person: string;
  readonly since: string;
}

export async function openGates(folder: string): Promise<OpenGate[]> {
  const newest = new Map<string, OpenGate & { readonly record: string }>();
  for (const row of await readRows(folder, "approval_request")) {
    const shown = State.safeParse(row.payload).data;
    if (!shown) continue;
    const known = newest.get(shown.request_id);
    // State folds by (rev, id), never by time.
    if (known && (known.shown.rev > shown.rev || (known.shown.rev === shown.rev && known.record > row.id))) continue;
    const since = known && known.since < row.at ? known.since : row.at;
    newest.set(shown.request_id, { id: shown.request_id, shown, person: row.user_name ?? "", since, record: row.id });
  }
  return [...newest.values()]
    .filter(({ shown }) => shown.state === "pending")
    .sort((a, b) => (a.since < b.since ? -1 : 1));
}

export const listGates: HandlerOf<typeof teamGatesRecord> = async (_input, context) => {
  const { place, folder } = await pulledCache(context);
  const gates = await openGates(folder);
  const nowMs = Date.now();
  const rows = gates.map(({ id, shown, person, since }) => [
    id,
    shortLine(shown.title, 50),
    shortLine(shown.gate, 30),
    shortLine(person, 30),
    `${duration(nowMs - Date.parse(since))} ago`,
  ]);
  const table = textTable(
    ["GATE", "RUN", "WAITS AT", "OF", "SINCE"].map((title) => ({ title })),
    rows,
  );
  context.output.result(
    { team: place.team.name, gates },
    rows.length === 0
      ? `No run of ${plainLine(place.team.name)} waits at a gate in this repository.`
      : `${table}\n\nDecide one: devflow team decide <gate> approve`,
  );
};

export async function pulledCache(context: CommandContext): Promise<{ place: TeamPlace; folder: string }> {
  const home = homeAt(context.config().home);
  const place = await requirePlace(context);
  if (place.to.server === localServer) {
    throw new DevflowError("usage", {
      details: {
        problem: "The runs of this machine are decided here.",
        next: "devflow run list, then devflow run approve <run>",
      },
    });
  }
  const of = { ...place.to, repo: place.repo };
  const connection = await requireConnection(home, context.env, place.to);
  const pulled = await pullTeam({ home: home.root, of, connection, now: Date.now, signal: context.signal });
  if (pulled.is === "failed")
    throw new DevflowError("team_unreachable", { details: { server: place.to.server, reason: pulled.reason } });
  return { place, folder: cacheFolder(home.root, of) };
}
