import { describe, expect, test } from "bun:test";
import { madeResult, madeRun } from "../../testing/made-runs.ts";
import type { EvalRun } from "../results/result.ts";
import { judgeSuiteLine, suiteLineOf, type TeamStoreRun } from "./suite-line.ts";

const at = (hour: number) => `2026-03-01T${String(hour).padStart(2, "0")}:00:00.000Z`;
function stored(
  id: string,
  hour: number,
  sha: string | null,
  given: Partial<EvalRun> = {},
  isPartial = false,
): TeamStoreRun {
  const { run } = madeRun({ runId: id, at: at(hour), gitSha: sha, gitBranch: "main", ...given }, []);
  const commits = sha === null ? [] : [{ sha, parents: [], author: "Grace", at: at(hour), subject: `Change ${sha}` }];
  return { id, run, isPartial, commits };
}

describe("the line of a run", () => {
  const runs = [
    stored("a", 1, "sha-1"),
    stored("b", 2, "sha-2"),
    stored("b again", 3, "sha-2"),
    stored("c", 4, "sha-3"),
    stored("c again", 5, "sha-3"),
  ];

  test("all runs of the newest commit, against all runs of the commit before", () => {
    expect(suiteLineOf(runs, "c")).toMatchObject({
      newest: { id: "c again" },
      now: ["c", "c again"],
      before: ["b", "b again"],
      earlier: [["a"]],
      commit: { author: "Grace", subject: "Change sha-3" },
    });
  });

  test("is the same whichever of its runs is asked about", () => {
    const [first, ...others] = runs.map(({ id }) => suiteLineOf(runs, id));
    for (const one of others) expect(one).toEqual(first as never);
  });

  test("leaves out partial runs, other judges, other models and other branches", () => {
    const others = [
      stored("partial", 6, "sha-4", {}, true),
      stored("judged", 7, "sha-4", { judges: [{ model: "j", rubricSha: null, threshold: null }] }),
      stored("other model", 8, "sha-4", { model: "m" }),
      stored("branch", 9, "sha-4", { gitBranch: "try" }),
    ];
    expect(suiteLineOf([...runs, ...others], "c")).toMatchObject({ now: ["c", "c again"], before: ["b", "b again"] });
    expect(suiteLineOf([...runs, ...others], "partial")).toBeUndefined();
    expect(suiteLineOf([...runs, ...others], "judged")).toMatchObject({ now: ["judged"], before: [] });
    // The first run of a branch is compared with the main branch.
    expect(suiteLineOf([...runs, ...others], "branch")).toMatchObject({ now: ["branch"], before: ["c", "c again"] });
  });

  test("has no state before when a commit was only run again", () => {
    expect(suiteLineOf(runs.slice(1, 3), "b")).toMatchObject({ now: ["b", "b again"], before: [] });
    expect(suiteLineOf(runs, "unknown")).toBeUndefined();
  });
});

describe("the verdict", () => {
  const side = (letters: string) => {
    const results = [...letters].map((letter, place) =>
      madeResult({ name: `case ${place}`, inputSha: `sha-${place}`, status: letter === "p" ? "pass" : "fail" }),
    );
    const { run } = madeRun({}, results);
    return [{ run, results }];
  };
  const good = "p".repeat(20);

  test("names what broke", () => {
    const found = judgeSuiteLine({
      before: side(good),
      now: side(`ffffffffff${"p".repeat(10)}`),
      earlier: [side(good)],
    });
    expect([found.verdict, found.rateBefore, found.rateNow, found.broken.length]).toEqual(["regression", 1, 0.5, 10]);
    expect(found.broken[0]).toEqual({ name: "case 0", passes: 0, results: 1 });
  });

  test("one case of twenty is noise, and nothing is nothing", () => {
    expect(judgeSuiteLine({ before: side(good), now: side(`f${"p".repeat(19)}`), earlier: [] }).verdict).toBe(
      "not enough data",
    );
    expect(judgeSuiteLine({ before: side(good), now: side(good), earlier: [] }).verdict).toBe("no evidence");
  });
});
