/**
 * A machine that drives runs, as Postgres has it.
 *
 * - `hostFor(hosts, need)` pure: the machine that a run goes to, or why there is none.
 */
import { hostStates } from "@devflow/core/enums";
import { EngineState } from "@devflow/protocol";
import { z } from "zod";

export const HostRow = z.object({
  host: z.string(),
  team_id: z.string().nullable(),
  name: z.string(),
  version: z.string(),
  labels: z.array(z.string()),
  agents: z.array(z.object({ backend: z.string(), available: z.boolean(), version: z.string().nullish() })),
  repositories: z.array(z.string()),
  places: z.number(),
  workspace_root: z.string(),
  public_key: z.string(),
  engine: EngineState.nullable(),
  announced_at: z.string(),
  beat_at: z.string(),
  state: z.enum(hostStates),
  /** Runs at work there, and those that are queued there. */
  busy: z.number(),
  waiting: z.number(),
  /** Milliseconds since its last beat, by the clock of Postgres. */
  silent_ms: z.number(),
});
export type HostRow = z.infer<typeof HostRow>;

export interface HostNeed {
  readonly teamId: string;
  /** The name, the id or a label of a machine; undefined: any. */
  readonly wanted?: string | undefined;
  /** `repo_key` of the run. */
  readonly repository: string;
  /** Backends that the run's roles are bound to. */
  readonly backends: readonly string[];
  /** A machine that it leaves. */
  readonly except?: string | undefined;
  /** Of several that are equally free, this one. */
  readonly prefer?: string | undefined;
}

/** The label that every machine has. */
const anyLabel = "any";

/** Whether a word means a label, and not one of the machines. */
export const isLabel = (hosts: readonly HostRow[], wanted: string): boolean =>
  !hosts.some((one) => one.host === wanted || one.name === wanted);

export type HostChoice =
  | { readonly ok: true; readonly host: HostRow }
  | { readonly ok: false; readonly reason: string };

export function hostFor(hosts: readonly HostRow[], need: HostNeed): HostChoice {
  const known = hosts.filter((one) => one.team_id === null || one.team_id === need.teamId);
  const { wanted } = need;
  const meant =
    wanted === undefined
      ? known
      : known.filter((one) => one.host === wanted || one.name === wanted || hasLabel(one, wanted));
  if (wanted !== undefined && meant.length === 0)
    return { ok: false, reason: `no machine or label is called ${wanted}` };
  const judged = meant.map((host) => ({ host, fault: faultOf(host, need) }));
  const fit = judged.filter((one) => one.fault === undefined).map((one) => one.host);
  // The most free places first, then by name, so that the same fleet gives the same answer.
  const [best] = fit.toSorted(
    (a, b) =>
      freePlaces(b) - freePlaces(a) ||
      Number(b.host === need.prefer) - Number(a.host === need.prefer) ||
      a.host.localeCompare(b.host),
  );
  if (best) return { ok: true, host: best };
  const isOnly = ({ name }: HostRow) => hosts.filter((one) => one.name === name).length === 1;
  const reasons = judged.map(({ host, fault }) => `${isOnly(host) ? host.name : host.host} ${fault}`);
  return { ok: false, reason: reasons.length === 0 ? "there is no machine" : reasons.join("; ") };
}

const hasLabel = ({ labels }: HostRow, wanted: string): boolean => wanted === anyLabel || labels.includes(wanted);

/** Below zero when runs are queued there. */
const freePlaces = ({ places, busy, waiting }: HostRow): number => places - busy - waiting;

function faultOf(host: HostRow, { repository, backends, except }: HostNeed): string | undefined {
  if (host.host === except) return "is the one that it leaves";
  if (host.state !== "present") return `is ${host.state}`;
  if (!isAllowed(host.repositories, repository)) return `does not take runs of ${repository}`;
  const missing = backends.filter((name) => !host.agents.some((one) => one.backend === name && one.available));
  return missing.length > 0 ? `has no ${missing.join(", ")}` : undefined;
}

/** Patterns with `*` for a part of the name; an empty list allows everything. */
export function isAllowed(patterns: readonly string[], repository: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matcher(pattern).test(repository));
}

const matcher = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"))
      .join(".*")}$`,
    "i",
  );

export const howLong = (ms: number): string =>
  ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
