import { describe, expect, test } from "bun:test";
import { madeLine } from "../../testing/made-runs.ts";
import type { RunLine } from "../store/run-record.ts";
import { commitGraph } from "./commit-graph.ts";
import { predecessorOf } from "./predecessor.ts";

const own = madeLine("own", { at: "2026-03-15T12:00:00.000Z", gitSha: "c".repeat(40), gitBranch: "topic", model: "m" });
const earlier = (runId: string, given: Partial<RunLine> = {}) =>
  madeLine(runId, { at: "2026-03-15T11:00:00.000Z", gitSha: "b".repeat(40), gitBranch: "topic", model: "m", ...given });
const predecessor = (...others: RunLine[]) => predecessorOf(own, [own, ...others])?.runId;

describe("the predecessor of a run", () => {
  test("is earlier, and has the same suite, tier and judge", () => {
    expect(predecessor()).toBeUndefined();
    expect(predecessor(earlier("later", { at: "2026-03-15T13:00:00.000Z" }))).toBeUndefined();
    expect(predecessor(earlier("other suite", { suite: "t" }))).toBeUndefined();
    expect(predecessor(earlier("other tier", { tier: "fast" }))).toBeUndefined();
    expect(predecessor(earlier("other judge", { judgeKey: "opus" }))).toBeUndefined();
    expect(predecessor(earlier("older", { at: "2026-03-14T11:00:00.000Z" }), earlier("newer"))).toBe("newer");
  });

  test("has the same model, unless one of the two names none", () => {
    expect(predecessor(earlier("other model", { model: "n" }))).toBeUndefined();
    expect(predecessor(earlier("no model", { model: null }))).toBe("no model");
  });

  test("is on the same branch if there is one, even an older run", () => {
    const main = earlier("main", { gitBranch: "main" });
    const topic = earlier("topic", { at: "2026-03-14T11:00:00.000Z" });
    expect(predecessor(main, topic)).toBe("topic");
    expect(predecessor(main)).toBe("main");
  });

  test("is never on another branch, unless its commit comes before", () => {
    const other = earlier("other", { gitBranch: "somebody else" });
    expect(predecessor(other)).toBeUndefined();
    const note = { author: null, at: null, subject: null };
    const graph = commitGraph([{ ...note, sha: own.gitSha ?? "", parents: [other.gitSha ?? ""] }]);
    expect(predecessorOf(own, [other], graph)?.runId).toBe("other");
    expect(predecessorOf({ ...own, gitBranch: "main" }, [other])).toBeUndefined();
  });

  test("has the same prompt variant", () => {
    expect(predecessor(earlier("short", { variant: "short" }))).toBeUndefined();
    expect(predecessorOf({ ...own, variant: "short" }, [earlier("short", { variant: "short" })])?.runId).toBe("short");
  });

  test("is of another commit or another prompt, before an attempt at the same state", () => {
    const again = earlier("again", { gitSha: own.gitSha });
    expect(predecessor(again, earlier("older", { at: "2026-03-14T11:00:00.000Z" }))).toBe("older");
    expect(predecessor(again)).toBe("again");
    const prompts = (promptSha: string) => ({ gitSha: own.gitSha, promptSha: promptSha.repeat(64) });
    const changed = { ...own, ...prompts("1") };
    const others = [
      earlier("same prompt", prompts("1")),
      earlier("other prompt", { ...prompts("2"), at: "2026-03-14T11:00:00.000Z" }),
    ];
    expect(predecessorOf(changed, others)?.runId).toBe("other prompt");
  });

  test("of two runs at the same moment, is the one with the lower attempt", () => {
    const first = madeLine("z", { at: own.at, gitSha: own.gitSha, attempt: 1 });
    const second = madeLine("a", { at: own.at, gitSha: own.gitSha, attempt: 2 });
    expect(predecessorOf(second, [first, second])?.runId).toBe("z");
    expect(predecessorOf(first, [first, second])).toBeUndefined();
  });
});
