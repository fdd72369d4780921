/**
 * Tasks that could write the same file at the same time. Pure.
 *
 * - `writeSetConflicts(tasks, files)` the pairs of tasks that no dependency orders and whose write sets meet: in a path, or
 *   in a kind of file that only one task at a time may change. `files` are those of the repository, for examples.
 * - `serialise(tasks, pairs)` the same tasks with a dependency for each pair, so that none of them meet.
 */
import { ancestorsOf, type LaneTask, type Ordered, topologicalOrder } from "./task-graph.ts";
import { intersects, matchesPath, parsePattern, samplePath, type WritePattern } from "./write-pattern.ts";

export interface WriteSetConflict {
  readonly tasks: readonly [string, string];
  /** The two patterns that meet, or the files that only one task may change. */
  readonly patterns: readonly [string, string];
  /** A file of the repository that is in both; undefined if there is none yet. */
  readonly file: string | undefined;
  /** The kind of file that lanes must not change side by side; undefined for an ordinary one. */
  readonly single: string | undefined;
}

/** Changing two of them side by side breaks a repository even if they are different files. */
const singleWriterPatterns = [
  "pnpm-lock.yaml",
  "package-lock.json",
  "**/migrations/**",
  "**/*.generated.*",
  "tsconfig*.json",
  "biome.json",
  "lefthook.yml",
  ".github/**",
  ".gitlab-ci.yml",
] as const;

type Writing = Pick<LaneTask, "id" | "dependsOn" | "writeSet">;

export function writeSetConflicts(tasks: readonly Writing[], files: readonly string[] = []): WriteSetConflict[] {
  const ancestors = ancestorsOf(tasks);
  const sets = new Map(tasks.map((task) => [task.id, task.writeSet.flatMap(patternOf)]));
  const single = new Map(tasks.map((task) => [task.id, singleFiles(sets.get(task.id) ?? [], files)]));
  const conflicts: WriteSetConflict[] = [];
  for (const [index, a] of tasks.entries()) {
    for (const b of tasks.slice(index + 1)) {
      if (ancestors.get(a.id)?.has(b.id) || ancestors.get(b.id)?.has(a.id)) continue;
      const met = meeting(sets.get(a.id) ?? [], sets.get(b.id) ?? []);
      if (met) {
        const file = files.find((path) => matchesPath(met[0], path) && matchesPath(met[1], path));
        conflicts.push({ tasks: [a.id, b.id], patterns: [met[0].text, met[1].text], file, single: undefined });
        continue;
      }
      const shared = [...(single.get(a.id) ?? [])].find(([kind]) => single.get(b.id)?.has(kind));
      if (!shared) continue;
      const [kind, ofA] = shared;
      const ofB = single.get(b.id)?.get(kind) ?? "";
      conflicts.push({ tasks: [a.id, b.id], patterns: [ofA, ofB], file: undefined, single: kind });
    }
  }
  return conflicts;
}

function meeting(a: readonly WritePattern[], b: readonly WritePattern[]): [WritePattern, WritePattern] | undefined {
  for (const one of a) {
    const other = b.find((pattern) => intersects(one, pattern));
    if (other) return [one, other];
  }
  return undefined;
}

/** By kind, the pattern of the write set that names such files: on purpose, or because there are some. */
function singleFiles(set: readonly WritePattern[], files: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const kind of singleWriterPatterns) {
    const [pattern] = patternOf(kind);
    if (!pattern) continue;
    const existing = files.filter((path) => matchesPath(pattern, path));
    const named = set.find(
      (one) => matchesPath(pattern, samplePath(one)) || existing.some((path) => matchesPath(one, path)),
    );
    if (named) found.set(kind, named.text);
  }
  return found;
}

/** Those that are refused have been reported before, by `taskGraphFaults`. */
function patternOf(text: string): WritePattern[] {
  const parsed = parsePattern(text);
  return parsed.ok ? [parsed.pattern] : [];
}

export function serialise<Task extends Ordered>(
  tasks: readonly Task[],
  pairs: readonly { readonly tasks: readonly [string, string] }[],
): Task[] {
  const order = new Map(topologicalOrder(tasks).map((task, index) => [task.id, index]));
  const place = (id: string): number => order.get(id) ?? 0;
  let result = [...tasks];
  for (const { tasks: pair } of pairs) {
    const [first, second] = place(pair[0]) < place(pair[1]) ? pair : [pair[1], pair[0]];
    if (ancestorsOf(result).get(second)?.has(first)) continue;
    result = result.map((task) => (task.id === second ? { ...task, dependsOn: [...task.dependsOn, first] } : task));
  }
  return result;
}
