/**
 * The rows of machines: what they announce, their beats, and what people decide about them.
 *
 * - `announce(database, about)` a worker begins. `beat(database, host, engine)` it is alive; what it has to know is returned:
 *   `gone` when somebody removed it. `requireTokenTaken(database)` throws when its token is refused.
 * - `farewell(database, host)` a worker ends: its machine is shown as silent at once.
 * - `readHosts(tx)` all that the reader may see. `drainHost`, `removeHost` are people's; `mayManageHost` says whose.
 *
 * Times are those of Postgres: no machine's clock decides whether it is there.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Database, Transaction } from "@devflow/db";
import type { EngineState } from "@devflow/protocol";
import { holdsSlotIn } from "../engine/run-queue.ts";
import type { Reader } from "../views/index.ts";
import { HostRow } from "./host-row.ts";

export interface HostAbout {
  readonly host: string;
  readonly name: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly agents: readonly { readonly backend: string; readonly available: boolean }[];
  readonly repositories: readonly string[];
  readonly places: number;
  readonly workspaceRoot: string;
  readonly publicKey: string;
  readonly suspectMs: number;
  readonly lostMs: number;
  /** True for a worker with a token: its machine belongs to the token's team. */
  readonly isOfToken: boolean;
}

type Engine = Pick<Database, "asEngine">;

export async function announce({ asEngine }: Engine, about: HostAbout): Promise<void> {
  await asEngine(async (tx) => {
    const team = about.isOfToken ? tx`(select * from app.worker_teams() limit 1)` : tx`null::uuid`;
    await tx`
      insert into app.hosts (host, team_id, name, version, labels, agents, repositories, places, workspace_root, public_key,
        suspect_ms, lost_ms)
      values (${about.host}, ${team}, ${about.name}, ${about.version}, ${texts(tx, about.labels)}, ${tx.json(about.agents as never)},
        ${texts(tx, about.repositories)}, ${about.places}, ${about.workspaceRoot}, ${about.publicKey}, ${about.suspectMs}, ${about.lostMs})
      on conflict (host) do update set team_id = excluded.team_id, name = excluded.name, version = excluded.version,
        labels = excluded.labels, agents = excluded.agents, repositories = excluded.repositories, places = excluded.places,
        workspace_root = excluded.workspace_root, public_key = excluded.public_key, suspect_ms = excluded.suspect_ms,
        lost_ms = excluded.lost_ms, announced_at = now(), beat_at = now(), lost_at = null, removed_at = null, draining = false`;
  });
}

/** As an array of Postgres, without asking it for its types. */
const texts = (tx: Transaction, items: readonly string[]) =>
  tx`(select coalesce(array_agg(value), '{}') from jsonb_array_elements_text(${tx.json(items)}))`;

/** Throws when Postgres gives the token of this worker no team: it was revoked, has expired, or is of another scope. */
export async function requireTokenTaken({ asEngine }: Engine): Promise<void> {
  const teams = await asEngine((tx) => tx`select * from app.worker_teams()`);
  if (teams.length === 0) throw new DevflowError("worker_token_refused");
}

export type Beat = { readonly kind: "here"; readonly isDraining: boolean } | { readonly kind: "gone" };

export async function beat({ asEngine }: Engine, host: string, engine: EngineState): Promise<Beat> {
  const [row] = await asEngine(
    (tx) => tx<{ draining: boolean }[]>`
      update app.hosts set beat_at = now(), lost_at = null, engine = ${tx.json(engine)}
      where host = ${host} and removed_at is null returning draining`,
  );
  return row ? { kind: "here", isDraining: row.draining } : { kind: "gone" };
}

/** The worker ends: nothing is done here until it is started again. */
export async function farewell({ asEngine }: Engine, host: string): Promise<void> {
  await asEngine((tx) => tx`update app.hosts set engine = null where host = ${host} and removed_at is null`);
}

/** A machine without a word about Temporal has no worker: each beat brings one, and a worker that ends takes it back. */
export async function readHosts(tx: Transaction): Promise<HostRow[]> {
  const rows = await tx<{ row: unknown }[]>`
    select to_jsonb(h) || jsonb_build_object('state', case when h.engine is null and app.host_state(h) = 'present' then 'suspect' else app.host_state(h) end,
        'silent_ms', greatest(0, extract(epoch from (now() - h.beat_at)) * 1000)::float8,
        'busy', s.busy, 'waiting', s.waiting) as row
    from app.hosts h cross join lateral (
      select count(*) filter (where not r.queued) as busy, count(*) filter (where r.queued) as waiting
      from app.runs r where r.host = h.host and ${holdsSlotIn(tx)}) s
    where h.removed_at is null order by h.name, h.host`;
  return rows.map(({ row }) => HostRow.parse(row));
}

export async function mayManageHost({ database, claims }: Reader, host: string): Promise<boolean> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<{ may: boolean }[]>`select app.may_manage_host(${host}) as may`,
  );
  return row?.may ?? false;
}

/** False: there is no such machine. */
export async function drainHost({ asEngine }: Engine, host: string, isDraining: boolean): Promise<boolean> {
  const rows = await asEngine(
    (tx) =>
      tx`update app.hosts set draining = ${isDraining} where host = ${host} and removed_at is null returning host`,
  );
  return rows.length > 0;
}

export async function removeHost({ asEngine }: Engine, host: string): Promise<boolean> {
  const rows = await asEngine(
    (tx) => tx`update app.hosts set removed_at = now() where host = ${host} and removed_at is null returning host`,
  );
  return rows.length > 0;
}
