import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli, runProcess, temporaryHome } from "@devflow/testkit";

const evil = (word: string) => `${word}\u001b]0;owned\u0007\u001b[2J\u202e\u009b31m`;

function hostileRun(id: string, day: number, passed: boolean) {
  const usage = [{ model: evil("model"), input_tokens: 10, output_tokens: 1, cost_usd: 0.1 }];
  const results = Array.from({ length: 8 }, (_, at) => ({
    ...{ name: evil(`case ${at}`), passed, category: evil("category"), tags: [evil("tag")], usage, duration_ms: 5 },
    ...{
      input: evil("input"),
      output: { response: evil("output") },
      judge_scores: { [evil("criterion")]: passed ? 1 : 0 },
    },
    ...{
      failures: passed
        ? []
        : [{ message: evil("message"), expectation_type: evil("type"), expected: evil("x"), actual: evil("y") }],
    },
  }));
  const error = { name: evil("broken"), status: "error", error: evil("error") };
  const about = {
    suite: evil("suite"),
    run_id: evil(id),
    label: evil("label"),
    model: evil("model"),
    host: evil("host"),
    source: evil("tool"),
  };
  return {
    ...about,
    timestamp: `2026-03-${day}T00:00:00Z`,
    git_branch: evil("branch"),
    variant: evil("variant"),
    results: [...results, error],
  };
}

test("no command prints a control character of a run, a case or a commit", async () => {
  const home = temporaryHome();
  const env = home.environment({
    ...{ GIT_AUTHOR_NAME: evil("Robin"), GIT_AUTHOR_EMAIL: "robin@example.com" },
    ...{ GIT_COMMITTER_NAME: evil("Robin"), GIT_COMMITTER_EMAIL: "robin@example.com" },
  });
  const git = (...words: string[]) => runProcess(["git", ...words], { cwd: home.path, env });
  await git("init", "--quiet", "--initial-branch=main");
  const printed: { readonly words: string; readonly text: string }[] = [];
  const devflow = async (...words: string[]) => {
    const { stdout, stderr } = await runCli(["eval", ...words], { home });
    printed.push({ words: words.join(" ").replaceAll(/[^\w -]/g, ""), text: stdout + stderr });
  };
  const path = join(home.path, "results.json");
  for (const [at, passed] of [true, true, false].entries()) {
    await git("commit", "--quiet", "--allow-empty", "--message", evil(`Commit ${at}`));
    writeFileSync(path, JSON.stringify(hostileRun(`run-${at}`, 10 + at, passed)));
    await devflow("push", "--commit", "HEAD", path);
  }
  const [suite, name] = [evil("suite"), evil("case 1")];
  mkdirSync(join(home.path, "evals"), { recursive: true });
  await devflow("list");
  await devflow("show");
  await devflow("show", suite, name);
  await devflow("show", suite, evil("nothing"));
  await devflow("compare");
  await devflow("compare", "--word-diff");
  await devflow("compare", "--markdown");
  await devflow("compare", evil("nothing"));
  await devflow("trend");
  await devflow("trend", name);
  await devflow("blame", name);
  await devflow("flaky");
  await devflow("flaky", "--quarantine", name, "--owner", evil("robin"), "--reason", evil("because"));
  await devflow("flaky");
  await devflow("summary");
  await devflow("comment");
  await devflow("cost");
  await devflow("cost", path);
  await devflow("bless", suite);
  await devflow("baselines");
  await devflow("label", "--show");
  await devflow("export", "--as", "markdown");
  await devflow("cache", "stats");
  await devflow("leaderboard");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
  const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;
  expect(printed.filter(({ text }) => control.test(text)).map(({ words }) => words)).toEqual([]);
});
