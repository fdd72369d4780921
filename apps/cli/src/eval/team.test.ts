import { describe, expect, test } from "bun:test";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { inspectConfig, loadConfig } from "@devflow/core/config";
import type { EvalResult } from "@devflow/evals";
import type { SinkRecord } from "@devflow/evals/store";
import type { EvalTeam, TeamEvalRun } from "@devflow/evals/team";
import { outputOf, plainText, runCli, temporaryHome } from "@devflow/testkit";
import { compareWith } from "./compare.ts";
import { leaderboardWith } from "./leaderboard.ts";
import { listWith } from "./list.ts";
import { pushWith } from "./push.ts";
import { trendWith } from "./trend.ts";

/** A team whose cache holds what its sink was given, as if it had gone to a server and come back. */
function teamOf(person: (suite: string) => string | null) {
  const records = new Map<string, SinkRecord>();
  const team: EvalTeam = {
    name: "Blue team",
    sink: { accept: async (record) => void records.set(record.id, record) },
    cache: {
      pulledAt: new Date().toISOString(),
      runs: async ({ suite, since }) =>
        [...records.values()].flatMap((one): TeamEvalRun[] => {
          if (one.kind !== "eval_run") return [];
          const { run, summary } = one.record;
          if ((suite !== undefined && run.suite !== suite) || (since !== undefined && run.at < since)) return [];
          return [
            {
              run,
              pushedBy: person(run.suite),
              person: person(run.suite),
              usd: summary.cost.actualUsd + summary.cost.estimatedUsd,
            },
          ];
        }),
      results: async ({ run }) =>
        [...records.values()].flatMap((one): readonly EvalResult[] =>
          one.kind === "eval_results" && one.suite === run.suite && one.runId === run.runId ? one.results : [],
        ),
    },
  };
  return { team, records };
}

function contextIn(home: ReturnType<typeof temporaryHome>) {
  const answers: { value: unknown; text: string }[] = [];
  const env = home.environment();
  const context: CommandContext = {
    cwd: home.path,
    env,
    config: () => loadConfig({ env }),
    inspectConfig: () => inspectConfig({ env }),
    output: {
      ...{ json: false, isTerminal: false, columns: 100, item: () => {}, note: () => {} },
      result: (value, text) => void answers.push({ value, text }),
    },
    signal: new AbortController().signal,
    readStdin: async () => "",
    stdinBytes: async function* () {},
  };
  return { context, answers };
}

const nothing = { lenient: false, replace: false };

const compared = {
  ...{ gate: [], mixJudges: false, failOn: [], sequential: false, wordDiff: false, markdown: false, team: true },
};

