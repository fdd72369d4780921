import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CompareReport } from "@devflow/evals/compare";
import { madeUsage, storeImpossibleRun } from "@devflow/evals/testing";
import { outputOf, runCli, runProcess, type TemporaryHome, temporaryFolder, temporaryHome } from "@devflow/testkit";

import { storeCommands } from "./store-commands.ts";

interface Case {
  readonly name: string;
  readonly passed: boolean;
  readonly response?: string;
}

/** A home with files in it, and a command line that lives there. */
function place() {
  const home = temporaryHome();
  return {
    home,
    devflow: (words: readonly string[], options: Partial<Parameters<typeof runCli>[1]> = {}) =>
      runCli(words, { home, ...options }),
    file: (name: string, content: unknown) => {
      const path = join(home.path, name);
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
  };
}

const cases = (failing: readonly number[], count = 20): Case[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `case ${at}`,
    passed: !failing.includes(at),
    response: `answer ${at}`,
  }));

function run(id: string, results: readonly Case[], more: object = {}) {
  const all_results = results.map(({ name, passed, response }) => ({ name, passed, output: { response } }));
  return { suite: "greetings", run_id: id, timestamp: "2026-03-15T10:00:00Z", all_results, ...more };
}

async function repository(home: TemporaryHome, commits: number, files: readonly string[] = []): Promise<string[]> {
  const env = home.environment({
    ...{ GIT_AUTHOR_NAME: "Robin", GIT_AUTHOR_EMAIL: "robin@example.com" },
    ...{ GIT_COMMITTER_NAME: "Robin", GIT_COMMITTER_EMAIL: "robin@example.com" },
  });
  const git = async (...words: string[]) =>
    (await runProcess(["git", ...words], { cwd: home.path, env })).stdout.trim();
  await git("init", "--quiet", "--initial-branch=main");
  const shas: string[] = [];
  if (files.length > 0) await git("add", ...files);
  for (let at = 0; at < commits; at++) {
    await git("commit", "--quiet", "--allow-empty", "--message", `Commit ${at + 1}`);
    shas.push(await git("rev-parse", "HEAD"));
  }
  return shas;
}

test("one run that cannot be read takes no command along; list and doctor tell which", async () => {
  const { devflow, file, home } = place();
  await storeImpossibleRun(home.devflowHome, { ...madeUsage("m"), costUsd: 1e308 });
  expect((await devflow(["eval", "push", file("a.json", run("one", cases([])))])).code).toBe(0);
  const later = { timestamp: "2026-03-15T12:00:00Z" };
  expect((await devflow(["eval", "push", file("b.json", run("two", cases([1]), later))])).code).toBe(0);
  for (const words of [["list"], ["show"], ["summary"], ["compare", "one", "two"], ["trend"], ["flaky"]]) {
    expect([words[0], (await devflow(["eval", ...words])).code]).toEqual([words[0], 0]);
  }
  expect((await devflow(["eval", "list"])).stderr).toMatchInlineSnapshot(`
    "1 run file cannot be read and is left out:
      00000000000000000000000000000000.eval.zst: its record is wrong at summary.cost.actualUsd: expected number, received null
    Next: devflow doctor
    "
  `);
  expect((await devflow(["doctor"])).stdout).toMatch(
    /^warn +evals +1 of 3 run files cannot be read: 0+\.eval\.zst: its record/m,
  );
});

test("the pass rate is the same in list, show and summary: errors are left out and shown beside it", async () => {
  const { devflow, file } = place();
  const results = ["pass", "pass", "pass", "fail", "error"].map((status, at) => ({ name: `case ${at}`, status }));
  await devflow(["eval", "push", file("a.json", { suite: "s", run_id: "r", results })]);
  const printed = async (...words: string[]) => (await devflow(["eval", ...words])).stdout;
  for (const text of [await printed("list"), await printed("show"), await printed("summary")])
    expect(text).toContain("75.0 %");
  expect(await printed("list")).toContain("ERRORS");
});

