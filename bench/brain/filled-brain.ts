/** A database with a team whose brain is full, for benchmarks of reading; `ask(sql, args)` calls a function as its member. */
import { uuidv7 } from "@devflow/core/ids";
import { connectAsAdmin, type Sql } from "@devflow/db";
import { testDatabase } from "@devflow/testkit";
import type { FilledTeam } from "./fill-brain.ts";

export interface FilledBrain {
  readonly of: FilledTeam;
  /** Milliseconds. */
  ask(call: string, args: readonly unknown[]): Promise<number>;
  close(): Promise<void>;
}

export const madeRepo = "github.com/made/made";

export async function filledBrain(fill: (sql: Sql, of: FilledTeam) => Promise<void>): Promise<FilledBrain> {
  const { database, target, name, close } = await testDatabase();
  const sql = connectAsAdmin(target, name);
  const user = uuidv7<"user">();
  await database.asEngine((tx) => tx`select app.ensure_user(${user}, 'Ada')`);
  const as = { sub: user, role: "authenticated" } as const;
  const [team] = await database.withClaims(as, (tx) => tx<{ id: string }[]>`select id from api.create_team('Made')`);
  const of = { team: team?.id ?? "", user, repo: uuidv7<"repo">() };
  await sql`insert into app.repos (id, team_id, name, canonical) values (${of.repo}, ${of.team}, 'made', ${madeRepo})`;
  await fill(sql, of);
  return {
    of,
    async ask(call, args) {
      const started = performance.now();
      await database.withClaims(as, (tx) => tx.unsafe(call, [of.team, ...args] as never[]));
      return performance.now() - started;
    },
    async close() {
      await sql.end();
      await close();
    },
  };
}
