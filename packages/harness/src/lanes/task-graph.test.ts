/** Task graphs: what is refused, and in which order tasks go. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { nextToStart, type Scheduled, wayBehind } from "./schedule.ts";
import { ancestorsOf, dependentsOf, type LaneTask, taskGraphFaults, tasksIn, topologicalOrder } from "./task-graph.ts";
import { serialise, writeSetConflicts } from "./write-set-conflicts.ts";

const task = (id: string, dependsOn: string[] = [], writeSet = [`${id}.ts`]): LaneTask => ({
  ...{ id, dependsOn, writeSet },
  title: `Do ${id}`,
  instructions: "",
  tests: [],
});

/** Each task depends on some of those before it, in a list that was shuffled after that. */
const graph = fc
  .integer({ min: 1, max: 12 })
  .chain((count) =>
    fc.tuple(
      fc.constant(count),
      fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: count, maxLength: count }),
      fc.shuffledSubarray(
        Array.from({ length: count }, (_, at) => at),
        { minLength: count, maxLength: count },
      ),
    ),
  )
  .map(([, wanted, order]) => {
    const tasks = wanted.map((before, at) =>
      task(`t${at}`, at === 0 ? [] : [...new Set(before.map((one) => `t${one % at}`))]),
    );
    return order.flatMap((at) => tasks[at] ?? []);
  });

describe("faults of a task graph", () => {
  const faults = (tasks: LaneTask[]) => taskGraphFaults(tasks).map(({ path, message }) => `${path}: ${message}`);

  test("one task, and 50 tasks, are fine", () => {
    expect(faults([task("only")])).toEqual([]);
    expect(faults(Array.from({ length: 50 }, (_, at) => task(`t${at}`)))).toEqual([]);
  });
  test("101 tasks are too many", () => {
    expect(faults(Array.from({ length: 101 }, (_, at) => task(`t${at}`)))).toEqual([
      "tasks: there are 101 tasks; 100 are the most",
    ]);
  });
  test("a cycle is named", () => {
    expect(faults([task("a", ["c"]), task("b", ["a"]), task("c", ["b"]), task("d")])).toEqual([
      "tasks: these tasks wait for one another: a -> c -> b -> a",
    ]);
  });
  test("an unknown dependency, itself, a repeated and a reserved id, a pattern", () => {
    expect(
      faults([task("a", ["x"]), task("b", ["b"]), task("a"), task("main"), task("sessions"), task("p", [], ["[a]"])]),
    ).toEqual([
      'tasks[0].dependsOn[0]: there is no task "x"',
      "tasks[1].dependsOn[0]: a task cannot depend on itself",
      'tasks[2].id: "a" is used twice (case does not count)',
      'tasks[3].id: "main" is reserved; choose another id',
      'tasks[4].id: "sessions" is reserved; choose another id',
      'tasks[5].writeSet[0]: "[a]": [ cannot be used; use *, **, ? and {a,b}',
    ]);
  });
  test("ids become lower case, and then must still differ", () => {
    const tasks = tasksIn({
      tasks: [
        { id: "T1", title: "One", dependsOn: [], writeSet: ["a"] },
        { id: "t1", title: "Two", dependsOn: ["T1"], writeSet: ["b"] },
      ],
    });
    expect(tasks.map((one) => [one.id, one.dependsOn])).toEqual([
      ["t1", []],
      ["t1", ["t1"]],
    ]);
    expect(faults(tasks)).toContain('tasks[1].id: "t1" is used twice (case does not count)');
  });
  test("a graph without a cycle has no fault, and one more edge backwards makes a cycle", () => {
    fc.assert(
      fc.property(graph, (tasks) => {
        expect(taskGraphFaults(tasks)).toEqual([]);
        const order = topologicalOrder(tasks);
        const last = order.findLast((one) => one.dependsOn.length > 0);
        if (!last) return;
        const first = last.dependsOn[0] ?? "";
        const closed = tasks.map((one) =>
          one.id === first ? { ...one, dependsOn: [...one.dependsOn, last.id] } : one,
        );
        expect(taskGraphFaults(closed)[0]?.message).toStartWith("these tasks wait for one another: ");
      }),
    );
  });
});

test("dependencies come first in the order, and ancestors are those on any way back", () => {
  fc.assert(
    fc.property(graph, (tasks) => {
      const place = new Map(topologicalOrder(tasks).map((one, at) => [one.id, at]));
      for (const one of tasks)
        for (const before of one.dependsOn) expect(place.get(before)).toBeLessThan(place.get(one.id) ?? -1);
      for (const one of tasks) {
        const found = new Set<string>();
        const walk = (id: string) => {
          for (const before of tasks.find((other) => other.id === id)?.dependsOn ?? []) {
            found.add(before);
            walk(before);
          }
        };
        walk(one.id);
        expect(new Set(ancestorsOf(tasks).get(one.id))).toEqual(found);
      }
    }),
    { numRuns: 60 },
  );
});

