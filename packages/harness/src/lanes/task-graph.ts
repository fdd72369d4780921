/**
 * The tasks of a run with lanes, and the order between them. Pure.
 *
 * - `tasksIn(artifact)` the tasks of a `dev/dag` artifact, with ids as lanes use them.
 * - `taskGraphFaults(tasks)` everything that is wrong with it, for whoever wrote it.
 * - `ancestorsOf(tasks)` for each task those that come before it, directly or not.
 * - `topologicalOrder(tasks)` dependencies first; among equals the order of the list.
 * - `dependentsOf(tasks, id)` those that cannot begin without it.
 */
import { z } from "zod";
import { parsePattern } from "./write-pattern.ts";

export const LaneTask = z.object({
  id: z.string(),
  title: z.string(),
  instructions: z.string().default(""),
  dependsOn: z.array(z.string()),
  writeSet: z.array(z.string()),
  tests: z.array(z.string()).default([]),
});
export type LaneTask = z.infer<typeof LaneTask>;

const TaskGraph = z.object({ summary: z.string().optional(), tasks: z.array(LaneTask) });

export type Ordered = Pick<LaneTask, "id" | "dependsOn">;

/** More lanes than this nobody can follow, and no machine can carry. */
const mostTasks = 100;

/** Names of folders and branches of the run itself. */
const reserved: readonly string[] = ["main", "artifacts", "attachments", "commands", "sessions"];

/** A lane's folder and branch have its id, so it is in lower case: `T1` becomes `t1`. */
export function tasksIn(artifact: unknown): LaneTask[] {
  return TaskGraph.parse(artifact).tasks.map((task) => ({
    ...task,
    id: task.id.toLowerCase(),
    dependsOn: task.dependsOn.map((id) => id.toLowerCase()),
  }));
}

export interface GraphFault {
  /** As in the artifact: `tasks[2].dependsOn[0]`. */
  readonly path: string;
  readonly message: string;
}

export function taskGraphFaults(tasks: readonly LaneTask[]): GraphFault[] {
  if (tasks.length > mostTasks)
    return [{ path: "tasks", message: `there are ${tasks.length} tasks; ${mostTasks} are the most` }];
  const ids = tasks.map((task) => task.id);
  const faults = tasks.flatMap((task, index) => taskFaults(task, index, ids));
  if (faults.length > 0) return faults;
  const cycle = cycleIn(tasks);
  return cycle ? [{ path: "tasks", message: `these tasks wait for one another: ${cycle.join(" -> ")}` }] : [];
}

function taskFaults(task: LaneTask, index: number, ids: readonly string[]): GraphFault[] {
  const here = (part: string, message: string): GraphFault => ({ path: `tasks[${index}].${part}`, message });
  const faults: GraphFault[] = [];
  if (!/^[a-z0-9-]{1,40}$/.test(task.id)) faults.push(here("id", "use letters, digits and dashes, at most 40"));
  if (reserved.includes(task.id)) faults.push(here("id", `"${task.id}" is reserved; choose another id`));
  if (ids.indexOf(task.id) < index) faults.push(here("id", `"${task.id}" is used twice (case does not count)`));
  for (const [place, id] of task.dependsOn.entries()) {
    if (id === task.id) faults.push(here(`dependsOn[${place}]`, "a task cannot depend on itself"));
    else if (!ids.includes(id)) faults.push(here(`dependsOn[${place}]`, `there is no task "${id}"`));
  }
  for (const [place, text] of task.writeSet.entries()) {
    const parsed = parsePattern(text);
    if (!parsed.ok) faults.push(here(`writeSet[${place}]`, `"${text}": ${parsed.reason}`));
  }
  return faults;
}

/** One cycle, from a task back to itself. */
function cycleIn(tasks: readonly Ordered[]): string[] | undefined {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (id: string): string[] | undefined => {
    if (done.has(id)) return undefined;
    const at = path.indexOf(id);
    if (at >= 0) return [...path.slice(at), id];
    path.push(id);
    for (const next of byId.get(id)?.dependsOn ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(id);
    return undefined;
  };
  for (const { id } of tasks) {
    const found = visit(id);
    if (found) return found;
  }
  return undefined;
}

export function ancestorsOf(tasks: readonly Ordered[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const { id, dependsOn } of topologicalOrder(tasks)) {
    const all = new Set(dependsOn);
    for (const before of dependsOn) for (const far of found.get(before) ?? []) all.add(far);
    found.set(id, all);
  }
  return found;
}

export function topologicalOrder<Task extends Ordered>(tasks: readonly Task[]): Task[] {
  const order: Task[] = [];
  const placed = new Set<string>();
  let left = [...tasks];
  while (left.length > 0) {
    const free = left.filter((task) => task.dependsOn.every((id) => placed.has(id)));
    if (free.length === 0) throw new Error("the tasks wait for one another");
    for (const task of free) placed.add(task.id);
    order.push(...free);
    left = left.filter((task) => !placed.has(task.id));
  }
  return order;
}

export function dependentsOf(tasks: readonly Ordered[], id: string): string[] {
  const ancestors = ancestorsOf(tasks);
  return tasks.filter((task) => ancestors.get(task.id)?.has(id)).map((task) => task.id);
}
