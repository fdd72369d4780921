/** `devflow ship log`. */
import type { HandlerOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { shortLine } from "@devflow/core/plain-text";
import { readShips, type Ship, saveShip, shipAtHead } from "@devflow/team/ship";
import { duration } from "../data/amounts.ts";
import { plural } from "../eval/words.ts";
import { pushed, syncLine } from "../sync/push-records.ts";
import type { shipLogRecord } from "./commands.ts";
import { knownShips } from "./known-ships.ts";

export const shipLog: HandlerOf<typeof shipLogRecord> = async ({ version, pr, fixes, since }, context) => {
  const { env, signal, output } = context;
  const home = homeAt(context.config().home);
  const { root, name, repo, team, ships } = await knownShips(context);
  const known = ships.flatMap((one) => (one.sha === null ? [] : [{ version: one.version, sha: one.sha, at: one.at }]));
  const made = await shipAtHead(
    { cwd: root, env, signal },
    { version, prUrl: pr, fixes, since, known, repo, nowMs: Date.now() },
  );
  const { since: _since, ...fresh } = made;
  // The first one stays, with its time: a record has one content for ever.
  const before = (await readShips(home.root, repo)).find(({ id }) => id === made.id);
  const ship = before ?? fresh;
  if (!before) await saveShip(home.root, repo, ship);
  let line: string | undefined;
  if (team) {
    const { id, ...payload } = ship;
    const { isSent } = await pushed(home, team, [{ id, kind: "ship_log", payload }], context);
    line = syncLine({ isSent, syncEnabled: context.config().syncEnabled });
  }
  output.result({ ...ship, team: team?.team.name ?? null }, shipText(name, ship, before !== undefined));
  if (line) output.note(line);
};

function shipText(name: string, { version, commits, lead_seconds, fixes, branch }: Ship, isOld: boolean): string {
  const what = `${shortLine(name, 60)} ${shortLine(version, 60)} from ${shortLine(branch, 60)}`;
  if (isOld) return `${what} was logged before.`;
  const size =
    lead_seconds === null
      ? "no earlier ship or version tag to count commits from"
      : `${plural(commits, "commit")}, ${duration(lead_seconds * 1000)} from commit to ship`;
  return `Shipped ${what}: ${size}${fixes.length > 0 ? `; repairs ${fixes.map((one) => shortLine(one, 40)).join(", ")}` : ""}.`;
}