test("what depends on a task is dropped with it", () => {
  const tasks = [task("a"), task("b", ["a"]), task("c", ["b"]), task("d")];
  expect(dependentsOf(tasks, "a")).toEqual(["b", "c"]);
});

describe("the schedule", () => {
  const scheduled = (tasks: LaneTask[], done: string[], working: string[] = []): (LaneTask & Scheduled)[] =>
    tasks.map((one) => ({
      ...one,
      isDone: done.includes(one.id),
      isDropped: false,
      isWorking: working.includes(one.id),
      isWaiting: !done.includes(one.id) && !working.includes(one.id),
    }));

  test("the longest way behind goes first, then the order of the list", () => {
    const tasks = [task("x"), task("a"), task("b", ["a"]), task("c", ["b"]), task("y")];
    expect([...wayBehind(tasks)]).toEqual(
      expect.arrayContaining([
        ["a", 2],
        ["x", 0],
      ]),
    );
    expect(nextToStart(scheduled(tasks, []), 2).map((one) => one.id)).toEqual(["a", "x"]);
    expect(nextToStart(scheduled(tasks, ["a"], ["x"]), 2).map((one) => one.id)).toEqual(["b"]);
    expect(nextToStart(scheduled(tasks, ["a"], ["x", "y"]), 2)).toEqual([]);
  });

  test("every graph gets done, never with more lanes than allowed, and never before its dependencies", () => {
    fc.assert(
      fc.property(graph, fc.integer({ min: 1, max: 5 }), fc.infiniteStream(fc.nat()), (tasks, most, choices) => {
        const done: string[] = [];
        const working: string[] = [];
        while (done.length < tasks.length) {
          const started = nextToStart(scheduled(tasks, done, working), most);
          for (const one of started) for (const before of one.dependsOn) expect(done).toContain(before);
          working.push(...started.map((one) => one.id));
          expect(working.length).toBeLessThanOrEqual(most);
          expect(working.length).toBeGreaterThan(0);
          const ends = (choices.next().value ?? 0) % working.length;
          done.push(...working.splice(ends, 1));
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("write sets that meet", () => {
  const pairs = (tasks: LaneTask[], files: string[] = []) =>
    writeSetConflicts(tasks, files).map(({ tasks, patterns, file, single }) => ({
      ...{ tasks: tasks.join("+"), patterns: patterns.join(" "), file, single },
    }));

  test("only between tasks that no dependency orders", () => {
    expect(pairs([task("a", [], ["x"]), task("b", ["a"], ["x"]), task("c", ["b"], ["x"])])).toEqual([]);
    expect(pairs([task("a", [], ["src/*.ts"]), task("b", [], ["src/new.ts"])])).toEqual([
      { tasks: "a+b", patterns: "src/*.ts src/new.ts", file: undefined, single: undefined },
    ]);
    expect(pairs([task("a", [], ["src/**"]), task("b", [], ["src/a.ts"])], ["src/a.ts"])[0]?.file).toBe("src/a.ts");
  });

  test("two migrations are one kind of file, but two folders that could have migrations are not", () => {
    expect(pairs([task("a", [], ["db/migrations/1.sql"]), task("b", [], ["db/migrations/2.sql"])])).toEqual([
      {
        tasks: "a+b",
        patterns: "db/migrations/1.sql db/migrations/2.sql",
        file: undefined,
        single: "**/migrations/**",
      },
    ]);
    expect(pairs([task("a", [], ["src/a/**"]), task("b", [], ["src/b/**"])])).toEqual([]);
    const files = ["src/a/migrations/1.sql", "src/b/migrations/1.sql"];
    expect(pairs([task("a", [], ["src/a/**"]), task("b", [], ["src/b/**"])], files)).toHaveLength(1);
  });

  test("after serialising nothing meets, nothing is lost, and there is no cycle", () => {
    const names = fc.array(fc.constantFrom("a", "b", "*", "src/**", "src/x"), { minLength: 1, maxLength: 2 });
    const writing = graph.chain((tasks) =>
      fc
        .array(names, { minLength: tasks.length, maxLength: tasks.length })
        .map((sets) => tasks.map((one, at) => ({ ...one, writeSet: sets[at] ?? [] }))),
    );
    fc.assert(
      fc.property(writing, (tasks) => {
        const result = serialise(tasks, writeSetConflicts(tasks));
        expect(taskGraphFaults(result)).toEqual([]);
        expect(writeSetConflicts(result)).toEqual([]);
        expect(result.map((one) => one.id)).toEqual(tasks.map((one) => one.id));
      }),
      { numRuns: 60 },
    );
  });
});
