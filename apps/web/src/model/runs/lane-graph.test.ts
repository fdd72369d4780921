/** The picture of a task graph. */
import { expect, test } from "bun:test";
import { laneGraph } from "./lane-graph.ts";

const task = (id: string, dependsOn: string[] = []) => ({ id, dependsOn });
const places = (tasks: ReturnType<typeof task>[]) =>
  Object.fromEntries(laneGraph(tasks).boxes.map((box) => [box.task.id, [box.x, box.y]]));

test("a task is right of what it depends on, and beside what it is close to", () => {
  expect(places([task("a"), task("b"), task("c", ["b"]), task("d", ["a"]), task("e", ["c", "d"])])).toEqual({
    a: [0, 0],
    b: [0, 68],
    d: [232, 0],
    c: [232, 68],
    e: [464, 0],
  });
});

test("one task is a picture too, and every dependency is a line", () => {
  expect(laneGraph([task("only")])).toMatchObject({ width: 176, height: 52, lines: [] });
  const { lines } = laneGraph([task("a"), task("b", ["a", "gone"])]);
  expect(lines.map(({ from, to }) => `${from}>${to}`)).toEqual(["a>b"]);
});
