import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BlameReport, CompareReport, FlakyCase } from "@devflow/evals/compare";
import { devflowCommand, runCli, runProcess, temporaryHome } from "@devflow/testkit";
import { type Story, storyFacts, tellStory } from "./evals/story.ts";

const home = temporaryHome();
const folder = join(home.path, "repo");
const devflow = (...words: string[]) => runCli(words, { home, cwd: folder });
const { broken, flaky, suite, culprit, culpritSubject } = storyFacts;
let story: Story;

beforeAll(async () => {
  mkdirSync(folder);
  story = await tellStory(folder, home.environment(), async (file) => {
    const { code, stderr } = await devflow("eval", "push", file);
    expect([code, stderr]).toEqual([0, ""]);
  });
}, 120_000);

describe("thirty runs over ten commits, one of which broke refunds", () => {
  test("are all stored, each with its commit and its place among the attempts", async () => {
    const { runs, matching } = (await devflow("eval", "list", "--limit", "100", "--json")).json<{
      runs: { gitSha: string; gitBranch: string; attempt: number }[];
      matching: number;
    }>();
    expect(matching).toBe(30);
    expect(new Set(runs.map(({ gitSha }) => gitSha))).toEqual(new Set(story.shas));
    expect(runs.filter(({ gitBranch }) => gitBranch === "main")).toHaveLength(18);
    expect(runs.filter(({ attempt }) => attempt === 3)).toHaveLength(10);
  });

  test("compare finds the regression on the branch, and only it", async () => {
    const answer = await devflow("eval", "compare", "--json");
    expect(answer.code).toBe(1);
    const report = answer.json<CompareReport & { selection: { distance: number } }>();
    expect([report.verdict, report.headline]).toEqual(["regression", "Regression in support: 6 cases broke, 0 fixed."]);
    const [only] = report.suites;
    expect(only?.broken.map(({ name, isProven }) => [name, isProven])).toEqual(broken.map((name) => [name, true]));
    expect(only?.fixed).toEqual([]);
    expect(report.a.shas).toEqual([story.shas[storyFacts.onMain - 1] as string]);
    expect(report.b.shas).toEqual([story.shas.at(-1) as string]);
    expect(report.selection.distance).toBe(4);
  });

  test("compare finds nothing between any two neighbours but the two around the regression", async () => {
    for (let at = 1; at < story.shas.length; at++) {
      const [a, b] = [story.shas[at - 1] as string, story.shas[at] as string];
      const { code, json } = await devflow("eval", "compare", a, b, "--json");
      expect([at + 1, code, json<CompareReport>().verdict]).toEqual([
        at + 1,
        at + 1 === culprit ? 1 : 0,
        at + 1 === culprit ? "regression" : "no evidence",
      ]);
    }
  }, 60_000);

  test("blame names the commit and its author for each broken case, and nobody for the others", async () => {
    for (const name of broken) {
      const report = (await devflow("eval", "blame", name, "--json")).json<BlameReport>();
      expect([report.outcome, report.suspects.map(({ sha, subject, author }) => [sha, subject, author])]).toEqual([
        "broke",
        [[story.shas[culprit - 1] as string, culpritSubject, "Robin Doe"]],
      ]);
    }
    const steady = "question 1: answers from the manual";
    expect((await devflow("eval", "blame", steady, "--json")).json<BlameReport>().suspects).toEqual([]);
    expect((await devflow("eval", "blame", flaky, "--json")).json<BlameReport>().outcome).toBe("no change");
  });

  test("flaky names the case that wavers first, and none of those that broke", async () => {
    const found = (await devflow("eval", "flaky", "--json")).json<{ flaky: FlakyCase[] }>().flaky;
    expect(found[0]).toMatchObject({ suite, name: flaky });
    expect(found.filter(({ name }) => broken.includes(name))).toEqual([]);
    expect(found.filter(({ rate }) => rate > 0.25).map(({ name }) => name)).toEqual([flaky]);
  });

  test("trend shows the drop where it happened", async () => {
    const { stdout } = await devflow("eval", "trend", suite);
    const lines = stdout.split("\n").filter((line) => / 3 runs$/.test(line));
    expect(lines.map((line) => line.slice(0, 8))).toEqual(story.shas.map((sha) => sha.slice(0, 8)));
    const rates = lines.map((line) => Number(/([\d.]+) %/.exec(line)?.[1]));
    expect(Math.min(...rates.slice(0, culprit - 1))).toBeGreaterThan(Math.max(...rates.slice(culprit - 1)));
  });

  test("the comment of the pull request says what broke, why, by which commit, and what it means", async () => {
    const { stdout, code } = await devflow("eval", "comment");
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 2)).toEqual(["<!-- devflow-eval-compare -->", "### Evals: regression"]);
    for (const name of broken) expect(stdout).toContain(`- \`${name}\` 3/3 → 0/3`);
    expect(stdout.match(/the answer does not name the deadline of 30 days/g)).toHaveLength(1);
    expect(stdout).toContain("expected `You can return it within 30 days and get the whole price back.`");
    expect(stdout).toContain(
      `6 cases broke in ${story.shas[culprit - 1]?.slice(0, 8)} &#34;${culpritSubject}&#34; by Robin Doe.`,
    );
    expect(stdout).toMatch(/95 % interval: \d+\.\d to \d+\.\d points worse/);
    expect(stdout).not.toContain(flaky);
  });

  test("as a program of its own, the exit code is what CI needs and the first line is the verdict", async () => {
    const options = { cwd: folder, env: home.environment() };
    const bad = await runProcess([...devflowCommand(), "eval", "compare"], options);
    expect([bad.code, bad.stdout.split("\n")[0]]).toEqual([1, "Regression in support: 6 cases broke, 0 fixed."]);
    const good = await runProcess([...devflowCommand(), "eval", "compare", "HEAD~5", "HEAD~4"], options);
    expect([good.code, good.stdout.split("\n")[0]]).toEqual([
      0,
      "No evidence of a regression: 0 cases broke, 0 fixed.",
    ]);
  });

  test("a quarantine excuses the wavering case from then on, with an owner and an end", async () => {
    const excused = await devflow("eval", "flaky", "--quarantine", flaky, "--owner", "robin", "--days", "7");
    expect(excused.stdout).toContain("owner: robin");
    const later = { ...JSON.parse(await Bun.file(join(folder, "out/support-10-1.json")).text()), run_id: "later" };
    const file = join(folder, "out/later.json");
    await Bun.write(file, JSON.stringify({ ...later, timestamp: new Date(Date.now() + 60_000).toISOString() }));
    expect((await devflow("eval", "push", file)).code).toBe(0);
    const report = (await devflow("eval", "compare", story.shas[8] as string, "later", "--json")).json<CompareReport>();
    expect(report.suites[0]?.quarantined).toEqual([flaky]);
    expect((await devflow("eval", "flaky")).stdout).toContain("robin until");
    await devflow("eval", "flaky", "--release", flaky);
    expect((await devflow("eval", "flaky", "--json")).json<{ quarantines: unknown[] }>().quarantines).toEqual([]);
  });
});