describe("the sides of a comparison are what was asked for", () => {
  /** `main` has a run on its first commit; the branch `topic` starts there, and HEAD has no run. */
  async function branched() {
    const { devflow, file, home } = place();
    const [first = ""] = await repository(home, 1);
    const git = async (...words: string[]) => {
      const named = ["git", "-c", "user.name=Robin", "-c", "user.email=robin@example.com", ...words];
      return (await runProcess(named, { cwd: home.path, env: home.environment() })).stdout.trim();
    };
    const push = async (id: string, failing: readonly number[], day: number) =>
      devflow([
        ...["eval", "push", "--commit", "HEAD", "--branch", await git("branch", "--show-current")],
        file(`${id}.json`, run(id, cases(failing), { timestamp: `2026-03-${day}T10:00:00Z` })),
      ]);
    await push("main-1", [], 15);
    await git("switch", "--quiet", "--create", "stranger");
    await git("commit", "--quiet", "--allow-empty", "--message", "Other work");
    await push("other-1", [1, 2, 3, 4, 5, 6, 7, 8], 16);
    await git("switch", "--quiet", "--create", "topic", "main");
    await git("commit", "--quiet", "--allow-empty", "--message", "New work");
    return { devflow, push, home, first, git };
  }

  test("a branch without runs is not compared with anything in its place; exit code 4 names the nearest run", async () => {
    const { devflow } = await branched();
    for (const words of [[], ["main"], ["main", "HEAD"], ["main", "topic"]]) {
      const { code, stderr, stdout } = await devflow(["eval", "compare", ...words]);
      expect([words, code, stdout]).toEqual([words, 4, ""]);
      expect(stderr).toMatch(
        /(HEAD|topic) \([0-9a-f]{8}\) has no run; nearest: [0-9a-f]{8}, 1 commit before \(1 run of main\)\./,
      );
    }
    const { code, stdout } = await devflow(["eval", "compare", "--json"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      4,
      { isCompared: false, selection: { missing: expect.stringContaining("has no run") } },
    ]);
  });

  test("a run is not compared with itself", async () => {
    const { devflow, git } = await branched();
    await git("switch", "--quiet", "main");
    const { code, stderr } = await devflow(["eval", "compare", "main", "HEAD"]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("main and HEAD are the same run")]);
  });

  test("only the baseline may come from an earlier commit, and says so", async () => {
    const { devflow, push, git } = await branched();
    await push("topic-1", [], 17);
    await git("switch", "--quiet", "main");
    await git("commit", "--quiet", "--allow-empty", "--message", "Main goes on");
    const { code, stdout } = await devflow(["eval", "compare", "main", "topic"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/A [0-9a-f]{8}, 1 commit before main · 1 run/)]);
  });

  test("push compares with its own branch or the commits before it, never with another branch", async () => {
    const { push } = await branched();
    expect((await push("topic-1", [], 17)).stdout).toMatch(/no change since [0-9a-f]{8} \(2 d earlier\) {2}topic-1/);
  });

  test("a stored commit is found outside of its repository", async () => {
    const { devflow, first } = await branched();
    const { code, stdout } = await devflow(["eval", "compare", first, "other-1"], { cwd: temporaryFolder() });
    expect([code, stdout]).toEqual([1, expect.stringContaining(`A ${first.slice(0, 8)} · 1 run`)]);
  });
});

