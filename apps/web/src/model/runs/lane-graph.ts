/**
 * Where the tasks of a run with lanes are drawn. Pure.
 *
 * - `laneGraph(tasks, options)` a place for each task and a line for each dependency. A task is right of everything that it depends
 *   on; in a column, tasks are near those that they depend on.
 */
import type { TaskView } from "@devflow/protocol";

export const boxWidth = 176;
const lowBox = 52;
/** With a line for the machine. */
const highBox = 70;
const [gapX, gapY] = [56, 16];

export interface Placed<Task> {
  readonly task: Task;
  readonly x: number;
  readonly y: number;
}

export interface LaneGraph<Task> {
  readonly width: number;
  readonly height: number;
  readonly boxHeight: number;
  readonly boxes: readonly Placed<Task>[];
  readonly lines: readonly { readonly from: string; readonly to: string; readonly path: string }[];
}

export function laneGraph<Task extends Pick<TaskView, "id" | "dependsOn">>(
  tasks: readonly Task[],
  { hasMachines = false }: { readonly hasMachines?: boolean } = {},
): LaneGraph<Task> {
  const boxHeight = hasMachines ? highBox : lowBox;
  const columns = columnsOf(tasks);
  const rowOf = new Map<string, number>();
  const boxes: Placed<Task>[] = [];
  columns.forEach((column, at) => {
    const near = (task: Task): number => {
      const rows = task.dependsOn.flatMap((id) => rowOf.get(id) ?? []);
      return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
    };
    column
      .toSorted((a, b) => near(a) - near(b))
      .forEach((task, row) => {
        rowOf.set(task.id, row);
        boxes.push({ task, x: at * (boxWidth + gapX), y: row * (boxHeight + gapY) });
      });
  });
  const most = Math.max(0, ...columns.map((column) => column.length));
  const lines = boxes.flatMap((box) =>
    box.task.dependsOn.flatMap((id) => {
      const from = boxes.find(({ task }) => task.id === id);
      return from ? [{ from: id, to: box.task.id, path: curve(from, box, boxHeight) }] : [];
    }),
  );
  return {
    width: Math.max(boxWidth, columns.length * (boxWidth + gapX) - gapX),
    height: Math.max(boxHeight, most * (boxHeight + gapY) - gapY),
    boxHeight,
    boxes,
    lines,
  };
}

/** By the longest way to it. A dependency that is not there counts as none. */
function columnsOf<Task extends Pick<TaskView, "id" | "dependsOn">>(tasks: readonly Task[]): Task[][] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const known = new Map<string, number>();
  const depth = (id: string, on: readonly string[]): number => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const before = (byId.get(id)?.dependsOn ?? []).filter((one) => byId.has(one) && !on.includes(one));
    const own = before.length === 0 ? 0 : 1 + Math.max(...before.map((one) => depth(one, [...on, id])));
    known.set(id, own);
    return own;
  };
  const columns: Task[][] = [];
  for (const task of tasks) {
    const at = depth(task.id, []);
    columns[at] = [...(columns[at] ?? []), task];
  }
  return columns;
}

function curve(from: Placed<unknown>, to: Placed<unknown>, boxHeight: number): string {
  const [x1, y1] = [from.x + boxWidth, from.y + boxHeight / 2];
  const [x2, y2] = [to.x, to.y + boxHeight / 2];
  const middle = (x1 + x2) / 2;
  return `M ${x1} ${y1} C ${middle} ${y1}, ${middle} ${y2}, ${x2} ${y2}`;
}
