/**
 * The reads of the live streams, as the engine: one query serves every team, for any number of subscribers.
 *
 * - `changesAfter(cursors)` the next changes of each team, in order, at most `pageSize` per team.
 * - `heads(teams)` the last seq of each; of every team when none are named.
 * - `teamsOf(users)` the teams of each person.
 * - `announce(heads)` NOTIFY for other processes.
 */
import type { Database } from "@devflow/db";

export interface ChangeRow {
  readonly teamId: string;
  readonly seq: number;
  readonly kind: string;
  readonly entityId: string;
  /** A protocol `Change` as JSON, written by Postgres. */
  readonly data: string;
}

export interface ChangeStore {
  changesAfter(cursors: ReadonlyMap<string, number>): Promise<readonly ChangeRow[]>;
  heads(teams?: readonly string[]): Promise<Map<string, number>>;
  teamsOf(users: readonly string[]): Promise<Map<string, ReadonlySet<string>>>;
  announce(heads: ReadonlyMap<string, number>): Promise<void>;
}

export const pageSize = 500;
export const channel = "devflow_changes";

export function changeStore(database: Pick<Database, "asEngine" | "sql">): ChangeStore {
  return {
    async changesAfter(cursors) {
      const teams = [...cursors.keys()];
      const after = [...cursors.values()];
      const rows = await database.asEngine(
        (tx) => tx<{ team_id: string; seq: number; kind: string; entity_id: string; data: string }[]>`
          select c.team_id, c.seq::float8 as seq, c.kind, c.entity_id,
            json_build_object('teamId', c.team_id, 'seq', c.seq, 'kind', c.kind, 'entityId', c.entity_id,
              'op', c.op, 'at', c.at)::text as data
          from unnest(${teams}::uuid[], ${after}::bigint[]) as f(team_id, after)
          cross join lateral (
            select * from app.changes c where c.team_id = f.team_id and c.seq > f.after order by c.seq limit ${pageSize}
          ) c
          order by c.team_id, c.seq`,
      );
      return rows.map(({ team_id, entity_id, ...row }) => ({ ...row, teamId: team_id, entityId: entity_id }));
    },
    async heads(teams) {
      const rows = await database.asEngine((tx) =>
        teams
          ? tx<{ team_id: string; seq: number }[]>`
              select team_id, seq::float8 as seq from app.team_counters where team_id = any(${[...teams]}::uuid[])`
          : tx<{ team_id: string; seq: number }[]>`select team_id, seq::float8 as seq from app.team_counters`,
      );
      return new Map(rows.map((row) => [row.team_id, row.seq]));
    },
    async teamsOf(users) {
      const rows = await database.asEngine(
        (tx) => tx<{ user_id: string; team_id: string }[]>`
          select user_id, team_id from app.team_members where user_id = any(${[...users]}::uuid[]) order by team_id`,
      );
      const found = new Map<string, Set<string>>(users.map((user) => [user, new Set()]));
      for (const row of rows) found.get(row.user_id)?.add(row.team_id);
      return found;
    },
    async announce(heads) {
      const messages = [...heads].map(([team, seq]) => `${team}:${seq}`);
      await database.sql`select pg_notify(${channel}, message) from unnest(${messages}::text[]) as message`;
    },
  };
}
