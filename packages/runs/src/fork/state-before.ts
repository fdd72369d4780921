/**
 * The state of a run before one of its phases first began, from its events alone. Pure.
 *
 * - `stateBefore(events, keys, at)` that state; undefined if the run never came to the phase.
 * - `reachedPhases(events, keys)` the phases that it came to, for a message that lists them.
 *
 * A phase counts as reached when it was started or skipped after everything before it was done. Phases that were only
 * skipped because their run ended were not reached.
 */
import { z } from "zod";

export interface PastEvent {
  readonly seq: number;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** ISO. */
  readonly at: string;
}

export interface PastPhase {
  readonly key: string;
  readonly state: "completed" | "skipped";
  readonly attempts: number;
  readonly reason: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string;
}

export interface PastArtifact {
  readonly phase: string;
  readonly role: string;
  readonly attempt: number;
  readonly path: string;
  readonly hash: string;
}

export interface PastFindings {
  /** The keys that the last review reported; null if there was none. */
  readonly last: { readonly at: string; readonly keys: ReadonlySet<string> } | null;
  /** The verifier's verdicts since then, by the finding's id. */
  readonly verdicts: ReadonlyMap<string, { readonly status: string; readonly reason: string | null }>;
  readonly waived: ReadonlySet<string>;
}

export interface StateBefore {
  /** When the phase began. */
  readonly at: string;
  /** The last commit; undefined: still the base commit. */
  readonly commit: string | undefined;
  readonly phases: readonly PastPhase[];
  /** The last valid one of each role in each phase. */
  readonly artifacts: readonly PastArtifact[];
  readonly findings: PastFindings;
}

const OfPhase = z.object({ phase: z.string(), attempt: z.number().default(0), reason: z.string().nullish() });
const Artifact = z.object({
  phase: z.string(),
  role: z.string(),
  attempt: z.number(),
  path: z.string(),
  hash: z.string(),
});
const Commit = z.object({ commit: z.string() });
const Batch = z.object({ findings: z.array(z.string()), attempt: z.number(), phase: z.string() });
const Verdict = z.object({ finding: z.string(), status: z.string(), reason: z.string().nullish() });
const Waiver = z.object({ finding: z.string() });
const Carried = z.object({ commit: z.string(), artifacts: z.array(Artifact), phases: z.array(z.unknown()) });

export function stateBefore(
  events: readonly PastEvent[],
  keys: readonly string[],
  at: string,
): StateBefore | undefined {
  const index = keys.indexOf(at);
  const point = events.find((event) => isBeginning(event, at));
  if (index < 0 || !point) return undefined;
  const past = events.filter((event) => event.seq < point.seq);
  const phases = keys.slice(0, index).map((key) => phaseIn(past, key));
  if (phases.some((phase) => phase === undefined)) return undefined;
  return {
    at: point.at,
    commit: commitIn(past),
    phases: phases as PastPhase[],
    artifacts: artifactsIn(past),
    findings: findingsIn(past),
  };
}

export const reachedPhases = (events: readonly PastEvent[], keys: readonly string[]): string[] =>
  keys.filter((key) => stateBefore(events, keys, key) !== undefined);

function isBeginning({ type, payload }: PastEvent, key: string): boolean {
  return (type === "phase.started" || type === "phase.skipped") && payload.phase === key;
}

/** Undefined: it was not done. A fork's first phases were done in the run that it was forked from. */
function phaseIn(past: readonly PastEvent[], key: string): PastPhase | undefined {
  const own = past.filter(({ type, payload }) => type.startsWith("phase.") && payload.phase === key);
  const last = own.at(-1);
  if (!last) return carriedPhases(past).find((phase) => phase.key === key);
  const { attempt, reason = null } = OfPhase.parse(last.payload);
  const ended = { key, attempts: attempt, reason: reason ?? null, endedAt: last.at };
  const startedAt = own.find((event) => event.type === "phase.started")?.at ?? null;
  if (last.type === "phase.completed") return { ...ended, state: "completed", startedAt };
  return last.type === "phase.skipped" ? { ...ended, state: "skipped", startedAt } : undefined;
}

const PastPhaseRow = z.object({
  key: z.string(),
  state: z.enum(["completed", "skipped"]),
  attempts: z.number(),
  reason: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string(),
});

function carriedPhases(past: readonly PastEvent[]): PastPhase[] {
  const carried = past.flatMap((event) => forkedIn(event));
  return carried.flatMap(({ phases }) => z.array(PastPhaseRow).parse(phases));
}

/** What a fork began with, from its own log. The event in the log of its origin has no state. */
function forkedIn({ type, payload }: PastEvent): z.infer<typeof Carried>[] {
  const parsed = type === "run.forked" ? Carried.safeParse(payload) : undefined;
  return parsed?.success ? [parsed.data] : [];
}

function commitIn(past: readonly PastEvent[]): string | undefined {
  const commits = past.flatMap((event) =>
    event.type === "commit.created" || event.type === "merge.completed"
      ? [Commit.parse(event.payload).commit]
      : forkedIn(event).map((one) => one.commit),
  );
  return commits.at(-1);
}

function artifactsIn(past: readonly PastEvent[]): PastArtifact[] {
  const all = past.flatMap((event) =>
    event.type === "artifact.validated"
      ? [Artifact.parse(event.payload)]
      : forkedIn(event).flatMap(({ artifacts }) => artifacts),
  );
  return [...new Map(all.map((one) => [`${one.phase} ${one.role}`, one])).values()];
}

function findingsIn(past: readonly PastEvent[]): PastFindings {
  const batches = past.filter(({ type }) => type === "review.batch_recorded");
  const last = batches.at(-1);
  const round = last && Batch.parse(last.payload);
  const ofRound = batches
    .map(({ payload }) => Batch.parse(payload))
    .filter((one) => one.phase === round?.phase && one.attempt === round.attempt);
  const since = past.filter(({ seq }) => seq > (last?.seq ?? 0));
  const verdicts = since
    .filter(({ type }) => type === "finding.verifier_resolved")
    .map(({ payload }) => Verdict.parse(payload))
    .map(({ finding, status, reason = null }) => [finding, { status, reason: reason ?? null }] as const);
  return {
    last: last ? { at: last.at, keys: new Set(ofRound.flatMap((one) => one.findings)) } : null,
    verdicts: new Map(verdicts),
    waived: new Set(
      past.filter(({ type }) => type === "finding.waived").map(({ payload }) => Waiver.parse(payload).finding),
    ),
  };
}