describe("with a team", () => {
  test("a run of this machine is compared with a teammate's, whose results come from the cache", async () => {
    const [grace, ada] = [temporaryHome(), temporaryHome()];
    const { team } = teamOf(() => "Grace");
    const found = async () => ({ evals: team });
    const written = (home: typeof grace, passed: boolean, gitSha: string) => {
      const path = join(home.path, `${gitSha.slice(0, 4)}.json`);
      const results = Array.from({ length: 30 }, (_, at) => ({ name: `case ${at}`, passed: passed || at > 14 }));
      writeFileSync(path, JSON.stringify({ suite: "tone", git_sha: gitSha, results }));
      return path;
    };
    const theirs = contextIn(grace);
    await pushWith(found)({ ...nothing, files: [written(grace, true, "a".repeat(40))] }, theirs.context);
    const own = contextIn(ada);
    const alone = async () => "alone" as const;
    await pushWith(alone)({ ...nothing, files: [written(ada, false, "b".repeat(40))] }, own.context);

    // Without --team there is no such run.
    expect(await compareWith(found)({ ...compared, a: "aaaaaaaa", b: "bbbbbbbb", team: false }, own.context)).toBe(2);
    expect(await compareWith(found)({ ...compared, a: "aaaaaaaa", b: "bbbbbbbb" }, own.context)).toBe(1);
    const { text, value } = own.answers.at(-1) ?? { text: "" };
    expect(text).toContain("A pushed by Grace");
    expect(text).not.toContain("B pushed by");
    expect(value).toMatchObject({ verdict: "regression" });
    expect(text).toContain("case 14");
    expect(await compareWith(alone)({ ...compared }, own.context)).toBe(2);
  });

  test("push feeds its sink, and list, trend and leaderboard read its cache", async () => {
    const home = temporaryHome();
    const { team, records } = teamOf((suite) => (suite === "tone" ? "Robin" : null));
    const found = async () => ({ evals: team });
    const { context, answers } = contextIn(home);
    const written = new Date(Date.now() - 100);
    const file = (name: string, suite: string, passed: readonly boolean[], gitSha: string) => {
      const path = join(home.path, name);
      const results = passed.map((one, at) => ({ name: `case ${at}`, passed: one, output: "x".repeat(400_000) }));
      writeFileSync(path, JSON.stringify({ suite, git_sha: gitSha, results }));
      // Files of the same millisecond have no order.
      written.setMilliseconds(written.getMilliseconds() + 10);
      utimesSync(path, written, written);
      return path;
    };
    const files = [
      file("a.json", "tone", [true, true, true, true], "a".repeat(40)),
      file("b.json", "tone", [true, true, false, false], "b".repeat(40)),
      file("c.json", "facts", [true], "b".repeat(40)),
    ];
    await pushWith(found)({ ...nothing, files }, context);
    expect(plainText(answers.at(-1)?.text ?? "")).toMatchInlineSnapshot(`
      "tone  4 passed · no earlier run to compare  <id>
      tone  2 passed, 2 failed · 2 worse since <id> (<duration> earlier)  <id>
      facts  1 passed · no earlier run to compare  <id>
      Queued for Blue team."
    `);
    const sizes = [...records.values()].map((record) => Buffer.byteLength(JSON.stringify(record)));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000_000);
    const kinds = [...records.values()].map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "eval_run")).toHaveLength(3);

    // Pushed again, the team gets the same ids again and can drop them.
    const before = [...records.keys()];
    await pushWith(found)({ ...nothing, files: files.slice(0, 1) }, context);
    expect([...records.keys()]).toEqual(before);

    await listWith(found)({ failed: false, limit: 20, team: true }, context);
    expect(plainText(answers.at(-1)?.text ?? "")).toMatchInlineSnapshot(`
      "RUN       SUITE  PASSED   COST  COMMIT    WHO    WHEN
      <id>  facts  100.0 %  $0    <id>  <duration> ago
      <id>  tone   50.0 %   $0    <id>  Robin  <duration> ago
      <id>  tone   100.0 %  $0    <id>  Robin  <duration> ago"
    `);
    await trendWith(found)({ of: "tone", limit: 30, team: true, allBranches: false }, context);
    expect(plainText(answers.at(-1)?.text ?? "")).toMatchInlineSnapshot(`
      "Blue team
      tone  █▅

                     10 %                               100 %
      <id>  <duration>  ··················─────────────────────█  100.0 %  4/4    1 run
      <id>  <duration>  ··───────────────█───────────────·······   50.0 %  2/4    1 run

      █ pass rate, ─ its 95 % interval; runs of one commit are pooled"
    `);
    await leaderboardWith(found)({}, context);
    const board = answers.at(-1);
    expect(board?.value).toMatchObject({
      team: "Blue team",
      totals: { runs: 3, results: 9, passed: 7, commits: 2 },
      people: [
        { person: "Robin", runs: 2 },
        { person: null, runs: 1 },
      ],
    });
    expect(plainText(board?.text ?? "")).toMatchInlineSnapshot(`
      "Blue team  3 runs, 9 results on 2 commits, 77.8 % passed, $0  as of <duration> ago

        tone   75.0 %     2 runs  $0
        facts  100.0 %    1 run   $0

        Robin   ████████████  2 runs  75.0 %   $0
        others  ██████······  1 run   100.0 %  $0"
    `);
  });

  test("a key that an agent printed stays on this machine; here its output is whole", async () => {
    const home = temporaryHome();
    const { team, records } = teamOf(() => null);
    const { context } = contextIn(home);
    const key = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    const path = join(home.path, "a.json");
    const results = [
      { name: "leaks", passed: false, output: { response: `export GITHUB_TOKEN=${key}` }, failures: [`saw ${key}`] },
    ];
    writeFileSync(path, JSON.stringify({ suite: "tone", run_id: "r", results }));
    await pushWith(async () => ({ evals: team }))({ ...nothing, files: [path] }, context);
    expect(JSON.stringify([...records.values()])).not.toContain(key);
    expect(JSON.stringify([...records.values()])).toContain("[redacted:");
    expect((await runCli(["eval", "show", "r", "leaks"], { home })).stdout).toContain(key);
  });

  test("nobody is named who did not agree to it", async () => {
    const home = temporaryHome();
    const { team } = teamOf(() => null);
    const { context, answers } = contextIn(home);
    const path = join(home.path, "a.json");
    writeFileSync(path, '{"suite":"tone","results":[{"name":"a","passed":true}]}');
    await pushWith(async () => ({ evals: team }))({ ...nothing, files: [path] }, context);
    await leaderboardWith(async () => ({ evals: team }))({}, context);
    expect(plainText(answers.at(-1)?.text ?? "")).toMatchInlineSnapshot(`
      "Blue team  1 run, 1 result on 0 commits, 100.0 % passed, $0  as of <duration> ago

        tone  100.0 %    1 run  $0"
    `);
  });
});

test("without a team, each command that would ask it says so in a sentence", async () => {
  const home = temporaryHome();
  const told = async (...words: string[]) => outputOf(await runCli(["eval", ...words], { home }));
  expect(await told("leaderboard")).toMatchInlineSnapshot(
    `"No team is configured, so there are only the runs of this machine. To list them: devflow eval list"`,
  );
  expect(await told("list", "--team")).toMatchInlineSnapshot(
    `"No team is configured, so there are only the runs of this machine. To list them: devflow eval list"`,
  );
  expect(await told("trend", "--team")).toMatchInlineSnapshot(
    `"No team is configured, so there are only the runs of this machine. To list them: devflow eval list"`,
  );
});
