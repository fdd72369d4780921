/**
 * Which lanes begin next. Pure, and the same for the same tasks.
 *
 * - `nextToStart(tasks, most)` tasks whose dependencies are all done, as many as there is room for: first those with the
 *   longest way behind them, then in the order of the list.
 * - `wayBehind(tasks)` for each task how many tasks follow it one after the other.
 */
import { type Ordered, topologicalOrder } from "./task-graph.ts";

export interface Scheduled extends Ordered {
  readonly isDone: boolean;
  /** Given up; nothing waits for it any more. */
  readonly isDropped: boolean;
  /** Its lane works. */
  readonly isWorking: boolean;
  /** It has not begun, or has to begin again. */
  readonly isWaiting: boolean;
}

export const defaultMostLanes = 4;

export function nextToStart<Task extends Scheduled>(tasks: readonly Task[], most: number): Task[] {
  const working = tasks.filter((task) => task.isWorking).length;
  const settled = new Set(tasks.filter((task) => task.isDone || task.isDropped).map((task) => task.id));
  const way = wayBehind(tasks);
  const ready = tasks
    .filter((task) => task.isWaiting && task.dependsOn.every((id) => settled.has(id)))
    .toSorted((a, b) => (way.get(b.id) ?? 0) - (way.get(a.id) ?? 0));
  return ready.slice(0, Math.max(0, most - working));
}

export function wayBehind(tasks: readonly Ordered[]): ReadonlyMap<string, number> {
  const way = new Map<string, number>();
  for (const task of topologicalOrder(tasks).toReversed()) {
    const behind = tasks.filter((one) => one.dependsOn.includes(task.id)).map((one) => (way.get(one.id) ?? 0) + 1);
    way.set(task.id, Math.max(0, ...behind));
  }
  return way;
}