describe("eval push", () => {
  test("says in one line what came of it, and how it stands to the last run", async () => {
    const { devflow, file } = place();
    const first = await devflow(["eval", "push", file("a.json", run("one", cases([1])))]);
    expect([first.code, first.stdout]).toEqual([
      0,
      "greetings  19 passed, 1 failed · no earlier run to compare  one\n",
    ]);
    const second = await devflow([
      "eval",
      "push",
      file("b.json", run("two", cases([1, 2], 20), { timestamp: "2026-03-15T12:00:00Z" })),
    ]);
    expect(second.stdout).toBe("greetings  18 passed, 2 failed · 1 worse since one (2 h earlier)  two\n");
  });

  test("stores the same file once, and refuses other content under its id until it is told to take it", async () => {
    const { devflow, file } = place();
    const path = file("a.json", run("one", cases([])));
    await devflow(["eval", "push", path]);
    expect(outputOf(await devflow(["eval", "push", path]))).toMatchInlineSnapshot(
      `"greetings  20 passed · already stored  one"`,
    );
    const other = file("b.json", run("one", cases([3])));
    expect(outputOf(await devflow(["eval", "push", other]))).toMatchInlineSnapshot(`
      "--- stderr
      Run one of greetings is already stored with different content.
      Give the new run another run_id, or replace the stored one: devflow eval push --replace <file>
      --- exit code 75"
    `);
    expect(outputOf(await devflow(["eval", "push", "--replace", other]))).toMatchInlineSnapshot(
      `"greetings  19 passed, 1 failed · no earlier run to compare  one"`,
    );
    const { runs } = (await devflow(["eval", "list", "--json"])).json<{ runs: { failed: number }[] }>();
    expect(runs.map(({ failed }) => failed)).toEqual([1]);
  });

  test("names every fault by its path and stores nothing; lenient it stores the rest and names what it left out", async () => {
    const { devflow, file } = place();
    const path = file("bad.json", {
      suite: "s",
      results: [
        { name: "a", passed: true },
        { name: "b" },
        { name: "c", passed: true, judge_scores: { tone: "high" } },
      ],
    });
    expect(outputOf(await devflow(["eval", "push", path]))).toMatchInlineSnapshot(`
      "--- stderr
      bad.json has 2 errors:
        results[1].passed: expected true or false (or a status), found nothing
        results[2].judge_scores.tone: expected a finite number, found "high"
      Fix them, or store what can be read: devflow eval push --lenient <file>
      --- exit code 65"
    `);
    expect(outputOf(await devflow(["eval", "list"]))).toMatchInlineSnapshot(
      `"No eval runs. To store one: devflow eval push <file>"`,
    );
    const lenient = await devflow(["eval", "push", "--lenient", path, "--json"]);
    const [stored] = lenient.json<{ runs: { total: number; warnings: string[] }[] }>().runs;
    expect(stored?.total).toBe(2);
    expect(stored?.warnings.join("\n")).toContain("left out: results[1].passed");
  });

  test("reads a pipe, twice the same being two runs, and a name tells what it is", async () => {
    const { devflow } = place();
    const stdin = '{"name":"a","passed":true}\n{"name":"b","passed":false}\n';
    for (let turn = 0; turn < 2; turn++) await devflow(["eval", "push", "-", "--name", "piped.jsonl"], { stdin });
    const { runs } = (await devflow(["eval", "list", "--json"])).json<{ runs: { suite: string; total: number }[] }>();
    expect(runs.map(({ suite, total }) => [suite, total])).toEqual([
      ["piped", 2],
      ["piped", 2],
    ]);
  });

  test("one bad file of several keeps none of the others out, and the exit code tells", async () => {
    const { devflow, file } = place();
    const files = [
      file("a.json", run("a", cases([]))),
      file("broken.json", '{"suite":'),
      file("c.json", run("c", cases([]))),
    ];
    const answer = await devflow(["eval", "push", ...files]);
    expect(outputOf(answer)).toMatchInlineSnapshot(`
      "greetings  20 passed · no earlier run to compare  a
      greetings  20 passed · no change since a (<duration> earlier)  c
      --- stderr
      <folder>/broken.json: broken.json cannot be read: it ends in the middle of suite (byte 9).
      Create it again, or store the complete results: devflow eval push --lenient <folder>/broken.json
      --- exit code 65"
    `);
  });

  test("fills in the commit that is checked out, but not for results that are older than it", async () => {
    const { devflow, file, home } = place();
    const [sha = ""] = await repository(home, 1);
    const now = new Date(Date.now() + 1000).toISOString();
    await devflow(["eval", "push", file("new.json", run("new", cases([]), { timestamp: now }))]);
    await devflow(["eval", "push", file("old.json", run("old", cases([])))]);
    const junit = file("junit.xml", '<testsuite name="j"><testcase name="a"/></testsuite>');
    utimesSync(junit, new Date(), new Date(Date.now() + 2000));
    await devflow(["eval", "push", junit]);
    const { runs } = (await devflow(["eval", "list", "--json"])).json<{
      runs: { suite: string; runId: string; gitSha: string | null; gitBranch: string | null }[];
    }>();
    expect(
      Object.fromEntries(
        runs.map((one) => [one.suite === "greetings" ? one.runId : one.suite, [one.gitSha, one.gitBranch]]),
      ),
    ).toEqual({
      new: [sha, "main"],
      old: [null, null],
      j: [sha, "main"],
    });
  });

  test("says when the files differ from the commit that the run is stored for", async () => {
    const { devflow, file, home } = place();
    writeFileSync(join(home.path, "prompt.txt"), "be kind");
    await repository(home, 1, ["prompt.txt"]);
    const now = new Date(Date.now() + 1000).toISOString();
    const path = file("a.json", run("clean", cases([]), { timestamp: now }));
    expect((await devflow(["eval", "push", path])).stderr).toBe("");
    writeFileSync(join(home.path, "prompt.txt"), "be short");
    const changed = await devflow(["eval", "push", file("b.json", run("changed", cases([]), { timestamp: now }))]);
    expect(outputOf(changed)).toMatchInlineSnapshot(`
      "greetings  20 passed · attempt 2 · no change since <id> (<duration> earlier)  changed
      --- stderr
      Stored for <id>, but the working tree has uncommitted changes: commit first, or use --commit."
    `);
  });

  test("merges what workers wrote", async () => {
    const { devflow, home } = place();
    const folder = join(home.devflowHome, "eval-partials/greetings");
    mkdirSync(folder, { recursive: true });
    for (const [at, pid] of [900_001, 900_002].entries()) {
      const content = {
        run_id: "r",
        worker: { finished: true },
        all_results: [{ name: `case ${at}`, passed: at === 0 }],
      };
      writeFileSync(join(folder, `worker_${pid}.json`), JSON.stringify(content));
    }
    expect(outputOf(await devflow(["eval", "push", "--partials", "greetings"]))).toMatchInlineSnapshot(
      `"greetings  1 passed, 1 failed · <duration> · no earlier run to compare  r"`,
    );
    expect(outputOf(await devflow(["eval", "push", "--partials", "greetings"]))).toMatchInlineSnapshot(`
      "--- stderr
      A worker's results for greetings (<folder>/.devflow/eval-partials) was not found.
      devflow eval list
      --- exit code 66"
    `);
  });

  test("prints JSON of the shape that its help tells", async () => {
    const { devflow, file } = place();
    const path = file("a.json", run("one", cases([1])));
    const schemas = new Map(storeCommands.map(({ name, output }) => [name, output]));
    for (const words of [["push", path], ["list"]]) {
      const answer = (await devflow(["eval", ...words, "--json"])).json();
      expect(schemas.get(`eval ${words[0]}`)?.safeParse(answer)).toMatchObject({
        success: true,
        data: answer as object,
      });
    }
  });

  test("with nothing to push says what to type", async () => {
    const { devflow } = place();
    expect(outputOf(await devflow(["eval", "push"]))).toMatchInlineSnapshot(`
      "--- stderr
      There is nothing to push.
      Give result files, or - for standard input: devflow eval push <file>
      --- exit code 64"
    `);
  });
});

