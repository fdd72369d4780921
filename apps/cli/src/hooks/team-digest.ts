/**
 * What this machine last pulled of the team's work in a repository, without a network.
 *
 * - `cachedDigest(home, team)` undefined when nothing was pulled yet.
 * - `freshDigest(home, team, ports)` the same; an old one is first refreshed by a drainer, for which it waits a second at most.
 * - `teamWork(digest, presences)` the part that a precheck compares with; live sessions of this machine are known before the team knows
 *   them.
 */
import { join } from "node:path";
import { digestWrittenMs, readDigest } from "@devflow/brain/digest";
import type { HookTeam } from "@devflow/brain/hooks";
import type { TeamDecision, TeamWork } from "@devflow/brain/precheck";
import type { Presence } from "@devflow/brain/presence";
import type { BrainDigest } from "@devflow/protocol";
import { folderKey } from "@devflow/team/repository-name";

type Repository = Pick<HookTeam, "server" | "team" | "repo">;

export async function cachedDigest(home: string, of: Repository): Promise<BrainDigest | undefined> {
  return await readDigest(folderOf(home, of));
}

const folderOf = (home: string, { server, team, repo }: Repository): string =>
  join(home, "teams", folderKey(server), folderKey(team), folderKey(repo));

/** A drainer that is at work refreshes it more often than this. */
const freshMs = 90_000;
const waitMs = 1_000;
const lookEveryMs = 25;

export async function freshDigest(
  home: string,
  team: Repository,
  { wake, signal }: { readonly wake: () => Promise<boolean>; readonly signal: AbortSignal },
): Promise<BrainDigest | undefined> {
  const folder = folderOf(home, team);
  const before = digestWrittenMs(folder);
  const isFresh = before !== undefined && Date.now() - before < freshMs;
  if (!isFresh && (await wake())) {
    for (const until = Date.now() + waitMs; Date.now() < until && !signal.aborted; ) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      if (digestWrittenMs(folder) !== before) break;
    }
  }
  return await readDigest(folder);
}

export function teamWork(
  digest: BrainDigest | undefined,
  presences: readonly Presence[],
): TeamWork & { decisions: TeamDecision[] } {
  const edits = (digest?.edits ?? []).map((one) => ({
    agent: one.agent_id,
    who: one.user_name,
    branch: one.branch,
    file: one.file,
    lines: one.lines.map(([first, last]): [number, number] => [first, last]),
    at: one.at,
  }));
  const known = new Set(edits.map(({ agent, file }) => `${agent}\0${file}`));
  const live = presences.flatMap(({ agent, files, branch, at }) =>
    files.flatMap((file) =>
      known.has(`${agent.id}\0${file}`)
        ? []
        : [{ agent: agent.id, who: sessionName(agent), branch, file, lines: [], at }],
    ),
  );
  const intents = (digest?.intents ?? []).flatMap((one) =>
    one.agent_id === null
      ? []
      : [{ agent: one.agent_id, who: one.user_name, branch: one.branch, text: one.text, files: one.files }],
  );
  const decisions = (digest?.decisions ?? []).map(({ id, rev, title, user_name: who, state }) => ({
    ...{ id, rev, title, who: who ?? "the team", state },
  }));
  return { edits: [...edits, ...live], intents, decisions };
}

const sessionName = ({ handle, host, session }: Presence["agent"]): string =>
  `${handle ?? "you"} (${host} session ${session.slice(0, 8)})`;
