/** Which runs the dashboard shows, by the URL's `state`, `repo` and `q`, and in which order. */
import type { RunSummary } from "@devflow/protocol";
import { runStates, runWord } from "./run-words.ts";

export type RunGroup = "open" | "ended" | RunSummary["state"];
const ended: readonly RunSummary["state"][] = ["completed", "failed", "aborted"];

export interface RunsSearch {
  readonly state?: RunGroup | undefined;
  readonly q?: string | undefined;
}

export function runsSearch(raw: Record<string, unknown>): RunsSearch {
  const state = ["open", "ended", ...runStates].find((each) => each === raw.state) as RunGroup | undefined;
  const q = typeof raw.q === "string" || typeof raw.q === "number" ? String(raw.q).slice(0, 200) : "";
  return { state, q: q || undefined };
}

/** Runs that wait for a person first, then active ones, then ended ones; newest first within each group. */
export function shownRuns(
  runs: readonly RunSummary[],
  { state, q = "", repo }: RunsSearch & { readonly repo?: string | undefined },
): RunSummary[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return runs
    .filter((run) => {
      if (repo !== undefined && !isOfRepository(run, repo)) return false;
      if (state === "open" && ended.includes(run.state)) return false;
      if (state === "ended" && !ended.includes(run.state)) return false;
      if (state !== undefined && state !== "open" && state !== "ended" && run.state !== state) return false;
      const text =
        `${run.title} ${runWord(run).word} ${run.repository} ${run.branch} ${run.template} ${run.startedBy.name} ${run.id} ${run.phase?.title ?? ""}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => rank(a) - rank(b) || Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1));
}

export function countByState(runs: readonly RunSummary[]): { group: RunGroup; count: number }[] {
  const count = (group: RunGroup) => shownRuns(runs, { state: group }).length;
  return (["open", ...runStates, "ended"] as const)
    .map((group) => ({ group, count: count(group) }))
    .filter((entry) => entry.count > 0 || entry.group === "open" || entry.group === "ended");
}

/** A run has its repository's path, the URL its name. */
function isOfRepository(run: Pick<RunSummary, "repository">, name: string): boolean {
  return run.repository === name || repositoryName(run.repository) === name;
}

/** The last part of its path or its remote. */
export const repositoryName = (repository: string): string =>
  repository
    .replace(/\.git\/?$/, "")
    .split(/[\\/:]/)
    .filter(Boolean)
    .at(-1) ?? repository;

const rank = (run: RunSummary): number => {
  if (run.state === "awaiting_approval" || run.pendingApprovals + run.pendingPermissions > 0) return 0;
  return ended.includes(run.state) ? 2 : 1;
};