describe("eval list and show", () => {
  test("filter, page, and find a run by the beginning of its id and a case by a part of its name", async () => {
    const { devflow, file } = place();
    await devflow(["eval", "push", file("a.json", run("first-run", cases([4]), { tier: "fast", label: "nightly" }))]);
    await devflow(["eval", "push", file("b.json", { ...run("second-run", cases([])), suite: "other" })]);
    const ids = async (...words: string[]) =>
      (await devflow(["eval", "list", ...words, "--json"]))
        .json<{ runs: { runId: string }[] }>()
        .runs.map(({ runId }) => runId);
    expect(await ids("nightly")).toEqual(["first-run"]);
    expect(await ids("--tier", "fast")).toEqual(["first-run"]);
    expect(await ids("--failed")).toEqual(["first-run"]);
    expect(await ids("--suite", "other")).toEqual(["second-run"]);
    expect(await ids("--since", "1d")).toEqual([]);
    expect(outputOf(await devflow(["eval", "list"]))).toMatchInlineSnapshot(`
      "RUN         SUITE                        PASSED  COST  COMMIT  LABEL        WHEN
      second-run  other           ██████████  100.0 %                unlabelled  <duration>
      first-run   greetings fast  █████████▒   95.0 %                nightly  <duration>"
    `);
    expect(outputOf(await devflow(["eval", "list", "--since", "soon"]))).toMatchInlineSnapshot(`
      "--- stderr
      "soon" is not a valid time.
      Use 12h, 7d, 2w or <time>
      --- exit code 64"
    `);
    expect((await devflow(["eval", "show", "other"])).stdout).toContain("second-run");
    expect(outputOf(await devflow(["eval", "show", "first"]))).toMatchInlineSnapshot(`
      "greetings  fast · nightly · <duration> ago
      first-run

        █████████████████████████████████████████████████████████▒▒▒
        95.0 %  19 passed, 1 failed
        no usage recorded

      Failures and errors
        fail  case 4

      One case: devflow eval show first-run <case>"
    `);
    expect(outputOf(await devflow(["eval", "show", "first", "case 4"]))).toMatchInlineSnapshot(`
      "case 4  greetings · fast

      fail
        output
        │ answer 4

      History  ▁  0 of 1 passed (0.0 %) in 1 run
        0/1  —  nightly  <duration> ago"
    `);
    const several = await devflow(["eval", "show", "first", "case 1"], {});
    expect(several.code).toBe(0);
    expect((await devflow(["eval", "show", "first", "case"])).stderr).toContain("matches 20 cases");
    expect(outputOf(await devflow(["eval", "show", "nothing"]))).toMatchInlineSnapshot(`
      "--- stderr
      The eval run "nothing" was not found.
      devflow eval list
      --- exit code 66"
    `);
  });

  test("shows no escape sequence that a model wrote", async () => {
    const { devflow, file } = place();
    const nasty = "\u001b]0;owned\u0007\u001b[2Jx";
    const pushed = await devflow([
      "eval",
      "push",
      file("a.json", run("r", [{ name: nasty, passed: false, response: nasty }], { suite: nasty, label: nasty })),
    ]);
    expect(pushed.stdout).not.toContain("\u001b");
    for (const words of [["list"], ["show"], ["show", "r", "x"], ["trend"], ["summary"], ["flaky"], ["comment"]]) {
      const { stdout } = await devflow(["eval", ...words]);
      expect([words, stdout.includes("\u001b"), stdout.includes("\u0007")]).toEqual([words, false, false]);
    }
  });
});

