import { describe, expect, test } from "bun:test";
import { madeResult, madeRun } from "../../testing/made-runs.ts";
import { type EvalResult, resultStatuses } from "../results/result.ts";
import { seededRandom } from "../statistics/seeded-random.ts";
import { CaseNames } from "./case-names.ts";
import { pairCases } from "./pair-cases.ts";
import type { SideCase } from "./side.ts";

const one = (name: string, inputSha: string | null, given: Partial<EvalResult> = {}) =>
  madeResult({ name, inputSha, ...given });
const side = (...results: EvalResult[]) => [madeRun({}, results)];
const told = (a: ReturnType<typeof side>, b: ReturnType<typeof side>) => {
  const { pairs, added, removed, suggestions, superseded } = pairCases(a, b);
  return {
    pairs: [...pairs].map((pair) => `${pair.a.name}/${pair.a.inputSha} ${pair.by} ${pair.b.name}/${pair.b.inputSha}`),
    added: added.map(({ name }) => name),
    removed: removed.map(({ name }) => name),
    suggestions: suggestions.map((pair) => `${pair.a.name} ~ ${pair.b.name}: ${pair.reason}`),
    superseded,
  };
};
const statusesOf = (found: SideCase) => [...found.rows()].map((row) => resultStatuses[found.side.status[row]!]);
const nothing = { added: [], removed: [], suggestions: [], superseded: { a: 0, b: 0 } };

describe("a case of B is the same as one of A", () => {
  test("by name and input, regardless of inserted cases and order", () => {
    const a = side(one("alpha", "1"), one("beta", "2"), one("gamma", "3"));
    const b = side(one("new", "9"), one("gamma", "3"), one("alpha", "1"), one("beta", "2"));
    const { pairs, added } = told(a, b);
    expect(pairs.sort()).toEqual([
      "alpha/1 name and input alpha/1",
      "beta/2 name and input beta/2",
      "gamma/3 name and input gamma/3",
    ]);
    expect(added).toEqual(["new"]);
  });

  test("under another name if the input is equal", () => {
    expect(told(side(one("old name", "1")), side(one("new name", "1")))).toEqual({
      ...nothing,
      pairs: ["old name/1 renamed new name/1"],
    });
  });

  test("not under the same name with another input, which is only suggested", () => {
    expect(told(side(one("same", "1")), side(one("same", "2")))).toEqual({
      ...nothing,
      pairs: [],
      added: ["same"],
      removed: ["same"],
      suggestions: ["same ~ same: same name, other input"],
    });
  });

  test("not if they are only similar, which is only suggested", () => {
    const a = side(one("refund within thirty days", "1", { input: "I want my money back for order 17 please" }));
    const b = side(one("refund within sixty days", "2", { input: "I want my money back for order 18 please" }));
    const { pairs, suggestions } = told(a, b);
    expect(pairs).toEqual([]);
    expect(suggestions).toEqual(["refund within thirty days ~ refund within sixty days: similar"]);
  });

  test("by name alone if a tool gave no input, unless several cases have that name", () => {
    expect(told(side(one("x", null)), side(one("x", "1"))).pairs).toEqual(["x/null name x/1"]);
    expect(told(side(one("x", null)), side(one("x", "1"), one("x", "2"))).pairs).toEqual([]);
  });

  test("by its input if the tool gave no hash of it", () => {
    const a = side(madeResult({ name: "x", input: { q: 1, r: [2] } }));
    const b = side(madeResult({ name: "renamed", input: { r: [2], q: 1 } }));
    expect(told(a, b).pairs[0]).toContain(" renamed ");
    const odd = side(madeResult({ name: "x", input: "\ud800" }));
    expect(pairCases(odd, odd).pairs).toHaveLength(1);
  });
});

