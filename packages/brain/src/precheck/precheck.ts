/**
 * Which conflicts this work would meet if it were shared now. Advisory: it changes nothing, and what it cannot check it says.
 *
 * - `precheck(ports, options)` the four kinds, within two seconds; what is not done by then is listed as unchecked.
 */
import { exactFindings } from "./exact.ts";
import { type OtherHead, otherHeads } from "./other-heads.ts";
import { overlaps, type TeamWork } from "./overlap.ts";
import { type GitPlace, type OwnWork, ownWork } from "./own-work.ts";
import type { Finding, PrecheckReport } from "./report.ts";
import { type SymbolsOf, semanticConflicts } from "./semantic.ts";
import { type ReadDecision, staleDecisions, staleFiles, type TeamDecision } from "./stale.ts";

export interface PrecheckPorts {
  /** What the team knows about this repository; undefined without a team. */
  team(): Promise<(TeamWork & { readonly decisions: readonly TeamDecision[] }) | undefined>;
  /** What this session read. */
  reads(): Promise<{ readonly files: ReadonlyMap<string, string>; readonly decisions: readonly ReadDecision[] }>;
  readonly symbolsOf: SymbolsOf;
  now(): number;
}

export interface PrecheckOptions {
  readonly place: GitPlace;
  readonly against?: string;
  /** The agent whose work it is. */
  readonly agent?: string;
  /** Agents at work in the same worktree: their work in progress is this work. */
  readonly sameWorktree?: readonly string[];
  readonly limitMs?: number;
}

const usualLimitMs = 2_000;

export async function precheck(
  ports: PrecheckPorts,
  { place, against, agent, sameWorktree = [], limitMs = usualLimitMs }: PrecheckOptions,
): Promise<PrecheckReport> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = place.signal ? AbortSignal.any([place.signal, limit]) : limit;
  const bounded = { ...place, signal };
  const unchecked: { what: string; reason: string }[] = [];
  /** A part that fails or takes too long is left out, and said. */
  const part = async <T>(what: string, otherwise: T, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (place.signal?.aborted) throw error;
      const reason = limit.aborted ? `it took longer than ${limitMs / 1000} s` : reasonOf(error);
      unchecked.push({ what, reason });
      return otherwise;
    }
  };
  const own = await part<OwnWork | undefined>("this work", undefined, () => ownWork(bounded, against));
  if (!own) return { against: against ?? null, branch: null, head: null, merged: 0, unchecked, findings: [] };
  const ownAgents = new Set([...(agent === undefined ? [] : [agent]), ...sameWorktree]);
  const none = { heads: [] as readonly OtherHead[], left: 0 };
  const { heads, left } = await part("other branches", none, () =>
    otherHeads(bounded, own, { nowMs: ports.now(), ownAgents }),
  );
  if (left > 0) unchecked.push({ what: `${left} more branches`, reason: "only the newest 60 are compared" });
  const team = await part("the team's work", undefined, () => ports.team());
  const reads = await part("what was read", { files: new Map(), decisions: [] }, () => ports.reads());
  const nothing: readonly Finding[] = [];
  const [exact, stale, semantic] = await Promise.all([
    part("merges", { findings: nothing, merged: 0, unmergeable: [] }, () => exactFindings(bounded, own, heads, team)),
    part("files that were read", nothing, () => staleFiles(bounded, own, reads.files)),
    part("signatures", nothing, () => semanticConflicts(bounded, own, heads, ports.symbolsOf)),
  ]);
  const met = new Set(exact.findings.map(({ file, who }) => `${file}\0${who}`));
  const findings = [
    ...exact.findings,
    ...semantic,
    // What git has shown exactly is not told again in general.
    ...(team ? overlaps({ agent, changed: own.changed }, team) : []).filter(
      ({ file, who }) => !met.has(`${file}\0${who}`),
    ),
    ...stale,
    ...(team ? staleDecisions(reads.decisions, team.decisions) : []),
  ];
  return {
    against: own.against,
    branch: own.branch,
    head: own.head,
    merged: exact.merged,
    unchecked: [...unchecked, ...exact.unmergeable],
    findings: findings.sort((a, b) => order(a) - order(b)),
  };
}

const order = ({ sure }: Finding): number => ["certain", "likely", "possible"].indexOf(sure);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
