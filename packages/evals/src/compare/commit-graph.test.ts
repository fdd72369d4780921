import { expect, test } from "bun:test";
import { commitGraph } from "./commit-graph.ts";

const note = (sha: string, parents: readonly string[], hour: number) => ({
  sha: sha.repeat(8),
  parents: parents.map((one) => one.repeat(8)),
  author: "Robin",
  at: `2026-03-15T${String(hour).padStart(2, "0")}:00:00.000Z`,
  subject: `Commit ${sha}`,
});

test("the commits before one are found over merges, newest first, as far as they were recorded", () => {
  const graph = commitGraph([note("d", ["b", "c"], 4), note("c", ["a"], 3), note("b", ["a"], 2), note("a", ["0"], 1)]);
  expect(graph.ancestors("dddddddd").map((sha) => sha[0])).toEqual(["d", "c", "b", "a", "0"]);
  expect(graph.ancestors("bbbbbbb").map((sha) => sha[0])).toEqual(["b", "a", "0"]);
  expect(graph.ancestors("unknown")).toEqual([]);
  expect(graph.about("cccccccc")?.subject).toBe("Commit c");
});

test("a commit is newer than those before it, even if its clock was wrong", () => {
  const graph = commitGraph([note("b", ["a"], 1), note("a", [], 9)]);
  expect(graph.ancestors("bbbbbbbb").map((sha) => sha[0])).toEqual(["b", "a"]);
});