describe("several cases with one name or one input", () => {
  test("cases with one name and different inputs are different cases", () => {
    const a = side(one("dup", "1"), one("dup", "2"), one("dup", "3"));
    const b = side(one("dup", "3"), one("dup", "1"), one("dup", "2"));
    expect(told(a, b).pairs).toHaveLength(3);
    expect(told(a, b).added).toEqual([]);
  });

  test("renamed cases with one input are distinguished by their expectations, then by their names", () => {
    const a = side(
      one("polite", "1", { expectationsSha: "e1" }),
      one("short", "1", { expectationsSha: "e2" }),
      one("answer has sources", "1"),
      one("answer has numbers", "1"),
    );
    const b = side(
      one("brief", "1", { expectationsSha: "e2" }),
      one("courteous", "1", { expectationsSha: "e1" }),
      one("the answer has numbers", "1"),
      one("the answer has sources", "1"),
    );
    expect(told(a, b).pairs.sort()).toEqual([
      "answer has numbers/1 renamed the answer has numbers/1",
      "answer has sources/1 renamed the answer has sources/1",
      "polite/1 renamed courteous/1",
      "short/1 renamed brief/1",
    ]);
  });

  test("ambiguous pairs are suggested, not guessed", () => {
    const { pairs, suggestions } = told(side(one("a", "1"), one("b", "1")), side(one("c", "1"), one("d", "1")));
    expect(pairs).toEqual([]);
    expect(suggestions).toEqual(["a ~ c: equal input, several candidates"]);
  });

  test("a second result in one run is a repeat, and of the same repeat twice the last finished counts", () => {
    const a = side(
      one("x", "1", { repeat: 0, status: "fail" }),
      one("x", "1", { repeat: 1 }),
      one("x", "1", { repeat: 0, status: "pass" }),
    );
    const { pairs, superseded } = pairCases(a, side(one("x", "1")));
    expect(statusesOf(pairs.at(0).a)).toEqual(["pass", "pass"]);
    expect(superseded).toEqual({ a: 1, b: 0 });
    const late = side(
      one("x", "1", { status: "pass", extra: { finished_at: "2026-01-01T00:00:02Z" } }),
      one("x", "1", { status: "fail", extra: { finished_at: "2026-01-01T00:00:01Z" } }),
    );
    expect(statusesOf(pairCases(late, late).pairs.at(0).a)).toEqual(["pass"]);
  });

  test("the same repeat in two runs gives two results", () => {
    const runs = [madeRun({ runId: "1" }, [one("x", "1")]), madeRun({ runId: "2" }, [one("x", "1")])];
    expect(
      pairCases(runs, side(one("x", "1")))
        .pairs.at(0)
        .a.rows(),
    ).toHaveLength(2);
  });

  test("names such as __proto__ are ordinary names", () => {
    const names = ["__proto__", "constructor", "toString", ""];
    const both = side(...names.map((name, i) => one(name, String(i))));
    expect([...pairCases(both, both).pairs].map(({ a, b }) => a.name === b.name)).toEqual([true, true, true, true]);
  });
});

test("2,000 cases, shuffled, with a tenth inserted, removed and renamed, are all paired correctly", () => {
  const random = seededRandom("pairs");
  const a = Array.from({ length: 2000 }, (_, i) => one(`case ${i % 700}`, `input ${i}`));
  const kept = a.filter((_, i) => i % 10 !== 3);
  const renamed = kept.map((result, i) => (i % 10 === 5 ? { ...result, name: `renamed ${i}` } : result));
  const inserted = Array.from({ length: 200 }, (_, i) => one(`case ${i}`, `fresh ${i}`));
  const b = [...renamed, ...inserted];
  for (let i = b.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [b[i], b[j]] = [b[j]!, b[i]!];
  }
  const { pairs, added, removed } = pairCases(side(...a), side(...b));
  expect([...pairs].filter((pair) => pair.a.inputSha !== pair.b.inputSha)).toEqual([]);
  expect([pairs.length, added.length, removed.length]).toEqual([1800, 200, 200]);
  expect([...pairs].filter(({ by }) => by === "renamed")).toHaveLength(180);
});

test("cases are told apart by every character of name and input", () => {
  const names = ["", "a", "ab", "\ud800", "\udc00", "é", "e\u0301", "😀", "x".repeat(3000), "x".repeat(2999)];
  const inputs = [null, "", "short", "0".repeat(64), `${"0".repeat(63)}1`, `${"0".repeat(63)}A`, "f".repeat(64)];
  const cases = new CaseNames();
  const numbers = names.flatMap((name) => inputs.map((input) => cases.numberOf(name, input)));
  expect(numbers).toEqual(numbers.map((_, at) => at));
  expect(names.flatMap((name) => inputs.map((input) => cases.numberOf(name, input)))).toEqual(numbers);
  expect(numbers.map((no) => cases.name(no))).toEqual(names.flatMap((name) => inputs.map(() => name)));
  expect(numbers.map((no) => cases.inputSha(no))).toEqual(names.flatMap(() => inputs));
});