describe("eval compare", () => {
  async function pair(failingA: readonly number[], failingB: readonly number[], more: object = {}) {
    const here = place();
    await here.devflow(["eval", "push", here.file("a.json", run("a", cases(failingA)))]);
    await here.devflow([
      "eval",
      "push",
      here.file("b.json", run("b", cases(failingB), { timestamp: "2026-03-15T11:00:00Z", ...more })),
    ]);
    return here;
  }

  test("outside of a repository holds the newest run against the one before it", async () => {
    const { devflow } = await pair([], [0, 1, 2, 3, 4, 5, 6]);
    expect(outputOf(await devflow(["eval", "compare"]))).toMatchInlineSnapshot(`
      "Regression in greetings: 7 cases broke, 0 fixed.
      A run a of <time>
      B run b of <time>

      suite      verdict           A       B  points  95 % interval      p  cases
      greetings  regression  100.0 %  65.0 %   −35.0  −56.7 … −13.2  0.016     20

      greetings
        A ████████████████████████████████████████ 100.0 %
        B ██████████████████████████·············· 65.0 %
        Pass rate −35.0 points (95 % interval −56.7 to −13.2; p = 0.016); 7 of 20 cases worse, 0 better.
        broke  case 0  1/1 → 0/1
        broke  case 1  1/1 → 0/1
        broke  case 2  1/1 → 0/1
        broke  case 3  1/1 → 0/1
        broke  case 4  1/1 → 0/1
        broke  case 5  1/1 → 0/1
        broke  case 6  1/1 → 0/1
      --- exit code 1"
    `);
  });

  test("exits 0 without a regression, and 3 for too little data only when asked", async () => {
    const { devflow } = await pair([], [0]);
    expect((await devflow(["eval", "compare", "a", "b"])).code).toBe(0);
    expect((await devflow(["eval", "compare", "a", "b", "--fail-on", "no-data"])).code).toBe(3);
    expect(outputOf(await devflow(["eval", "compare", "a", "b", "--fail-on", "nonsense"]))).toMatchInlineSnapshot(`
      "--- stderr
      --fail-on does not accept "nonsense".
      Use one of regression, no-data, cost, latency, errors
      --- exit code 2"
    `);
    expect(outputOf(await devflow(["eval", "compare", "nonsense"]))).toMatchInlineSnapshot(`
      "--- stderr
      A run, commit, branch or label "nonsense" with runs was not found.
      devflow eval list
      --- exit code 2"
    `);
  });

  test("never says that nothing got worse when nothing was compared", async () => {
    const { devflow, file, home } = place();
    await devflow(["eval", "push", file("a.json", run("a", cases([])))]);
    const alone = await devflow(["eval", "compare"]);
    expect(outputOf(alone)).toMatchInlineSnapshot(`
      "Nothing compared.
      A no earlier run of the same suite, tier and judge
      B run a of <time>

      suite      verdict          A  B  points  95 % interval  p  cases
      greetings  not enough data  —  —       —              —  —      0

      greetings
        Nothing compared: side A has no run of this suite and tier.
        20 cases added, 0 removed, 0 renamed; raw change 0.0 = common 0.0, added 0.0, removed 0.0

      warning  greetings: Nothing was compared: no case is on both sides.
      --- stderr
      There is only one run of greetings (standard). To store another: devflow eval push <file>"
    `);
    expect((await devflow(["eval", "compare", "--fail-on", "no-data"])).code).toBe(3);
    await repository(home, 1);
    const noRun = await devflow(["eval", "compare"]);
    expect(outputOf(noRun)).toMatchInlineSnapshot(`
      "--- stderr
      HEAD (<id>) has no run; no commit before it has one either; newest: run a of <time>. To store one: devflow eval push <file>
      --- exit code 4"
    `);
    for (const { stdout } of [alone, noRun]) expect(stdout).not.toMatch(/no (evidence of a )?regression/i);
  });

  test("refuses two judges with exit code 2, until it is told to mix them", async () => {
    const judged = (model: string) => ({ judges: [{ model, rubric_sha: "r1" }] });
    const here = place();
    await here.devflow(["eval", "push", here.file("a.json", run("a", cases([]), judged("sonnet")))]);
    await here.devflow(["eval", "push", here.file("b.json", run("b", cases([0]), judged("opus")))]);
    expect(outputOf(await here.devflow(["eval", "compare", "a", "b"]))).toMatchInlineSnapshot(`
      "Not compared: the judges differ.
      A run a of <time> · 1 run
      B run b of <time> · 1 run

      suite      verdict          A  B  points  95 % interval  p  cases
      greetings  not enough data  —  —       —              —  —      0

      greetings
        Not compared: A was judged by sonnet rubric r1, B by opus rubric r1.

      warning  greetings: A was judged by sonnet rubric r1, B by opus rubric r1. To judge the stored outputs again: devflow eval rejudge <run>.
      --- exit code 2"
    `);
    expect((await here.devflow(["eval", "compare", "a", "b", "--mix-judges"])).code).toBe(0);
  });

  test("takes the nearest commit with runs when the branch began on one without, and says how far it is", async () => {
    const { devflow, file, home } = place();
    const shas = await repository(home, 4);
    await devflow(["eval", "push", "--commit", shas[0] as string, file("a.json", run("a", cases([])))]);
    // Short hashes are what many tools write.
    const short = shas[3]?.slice(0, 10) as string;
    await devflow([
      "eval",
      "push",
      file("b.json", run("b", cases([0]), { git_sha: short, timestamp: "2026-03-20T10:00:00Z" })),
    ]);
    const report = (await devflow(["eval", "compare", "--json"])).json<
      CompareReport & { selection: { distance: number; about: { text: string }[] } }
    >();
    expect([report.a.runs, report.b.runs, report.selection.distance]).toEqual([["a"], ["b"], 3]);
    expect(report.selection.about[0]?.text).toBe(
      `${shas[0]?.slice(0, 8)} Commit 1 · 1 run, 3 commits before, 5 d older`,
    );
    expect(report.warnings.map(({ kind }) => kind)).toContain("stale baseline");
  });

  test("in a shallow clone says that history is missing, and how to get it", async () => {
    const { devflow, file, home } = place();
    await repository(home, 2);
    const clone = join(home.path, "clone");
    const words = ["git", "clone", "--quiet", "--depth", "1", `file://${home.path}`, clone];
    expect((await runProcess(words, { env: home.environment() })).code).toBe(0);
    const now = new Date(Date.now() + 1000).toISOString();
    await devflow(["eval", "push", file("a.json", run("a", cases([]), { timestamp: now }))], { cwd: clone });
    const answer = await devflow(["eval", "compare"], { cwd: clone });
    expect(outputOf(answer)).toMatchInlineSnapshot(`
      "Nothing compared.
      A no run on any earlier commit
      B <id> Commit 2 · 1 run

      suite      verdict          A  B  points  95 % interval  p  cases
      greetings  not enough data  —  —       —              —  —      0

      greetings
        Nothing compared: side A has no run of this suite and tier.
        20 cases added, 0 removed, 0 renamed; raw change 0.0 = common 0.0, added 0.0, removed 0.0

      warning  greetings: Nothing was compared: no case is on both sides.
      --- stderr
      No commit before <id> has a comparable run; this clone is shallow (fetch the rest: git fetch --unshallow)."
    `);
  });

  test("on a pull request takes the branch that it goes to, as the CI says", async () => {
    const { devflow, file, home } = place();
    const shas = await repository(home, 3);
    const env = home.environment();
    const git = (...words: string[]) => runProcess(["git", ...words], { cwd: home.path, env });
    await git("update-ref", "refs/remotes/origin/release", shas[0] as string);
    for (const [at, sha] of shas.entries()) {
      await devflow(["eval", "push", "--commit", sha, file(`${at}.json`, run(`r${at}`, cases([])))]);
    }
    const usual = (await devflow(["eval", "compare", "--json"])).json<CompareReport>();
    expect(usual.a.runs).toEqual(["r1"]);
    const release = await devflow(["eval", "compare", "--json"], { env: { GITHUB_BASE_REF: "release" } });
    expect(release.json<CompareReport>().a.runs).toEqual(["r0"]);
    const asked = await devflow(["eval", "compare", "--base", shas[0] as string, "--json"]);
    expect(asked.json<CompareReport>().a.runs).toEqual(["r0"]);
  });

  test("shows how outputs differ, word by word, and Markdown, on request", async () => {
    const here = place();
    const broken = cases([0, 1, 2, 3, 4, 5, 6]).map((one) =>
      one.passed ? one : { ...one, response: `wrong ${one.response}` },
    );
    await here.devflow(["eval", "push", here.file("a.json", run("a", cases([])))]);
    await here.devflow(["eval", "push", here.file("b.json", run("b", broken))]);
    expect((await here.devflow(["eval", "compare", "a", "b", "--word-diff"])).stdout).toContain("{+wrong +}answer 0");
    const markdown = (await here.devflow(["eval", "compare", "a", "b", "--markdown"])).stdout;
    expect(markdown.split("\n")[1]).toBe("### Evals: regression");
  });
});

