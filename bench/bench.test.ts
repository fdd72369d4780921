import { describe, expect, test } from "bun:test";
import { type Benchmark, defineBenchmark, ratioGoal } from "./benchmark.ts";
import { machineFacts } from "./machine.ts";
import { measure } from "./measure.ts";
import { emptyDocument, placeInDocument, tableOf } from "./report.ts";
import { summarize } from "./summary.ts";

const context = { root: "/", cache: "/", say: () => {} };

function benchmarkOf(order: string[], given: Partial<Benchmark> = {}): Benchmark {
  const contender = (name: string, value: number) => ({
    name,
    sample: async () => {
      order.push(name);
      return [value];
    },
  });
  return defineBenchmark({
    name: "example",
    what: "An example.",
    unit: "ms",
    rounds: 2,
    warmUp: 1,
    goals: [ratioGoal("at most 2× the peer", "ours", "peer", 2)],
    prepare: async () => ({ contenders: [contender("ours", 30), contender("peer", 10)] }),
    ...given,
  });
}

test("contenders take turns, each round begins with another one, and warm-up is discarded", async () => {
  const order: string[] = [];
  const { rows } = await measure(benchmarkOf(order), context);
  expect(order).toEqual(["ours", "peer", "peer", "ours", "ours", "peer"]);
  expect(rows.map(({ summary }) => summary.count)).toEqual([2, 2]);
});

test("a goal is compared with the medians and can be missed", async () => {
  const { goals } = await measure(benchmarkOf([]), context);
  expect(goals).toEqual([{ text: "at most 2× the peer", figure: "3.00×", met: false }]);
});

test("cleanup runs even when a measurement fails", async () => {
  let finished = false;
  const failing = benchmarkOf([], {
    prepare: async () => ({
      contenders: [{ name: "ours", sample: () => Promise.reject(new Error("broken")) }],
      finish: async () => {
        finished = true;
      },
    }),
  });
  expect(measure(failing, context)).rejects.toThrow("broken");
  await measure(failing, context).catch(() => {});
  expect(finished).toBe(true);
});

describe("a summary", () => {
  test("is the median with the quartiles around it", () => {
    expect(summarize([5, 1, 4, 2, 3])).toMatchObject({ median: 3, lowerQuartile: 2, upperQuartile: 4, max: 5 });
    expect(summarize([1, 2]).median).toBe(1.5);
  });
});

describe("docs/benchmarks.md", () => {
  test("gets a section per benchmark, replaced when it is measured again", async () => {
    const measured = await measure(benchmarkOf([]), context);
    const once = placeInDocument(emptyDocument, measured, "Facts one.");
    const other = { ...measured, benchmark: { ...measured.benchmark, name: "other" } };
    const twice = placeInDocument(placeInDocument(once, other, "Facts two."), measured, "Facts three.");
    expect(twice.match(/^## .*$/gm)).toEqual(["## example", "## other"]);
    expect(twice).toContain("Facts three.");
    expect(twice).not.toContain("Facts one.");
    expect(twice).toContain(tableOf(measured));
  });

  test("describes the machine without naming it", () => {
    const facts = machineFacts(new Date(0));
    expect(facts).toMatch(/^Measured on 1970-01-01: Devflow .* cores \(.*\), \d+ GB of memory/);
  });
});
