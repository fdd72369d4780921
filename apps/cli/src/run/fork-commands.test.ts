/** Forks in the terminal, as a person types them. */
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliResult, outputOf, type RunCliOptions, runCli } from "@devflow/testkit";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";

const it: RunsServer = await startRunsServer();
afterAll(() => it.stop(), 120_000);

const devflow = (words: readonly string[], options: Partial<RunCliOptions> = {}): Promise<CliResult> =>
  runCli(words, { home: it.home, cwd: it.repository, ...options });

/** Approves every gate to the end. */
async function finish(id: string): Promise<void> {
  for (;;) {
    const watched = await devflow(["run", "watch", id, "--until-gate"]);
    if (!watched.stdout.includes("Asks:")) return;
    expect((await devflow(["run", "approve", id])).code).toBe(0);
  }
}

async function newestId(): Promise<string> {
  return (await it.call("/api/runs?limit=1")).json.runs[0].id as string;
}

test("fork, show, compare: the whole way, with whole outputs", async () => {
  const started = await devflow(["run", "start", "Greet", "--template", "development-fake@1", "--json"]);
  const origin = started.json<{ runId: string }>().runId;
  await finish(origin);
  const file = join(it.home.path, "strict.md");
  writeFileSync(file, "Review it strictly.\n{{artifact:implement}}\n");

  const forked = await devflow([
    ...["run", "fork", origin.slice(-8), "--at", "review", "--instructions", file],
    ...["--override", "reviewer#0=fake-reviewer-two@1", "--model", "verifier=large"],
  ]);
  expect(outputOf(forked)).toMatchInlineSnapshot(`
    "Run <id> started: <id> from review on.
    Follow it: devflow run watch <id>
    Compare them: devflow run compare <id>"
  `);
  const fork = await newestId();
  await finish(fork);

  expect((await devflow(["run", "watch", fork])).stdout).toContain(`forked from ${origin.slice(-8)} at review`);
  expect((await devflow(["run", "show", fork])).stdout).toContain(`Fork of   ${origin.slice(-8)} at review; compare: `);
  expect((await devflow(["run", "show", origin])).stdout).toContain(`Forked    ${fork.slice(-8)} at review, completed`);
  const compared = await devflow(["run", "compare", fork]);
  const withoutFigures = (text: string) => text.replace(/^(cost|tokens|time) .*$/gm, "$1 …");
  expect(withoutFigures(outputOf(compared))).toMatchInlineSnapshot(`
    "From review on:
                   <id>            <id> (fork)
    state          completed           completed
    reviewer#0     fake-reviewer@1     fake-reviewer-two@1
    verifier       fake-verifier@1     fake-verifier@1, large
    instructions   the template's      its own
    cost …
    tokens …
    time …
    attempts       3                   3
    tests          none                none
    open findings  1 of 1, 0 blocking  1 of 1, 0 blocking
    changes        1 file, +6 -0       1 file, +6 -0

    The work of both is the same.
    Its changes: devflow run diff <id>"
  `);
  expect((await devflow(["run", "compare", fork, "--json"])).json()).toMatchObject({
    at: "review",
    hasOwnInstructions: true,
    origin: { id: origin },
    fork: { id: fork },
  });
  expect((await devflow(["run", "verify", fork])).code).toBe(0);
  expect((await devflow(["run", "verify", origin])).code).toBe(0);
});

test("what cannot be forked says what can", async () => {
  const origin = await newestId();
  expect(outputOf(await devflow(["run", "fork", origin, "--at", "polish"]))).toMatchInlineSnapshot(`
    "--- stderr
    Phase polish of run <id> was not found.
    It can be forked at: review, verify, fix, report
    --- exit code 66"
  `);
  expect(outputOf(await devflow(["run", "fork", origin]))).toMatchInlineSnapshot(`
    "--- stderr
    --at is missing.
    See: devflow run fork --help
    --- exit code 64"
  `);
  expect(outputOf(await devflow(["run", "fork", origin, "--at", "fix", "--model", "large"]))).toMatchInlineSnapshot(`
    "--- stderr
    --model must be role=model, not "large".
    See who there is: devflow persona list
    --- exit code 64"
  `);
  expect(
    outputOf(
      await devflow(["run", "fork", origin, "--at", "review", "--instructions", "-"], { stdin: "{{artifact:report}}" }),
    ),
  ).toMatchInlineSnapshot(`
    "--- stderr
    The instructions for review cannot be used: {{artifact:report}}: phase "report" comes later.
    See the template's own: devflow template show development-fake@1
    --- exit code 65"
  `);
  expect(
    outputOf(await devflow(["run", "fork", origin, "--at", "review", "--override", "coder=nobody@1"])),
  ).toMatchInlineSnapshot(`
    "--- stderr
    role coder: there is no persona nobody@1
    See who there is: devflow persona list
    --- exit code 65"
  `);
  const started = await devflow(["run", "start", "Greet", "--template", "development-fake@1", "--json"]);
  const plain = started.json<{ runId: string }>().runId;
  expect(outputOf(await devflow(["run", "compare", plain]))).toMatchInlineSnapshot(`
    "--- stderr
    Run <id> is not a fork.
    Fork it: devflow run fork <id> --at <phase>
    --- exit code 75"
  `);
  await finish(plain);
});