describe("eval comment --pr", () => {
  /** A `gh` that keeps the comments of one pull request in a file. */
  function fakeGh(home: TemporaryHome): {
    env: Record<string, string>;
    comments: () => { id: number; body: string }[];
    log: () => string;
  } {
    const bin = join(home.path, "bin");
    mkdirSync(bin);
    const kept = join(home.path, "comments.json");
    const log = join(home.path, "gh.log");
    writeFileSync(kept, JSON.stringify([{ id: 1, body: "looks good" }]));
    writeFileSync(log, "");
    const program = `
const { readFileSync, writeFileSync, appendFileSync } = require("node:fs");
const words = process.argv.slice(2);
appendFileSync(${JSON.stringify(log)}, words.join(" ") + "\\n");
const kept = ${JSON.stringify(kept)};
const all = JSON.parse(readFileSync(kept, "utf8"));
if (words[0] === "--version") console.log("gh version 2.99");
else if (words[0] === "pr") console.log("42");
else if (words.includes("--paginate")) for (const one of all) console.log(JSON.stringify(one));
else {
  const { body } = JSON.parse(readFileSync(0, "utf8"));
  const id = Number(/comments\\/(\\d+)$/.exec(words[3])?.[1] ?? all.length + 1);
  writeFileSync(kept, JSON.stringify([...all.filter((one) => one.id !== id), { id, body }]));
  console.log(JSON.stringify({ id, html_url: "https://example.test/pull/42#issuecomment-" + id }));
}`;
    writeFileSync(join(bin, "gh.cjs"), program);
    writeFileSync(join(bin, "gh"), `#!/bin/sh\nexec "${process.execPath}" "${join(bin, "gh.cjs")}" "$@"\n`);
    chmodSync(join(bin, "gh"), 0o755);
    const path = `${bin}:${home.environment().PATH}`;
    return {
      env: { PATH: path },
      comments: () => JSON.parse(readFileSync(kept, "utf8")),
      log: () => readFileSync(log, "utf8"),
    };
  }

  test("posts one comment and replaces it the next time, leaving the others alone", async () => {
    const { devflow, file, home } = place();
    const gh = fakeGh(home);
    await devflow(["eval", "push", file("a.json", run("a", cases([])))]);
    await devflow([
      "eval",
      "push",
      file("b.json", run("b", cases([0, 1, 2, 3, 4, 5, 6]), { timestamp: "2026-03-15T11:00:00Z" })),
    ]);
    const first = await devflow(["eval", "comment", "--pr"], { env: gh.env });
    expect([first.code, first.stdout]).toEqual([
      0,
      "Commented on pull request 42: https://example.test/pull/42#issuecomment-2\n",
    ]);
    await devflow(["eval", "push", file("c.json", run("c", cases([]), { timestamp: "2026-03-15T12:00:00Z" }))]);
    const second = await devflow(["eval", "comment", "--pr", "42"], { env: gh.env });
    expect(outputOf(second)).toMatchInlineSnapshot(
      `"Replaced the comment on pull request 42: https://example.test/pull/42#issuecomment-2"`,
    );
    expect(gh.comments().map(({ id, body }) => [id, body.split("\n")[1] ?? body])).toEqual([
      [1, "looks good"],
      [2, "### Evals: improvement"],
    ]);
    expect(
      (
        await devflow(["eval", "comment", "--pr", "--name", "nightly"], {
          env: { ...gh.env, GITHUB_REF: "refs/pull/7/merge" },
        })
      ).stdout,
    ).toContain("Commented on pull request 7");
    expect(gh.log()).toContain("repos/{owner}/{repo}/issues/7/comments");
  });

  test("without gh prints the Markdown and says so", async () => {
    const { devflow, file, home } = place();
    await devflow(["eval", "push", file("a.json", run("a", cases([])))]);
    const answer = await devflow(["eval", "comment", "--pr"], { env: { PATH: join(home.path, "nowhere") } });
    expect(outputOf(answer)).toMatchInlineSnapshot(`
      "<!-- devflow-eval-compare -->
      ### Evals: nothing compared

      **Nothing was compared**, so there may be regressions.

      - \`A no earlier run of the same suite, tier and judge\`
      - \`B run a of <time>\`

      **\`greetings\`: not enough data.** Nothing compared: side A has no run of this suite and tier.

      - Warning: \`greetings\`: Nothing was compared: no case is on both sides.

      <details><summary><code>greetings</code>: 20 added, 0 removed, 0 renamed</summary>

      - raw change 0.0 points = common 0.0, added 0.0, removed 0.0
      - added: \`case 0\`, \`case 1\`, \`case 2\`, \`case 3\`, \`case 4\`, \`case 5\`, \`case 6\`, \`case 7\`, \`case 8\`, \`case 9\`, \`case 10\`, \`case 11\`, \`case 12\`, \`case 13\`, \`case 14\`, \`case 15\`, \`case 16\`, \`case 17\`, \`case 18\`, \`case 19\`

      </details>
      --- stderr
      There is only one run of greetings (standard). To store another: devflow eval push <file>
      gh is not installed, so the comment was only printed. Post it yourself, or install gh: https://cli.github.com"
    `);
  });
});
