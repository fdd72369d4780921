/**
 * The fleet for people: its machines, and what is wrong with them.
 *
 * - `fleetView(context, reader)` what a member sees. `engineProblems(context)` the same faults for `devflow status`.
 * - `problemsOf(facts)` pure.
 */

import type { EngineName } from "@devflow/core/enums";
import { version } from "@devflow/core/version";
import type { Fleet, HostView } from "@devflow/protocol";
import type { EngineContext } from "../engine/context.ts";
import { oldestWake } from "../engine/wakes.ts";
import type { Reader } from "../views/index.ts";
import { readHosts } from "./host-repository.ts";
import type { HostRow } from "./host-row.ts";
import { howLong } from "./host-row.ts";

export async function fleetView(context: EngineContext, { database, claims }: Reader): Promise<Fleet> {
  const hosts = viewsOf(await database.withClaims(claims, (tx) => readHosts(tx)));
  const since = await oldestWake(context);
  const { engine, host } = context;
  const open = await openRuns(context);
  const problems = problemsOf({ engine, host, hosts, open, waitingMs: since && context.clock.now() - since.getTime() });
  return { engine, host, hosts, waitingSince: since?.toISOString() ?? null, problems };
}

export async function engineProblems(context: EngineContext): Promise<string[]> {
  const open = await openRuns(context);
  if (context.engine === "inline" && open === 0) return [];
  const hosts = viewsOf(await context.database.asEngine((tx) => readHosts(tx)));
  const since = await oldestWake(context);
  const waitingMs = since && context.clock.now() - since.getTime();
  return problemsOf({ engine: context.engine, host: context.host, hosts, open, waitingMs });
}

interface FleetFacts {
  readonly engine: EngineName;
  readonly host: string;
  readonly hosts: readonly HostView[];
  /** Unfinished runs on Temporal of this machine. */
  readonly open: number;
  readonly waitingMs: number | undefined;
}

/** A change is told within a second or two; longer means that somebody is away. */
const patienceMs = 15_000;

export function problemsOf({ engine, host, hosts, open, waitingMs }: FleetFacts): string[] {
  const problems: string[] = [];
  const own = hosts.find((one) => one.host === host);
  // A server may leave the work to other machines.
  const isNeeded = open > 0 || (engine === "temporal" && !hosts.some((one) => one.state === "present"));
  if (isNeeded && (!own || own.state === "lost")) {
    const waiting =
      open > 0
        ? `${open} unfinished run${open === 1 ? "" : "s"} of this machine wait${open === 1 ? "s" : ""} for it. `
        : "";
    problems.push(`No worker is running on this machine (${host}). ${waiting}Start it: devflow-worker`);
  }
  for (const one of hosts) {
    if (one.state === "suspect" || one.state === "lost")
      problems.push(
        `The worker on ${one.name} ${silenceOf(one)}. Start it there: devflow-worker. If the machine is gone: devflow fleet remove ${one.name}`,
      );
    else if (one.version !== version)
      problems.push(
        `The worker on ${one.name} has version ${one.version}, and this server ${version}. Install the same on both.`,
      );
    else if (one.engine && one.engine.kind !== "connected" && one.engine.kind !== "connecting")
      problems.push(`Temporal, as seen from ${one.name}: ${one.engine.message}`);
  }
  if (waitingMs !== undefined && waitingMs > patienceMs && problems.length === 0)
    problems.push(`A decision has been waiting for Temporal for ${howLong(waitingMs)}. See: devflow fleet list`);
  return problems;
}

const silenceOf = ({ engine, silentMs }: HostView): string =>
  engine ? `has not been heard of for ${howLong(silentMs)}` : `was stopped ${howLong(silentMs)} ago`;

async function openRuns({ database, host }: EngineContext): Promise<number> {
  const [row] = await database.asEngine(
    (tx) => tx<{ count: number }[]>`
      select count(*)::int as count from app.runs where host = ${host} and engine = 'temporal'
        and (state not in ('completed', 'failed', 'aborted') or final_report_path is null)`,
  );
  return row?.count ?? 0;
}

/** Machines that were made from one image may have one name; then their ids tell them apart. */
function viewsOf(rows: readonly HostRow[]): HostView[] {
  const isOnly = ({ name }: HostRow) => rows.filter((one) => one.name === name).length === 1;
  return rows.map((row) => viewOf(row, isOnly(row) ? row.name : row.host));
}

const viewOf = (row: HostRow, name: string): HostView => ({
  ...{ host: row.host, name, state: row.state, version: row.version, labels: row.labels },
  agents: row.agents.filter((one) => one.available).map((one) => one.backend),
  ...{ repositories: row.repositories, places: row.places, busy: row.busy, engine: row.engine },
  announcedAt: row.announced_at,
  silentMs: Math.round(row.silent_ms),
});
