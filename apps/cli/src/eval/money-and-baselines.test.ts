import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli, temporaryHome } from "@devflow/testkit";

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
  expect(await cli("cost")).toMatchObject({
    code: 66,
    stderr: expect.stringContaining("devflow eval check <cases> <outputs>"),
  });
  await push("a.json", runFile({ run_id: "r1", timestamp: at(1) }, { one: true, two: true }));
  const { stdout, code } = await cli("cost", "--html", "cost.html");
  expect(code).toBe(0);
  const box = stdout.split("\n").filter((line) => /^[┌│├└]/.test(line));
  expect(new Set(box.map((line) => line.length)).size).toBe(1);
  expect(box[0]?.length).toBeLessThanOrEqual(80);
  expect(stdout).toContain("EVAL COST DASHBOARD (standard tier)");
  expect(stdout).toMatch(/claude-sonnet-4-6 │ +20 │ 2,000,000 │ +0 │ ~\$6\.0000/);
  expect(stdout).toContain("At fast tier: ~$2.0000  │  At full tier: ~$10.0000");
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
  expect(await cli("cost", "r3")).toMatchObject({
    code: 66,
    stderr: expect.stringContaining("docs/eval-result-format.md"),
  });
});

test("baselines: Markdown for the day that is asked for, tier against tier", async () => {
  const { cli, push } = place();
  await push("a.json", runFile({ run_id: "s1", timestamp: at(1) }, { one: false, two: true }));
  await push("b.json", runFile({ run_id: "f1", timestamp: at(2), tier: "fast" }, { one: false, two: true }));
  await push("c.json", runFile({ run_id: "s2", timestamp: at(5) }, { one: true, two: true }));
  const now = await cli("baselines");
  expect(now.stdout).toContain("| case | input | fast | standard | across tiers |");
  expect(now.stdout).toContain("| one |  | 0/1 | 1/1 | standard best |");
  expect(now.stdout).toContain("| two |  | 1/1 | 1/1 | same |");
  expect((await cli("baselines", "2026-03-03")).stdout).toContain("| one |  | 0/1 | 0/1 | same |");
  expect(await cli("baselines", "2026-02-30")).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("2026-03-15"),
  });
  expect(await cli("baselines", "--suite", "post")).toMatchObject({
    code: 66,
    stderr: expect.stringContaining("Did you mean posts?"),
  });
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
  const first = await bless("posts");
  expect(first.stdout).toContain("posts  4 cases at standard  evals/baselines/posts.md\n  new");
  expect(first.stdout).toContain("Commit it: git add evals/baselines && git commit");
  git("add", ".");
  git("commit", "-qm", "baseline");

  git("switch", "-qc", "fix");
  await push(
    "b.json",
    runFile({ run_id: "s2", timestamp: at(2) }, { alpha: false, beta: true, gamma: true, omega: true }),
  );
  const second = await bless();
  expect(second.stdout).toContain("worse   alpha  standard  1/1 → 0/1");
  expect(second.stdout).toContain("better  gamma  standard  0/1 → 1/1");
  expect(second.stdout).toContain("added   omega");
  expect(second.stdout).toContain("gone    delta");
  git("commit", "-qam", "bless the fix");
  expect((await bless("posts")).stdout).toContain("unchanged");

  git("switch", "-q", "main");
  await push("c.json", runFile({ run_id: "f1", timestamp: at(3), tier: "fast" }, { alpha: true }));
  expect((await bless("posts", "--date", "2026-03-01", "--json")).json()).toMatchObject([
    { suite: "posts", isNew: false, worse: [], better: [] },
  ]);
  expect(await bless("nobody")).toMatchObject({ code: 66 });
});
