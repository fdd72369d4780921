/** Lanes in the terminal, as a person sees them. */
import { afterAll, expect, test } from "bun:test";
import { type CliResult, outputOf, type RunCliOptions, runCli } from "@devflow/testkit";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";

const it: RunsServer = await startRunsServer();
afterAll(() => it.stop(), 120_000);

const devflow = (words: readonly string[], options: Partial<RunCliOptions> = {}): Promise<CliResult> =>
  runCli(words, { home: it.home, cwd: it.repository, ...options });

const tasks = [
  { id: "german", title: "Greet in German", dependsOn: [], writeSet: ["de.txt"] },
  { id: "french", title: "Greet in French", dependsOn: [], writeSet: ["de.txt"] },
];
const text = (line: string) => ({ implement: { files: { "de.txt": `${line}\n` } } });
const fake = {
  script: { tasks: { artifact: { tasks } }, integrate: "no_change" },
  lanes: { german: text("Hallo"), french: { implement: { ...text("Salut").implement, delayMs: 3_000 } } },
};

test("the tasks, a question about two lanes with its choices, and a lane as a run of its own", async () => {
  const words = ["run", "start", "Greet", "--template", "development-parallel-fake@1"];
  const started = await devflow([...words, "--extra", JSON.stringify({ fake }), "--json"]);
  const { runId } = started.json<{ runId: string }>();
  await devflow(["run", "watch", runId, "--until-gate"]);
  expect(outputOf(await devflow(["run", "lanes", runId]))).toMatchInlineSnapshot(
    `"Run <id> has not come to its lanes yet."`,
  );
  await devflow(["run", "approve", runId]);
  await devflow(["run", "watch", runId, "--until-gate"]);
  const asked = (output: string) => output.slice(output.indexOf("Asks:"));
  expect(asked(outputOf(await devflow(["run", "watch", runId, "--until-gate"])))).toMatchInlineSnapshot(`
    "Asks: parallel dag approved? two tasks could change the same files
        german and french: de.txt
      devflow run approve <id> --choice serialise   Do these tasks one after the other
      devflow run approve <id> --choice parallel    Do them side by side all the same
      devflow run request-changes <id> -m "…"
      devflow run abort <id>"
  `);
  expect(outputOf(await devflow(["run", "approve", runId, "--choice", "rebase"]))).toMatchInlineSnapshot(`
    "--- stderr
    The gate parallel_dag_approved does not offer "rebase".
    Choose one of: serialise, parallel
    --- exit code 65"
  `);
  await devflow(["run", "approve", runId, "--choice", "parallel"]);
  await devflow(["run", "watch", runId, "--until-gate"]);
  expect(outputOf(await devflow(["run", "lanes", runId]))).toMatchInlineSnapshot(`
    "LANE    STATE     RUN       AFTER  TASK
    german  merged 1  <id>         Greet in German
    french  finished  <id>         Greet in French
    french collides with main: de.txt"
  `);
  await devflow(["run", "approve", runId, "--choice", "drop", "-m", "One greeting will do"]);
  await devflow(["run", "watch", runId, "--until-gate"]);
  await devflow(["run", "approve", runId]);
  await devflow(["run", "watch", runId]);
  const lanes = (await devflow(["run", "lanes", runId, "--json"])).json<{
    tasks: { id: string; lane: { runId: string } }[];
  }>();
  const lane = lanes.tasks[0]?.lane.runId ?? "";
  // The lanes of a lane are those of its parent.
  expect(outputOf(await devflow(["run", "lanes", lane]))).toMatchInlineSnapshot(`
    "LANE    STATE     RUN       AFTER  TASK
    german  merged 1  <id>         Greet in German
    french  dropped   <id>         Greet in French
    french: One greeting will do"
  `);
  expect((await devflow(["run", "show", lane])).stdout).toContain(`Lane      german of ${runId.slice(-8)}: Greet`);
  expect((await devflow(["run", "list"])).stdout).not.toContain("german");
  expect((await devflow(["run", "list", "--lanes"])).stdout).toContain(`german of ${runId.slice(-8)}`);
  const verified = await devflow(["run", "verify", runId]);
  expect(verified.code).toBe(0);
  expect(verified.stdout).toContain("lane german");
}, 120_000);

test("watching a run until somebody is asked ends when one of its lanes asks, and names it", async () => {
  const one = { ...fake, script: { tasks: { artifact: { tasks: tasks.slice(0, 1) } } } };
  const extra = JSON.stringify({ fake: { ...one, lanes: { german: { implement: "invalid" } } } });
  const words = ["run", "start", "Greet", "--template", "development-parallel-fake@1", "--extra", extra, "--json"];
  const { runId } = (await devflow(words)).json<{ runId: string }>();
  await devflow(["run", "watch", runId, "--until-gate"]);
  await devflow(["run", "approve", runId]);
  const watched = await devflow(["run", "watch", runId, "--until-gate"]);
  expect(watched.code).toBe(0);
  expect(watched.stdout.trimEnd().split("\n").at(-1)).toMatch(/^Lane german asks: devflow run show [0-9a-f]{8}$/);
  const asking = { isTerminal: true, columns: 100 };
  expect((await devflow(["run", "watch", runId, "--until-gate"], asking)).stdout).toContain("Lane german asks:");
  await devflow(["run", "abort", runId]);
}, 120_000);
