import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, runCli, temporaryHome } from "@devflow/testkit";

const at = (day: number) => `2026-03-${String(day).padStart(2, "0")}T10:00:00Z`;
function runFile(facts: Readonly<Record<string, unknown>>, cases: Readonly<Record<string, boolean>>) {
  const usage = [{ model: "claude-sonnet-4-6", calls: 10, input_tokens: 1_000_000, output_tokens: 0 }];
  const results = Object.entries(cases).map(([name, passed]) => ({ name, passed, usage }));
  return JSON.stringify({ suite: "posts", ...facts, results });
}

function place() {
  const home = temporaryHome();
  const cli = (...words: string[]) => runCli(["eval", ...words], { home });
  const push = async (name: string, content: string) => {
    writeFileSync(join(home.path, name), content);
    expect(await cli("push", name)).toMatchObject({ code: 0 });
  };
  return { home, cli, push };
}

test("cost: a box as wide as its lines, what other tiers would have cost, a page that runs nothing", async () => {
  const { home, cli, push } = place();
  expect(outputOf(await cli("cost"))).toMatchInlineSnapshot(`
    "--- stderr
    A stored eval run was not found.
    To store one: devflow eval check <cases> <outputs>, or devflow eval push <file>
    --- exit code 66"
  `);
  await push("a.json", runFile({ run_id: "r1", timestamp: at(1) }, { one: true, two: true }));
  const told = await cli("cost", "--html", "cost.html");
  expect(outputOf(told)).toMatchInlineSnapshot(`
    "posts  unlabelled  <time> UTC
    ┌───────────────────────────────────────────────────────────┐
    │ EVAL COST DASHBOARD (standard tier)                       │
    ├───────────────────┬───────┬───────────┬────────┬──────────┤
    │ Model             │ Calls │     Input │ Output │ Cost     │
    ├───────────────────┼───────┼───────────┼────────┼──────────┤
    │ claude-sonnet-4-6 │    20 │ 2,000,000 │      0 │ ~$6.0000 │
    ├───────────────────┼───────┼───────────┼────────┼──────────┤
    │ TOTAL             │    20 │ 2,000,000 │      0 │ ~$6.0000 │
    ├───────────────────┴───────┴───────────┴────────┴──────────┤
    │ At fast tier: ~$2.0000  │  At full tier: ~$10.0000        │
    │ Prices: genai-prices <version>                                │
    └───────────────────────────────────────────────────────────┘
    Page: <folder>/cost.html"
  `);
  const { stdout } = told;
  const box = stdout.split("\n").filter((line) => /^[┌│├└]/.test(line));
  expect(new Set(box.map((line) => line.length)).size).toBe(1);
  expect(box[0]?.length).toBeLessThanOrEqual(80);
  const page = readFileSync(join(home.path, "cost.html"), "utf8");
  expect(page).toContain("default-src 'none'");
  expect(page).toContain("~$6.0000");
  // A file that nobody stored, and a run by the beginning of its id.
  writeFileSync(join(home.path, "b.json"), runFile({ run_id: "elsewhere", tier: "fast" }, { one: true }));
  expect((await cli("cost", "b.json", "--json")).json()).toMatchObject({
    runId: "elsewhere",
    cost: { estimatedUsd: 3 },
  });
  expect((await cli("cost", "r1", "--json")).json()).toMatchObject({
    runId: "r1",
    cost: { priceVersion: expect.stringContaining("genai-prices") },
  });
  await push("c.json", JSON.stringify({ suite: "free", run_id: "r3", results: [{ name: "a", passed: true }] }));
  expect(outputOf(await cli("cost", "r3"))).toMatchInlineSnapshot(`
    "--- stderr
    Model usage in free, run r3, was not found.
    It is recorded as usage in results or as costs in runs: docs/eval-result-format.md
    --- exit code 66"
  `);
});

test("baselines: Markdown for the day that is asked for, tier against tier", async () => {
  const { cli, push } = place();
  await push("a.json", runFile({ run_id: "s1", timestamp: at(1) }, { one: false, two: true }));
  await push("b.json", runFile({ run_id: "f1", timestamp: at(2), tier: "fast" }, { one: false, two: true }));
  await push("c.json", runFile({ run_id: "s2", timestamp: at(5) }, { one: true, two: true }));
  expect(outputOf(await cli("baselines"))).toMatchInlineSnapshot(`
    "# Eval baseline: posts

    Written by \`devflow eval bless\`. A cell is passed/total, then \`e\` with the errors and the mean score where there are any.

    | tier | at | commit | model | cost of a run | runs |
    | --- | --- | --- | --- | --- | --- |
    | fast | <time> |  |  | $6.0000 | f1 |
    | standard | <time> |  |  | $6.0000 | s2 |

    | case | input | fast | standard | across tiers |
    | --- | --- | --- | --- | --- |
    | one |  | 0/1 | 1/1 | standard best |
    | two |  | 1/1 | 1/1 | same |"
  `);
  expect((await cli("baselines", "2026-03-03")).stdout).toContain("| one |  | 0/1 | 0/1 | same |");
  expect(outputOf(await cli("baselines", "2026-02-30"))).toMatchInlineSnapshot(`
    "--- stderr
    date: expected a day such as <time>.
    See: devflow eval baselines --help
    --- exit code 64"
  `);
  expect(outputOf(await cli("baselines", "--suite", "post"))).toMatchInlineSnapshot(`
    "--- stderr
    A run of the suite "post" was not found.
    Did you mean posts?
    --- exit code 66"
  `);
});

test("bless: a file to commit; blessing again tells what became better and worse", async () => {
  const { home, push } = place();
  const repository = join(home.path, "repo");
  mkdirSync(repository);
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=A", "-c", "user.email=a@b", ...words], {
      env: home.environment(),
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  const bless = (...words: string[]) => runCli(["eval", "bless", ...words], { home, cwd: repository });
  await push(
    "a.json",
    runFile({ run_id: "s1", timestamp: at(1) }, { alpha: true, beta: true, gamma: false, delta: true }),
  );
  expect(outputOf(await bless("posts"))).toMatchInlineSnapshot(`
    "posts  4 cases at standard  evals/baselines/posts.md
      new
    Commit it: git add evals/baselines && git commit"
  `);
  git("add", ".");
  git("commit", "-qm", "baseline");

  git("switch", "-qc", "fix");
  await push(
    "b.json",
    runFile({ run_id: "s2", timestamp: at(2) }, { alpha: false, beta: true, gamma: true, omega: true }),
  );
  expect(outputOf(await bless())).toMatchInlineSnapshot(`
    "posts  4 cases at standard  evals/baselines/posts.md
      worse   alpha  standard  1/1 → 0/1
      better  gamma  standard  0/1 → 1/1
      added   omega
      gone    delta
    Commit it: git add evals/baselines && git commit"
  `);
  git("commit", "-qam", "bless the fix");
  expect(outputOf(await bless("posts"))).toMatchInlineSnapshot(`
    "posts  4 cases at standard  evals/baselines/posts.md
      unchanged
    Commit it: git add evals/baselines && git commit"
  `);

  git("switch", "-q", "main");
  await push("c.json", runFile({ run_id: "f1", timestamp: at(3), tier: "fast" }, { alpha: true }));
  expect((await bless("posts", "--date", "2026-03-01", "--json")).json()).toMatchObject([
    { suite: "posts", isNew: false, worse: [], better: [] },
  ]);
  expect(outputOf(await bless("nobody"))).toMatchInlineSnapshot(`
    "--- stderr
    A run of the suite "nobody" was not found.
    See the stored runs: devflow eval list
    --- exit code 66"
  `);
});
