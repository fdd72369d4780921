/** Runs in the terminal alone, as a person and as an agent would type them. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initRepository } from "@devflow/git";
import { type CliResult, devflowCommand, type RunCliOptions, runCli, runProcess } from "@devflow/testkit";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";

const it: RunsServer = await startRunsServer();
afterAll(() => it.stop(), 120_000);

const devflow = (words: readonly string[], options: Partial<RunCliOptions> = {}): Promise<CliResult> =>
  runCli(words, { home: it.home, cwd: it.repository, ...options });
const fake = ["--template", "development-fake@1"];

async function startRun(...more: string[]): Promise<string> {
  const answer = await devflow(["run", "start", "Greet in several languages", ...fake, "--json", ...more]);
  expect(answer).toMatchObject({ code: 0 });
  return answer.json<{ runId: string }>().runId;
}
const short = (id: string) => id.slice(-8);
const untilGate = (id: string) => devflow(["run", "watch", id, "--until-gate"]);

describe("the whole way", () => {
  test("start, watch, request changes, approve, watch to the end, report, diff, verify, cleanup, purge", async () => {
    const started = await devflow(["run", "start", "Greet", "in", "several", "languages", ...fake]);
    expect(started).toMatchObject({ code: 0 });
    const id = /Run ([0-9a-f-]{36}) started/.exec(started.stdout)?.[1] as string;
    expect(started.stdout).toContain(`devflow run watch ${short(id)}`);

    const first = await devflow(["run", "watch", "--until-gate"]);
    expect(first.code).toBe(0);
    expect(first.stdout).toContain("plan started");
    expect(first.stdout).toContain("Asks: plan approved?");
    expect(first.stdout).toContain(`devflow run show ${short(id)} --artifact plan.json`);
    expect(first.stdout).toContain(`devflow run approve ${short(id)}`);

    const asked = await devflow(["run", "request-changes", short(id), "-m", "Tests first, please"]);
    expect(asked.stdout).toContain("Changes requested: plan approved");
    const second = await untilGate(short(id));
    expect(second.stdout).toContain("plan started, attempt 2");
    expect(second.stdout).toContain("“Tests first, please”");

    expect((await devflow(["run", "approve"])).stdout).toContain("Approved: plan approved");
    const plan = await devflow(["run", "show", id, "--artifact", "plan"]);
    expect(plan.stdout).toContain("Tests first, then the table, then the fallback.");
    expect((await devflow(["run", "show", id, "--artifact", "nothing"])).stderr).toContain("plan.json");
    const shipping = await untilGate(id);
    expect(shipping.stdout).toContain("Asks: ship approved?");
    expect(shipping.stdout).toContain(`devflow run diff ${short(id)}`);
    const approved = await devflow(["run", "approve", id.slice(0, 23), "--client-token", "ship"]);
    expect(approved.code).toBe(0);
    const end = await devflow(["run", "watch", id]);
    expect(end.code).toBe(0);
    expect(end.stdout).toContain("run completed");
    expect(end.stdout).toContain(`Report: devflow run report ${short(id)}`);
    // A retried decision is the same decision.
    const again = await devflow(["run", "approve", id, "--client-token", "ship", "--json"]);
    expect(again.json()).toMatchObject({ created: false, verdict: "approve" });

    expect((await devflow(["run", "report", id])).stdout).toStartWith("# ");
    expect((await devflow(["run", "report", id, "--json"])).json()).toMatchObject({ runId: id, status: "completed" });
    expect((await devflow(["run", "diff", id, "--stat"])).stdout).toContain("greetings.json");
    expect((await devflow(["run", "diff", id])).stdout).toContain("+++ b/greetings.json");
    const shown = await devflow(["run", "show", id]);
    expect(shown.stdout).toContain("valid    plan.json");
    expect(shown.stdout).toContain("The languages are not sorted");
    expect(await devflow(["run", "verify", id])).toMatchObject({ code: 0 });
    const events = (await devflow(["run", "events", id, "--json"])).json<{ events: { seq: number }[] }>().events;
    expect(events.map((one) => one.seq)).toEqual(events.map((_, index) => index + 1));
    expect((await devflow(["attach", id, "coder"])).stderr).toContain("has no screen");

    const worktree = (await it.call(`/api/runs/${id}`)).json.worktree;
    writeFileSync(join(worktree, "unsaved.txt"), "work");
    const dirty = await devflow(["run", "cleanup", id]);
    expect(dirty.code).not.toBe(0);
    expect(dirty.stderr).toContain("unsaved.txt");
    const unconfirmed = await devflow(["run", "cleanup", id, "--force"]);
    expect(unconfirmed.stderr).toContain(`--force --confirm ${id}`);
    expect(existsSync(worktree)).toBe(true);
    expect(await devflow(["run", "cleanup", id, "--force", "--confirm", id])).toMatchObject({ code: 0 });
    expect(existsSync(worktree)).toBe(false);
    expect((await devflow(["run", "diff", id])).stdout).toContain("+++ b/greetings.json");
    const { commands } = (await it.call(`/api/runs/${id}`)).json;
    expect(commands.at(-1)).toMatchObject({ argv: ["git", "worktree", "remove", "--force", worktree], exitCode: 0 });

    expect((await devflow(["run", "purge", id])).code).not.toBe(0);
    expect(await devflow(["run", "purge", id, "--confirm", id])).toMatchObject({ code: 0 });
    const blank = (await it.call(`/api/runs/${id}`)).json;
    expect(blank).toMatchObject({ title: "(purged)", requirements: "(purged)", state: "completed" });
    expect(JSON.stringify(blank)).not.toContain("Tests first, please");
    expect(await devflow(["run", "verify", id])).toMatchObject({ code: 0 });
  }, 120_000);

  test("a failure stops with its reason and the command that tries again", async () => {
    const id = await startRun("--scenario", "spec=invalid,invalid,ok");
    const stopped = await untilGate(id);
    expect(stopped.stdout).toContain("Stopped at spec");
    expect(stopped.stdout).toContain(`devflow run retry ${short(id)}`);
    expect(await devflow(["run", "retry", id])).toMatchObject({ code: 0 });
    expect((await untilGate(id)).stdout).toContain("Asks: plan approved?");
    expect(await devflow(["run", "reject", id, "-m", "not this way"])).toMatchObject({ code: 0 });
    const end = await devflow(["run", "watch", id]);
    expect(end).toMatchObject({ code: 1 });
    expect(end.stdout).toContain("not this way");
  }, 120_000);

  test("pause, resume, abort", async () => {
    const id = await startRun("--extra", '{"fake":{"delayMs":600000}}');
    while ((await it.call(`/api/runs/${id}`)).json.state !== "planning") await Bun.sleep(20);
    expect((await devflow(["run", "pause", id])).stdout).toContain(`devflow run resume ${short(id)}`);
    expect((await devflow(["run", "show", id, "--json"])).json()).toMatchObject({ state: "paused" });
    expect((await devflow(["run", "resume", id])).code).toBe(0);
    expect((await devflow(["run", "abort", id, "-m", "enough"])).code).toBe(0);
    expect(await devflow(["run", "watch", id])).toMatchObject({ code: 1 });
  }, 120_000);
});

describe("commands and permissions", () => {
  test("an agent's question ends the watching, and allow or deny answers it", async () => {
    const id = await startRun("--scenario", "spec=permission", "--scenario", "plan=permission");
    const asked = await untilGate(id);
    expect(asked.stdout).toContain("architect asks to use Bash: npm test");
    expect(asked.stdout).toContain(`devflow run allow ${short(id)}`);
    const refused = await devflow(["run", "allow", id], { env: { DEVFLOW_SESSION_TOKEN: "dfs_x" } });
    expect(refused).toMatchObject({ code: 77 });
    expect((await devflow(["run", "allow"])).stdout).toContain("Allowed: architect uses Bash: npm test");
    await devflow(["run", "watch", id, "--until-gate"]);
    while ((await it.call(`/api/runs/${id}`)).json.permissions.length === 0) await Bun.sleep(20);
    expect((await devflow(["run", "deny", id])).stdout).toContain("Denied: ");
    expect((await untilGate(id)).stdout).toContain("Asks: plan approved?");
    expect((await devflow(["run", "allow", id])).code).toBe(66);
    await devflow(["run", "abort", id]);
  }, 120_000);

  test("what a command printed can be read, the failed one first", async () => {
    const repo = join(it.home.path, "tested");
    const settings = { setup: [["echo", "made ready"]], test: [["ls", "no-such-file"]] };
    const files = { ".devflow.json": JSON.stringify(settings) };
    await initRepository(repo, { files, message: "Start", env: it.home.environment() });
    const id = await startRun("--repo", repo);
    await untilGate(id);
    expect((await devflow(["run", "logs"], { cwd: repo })).stdout).toBe("made ready\n");
    await devflow(["run", "approve", id]);
    expect((await untilGate(id)).stdout).toContain("Stopped at test");
    const failed = await devflow(["run", "logs", id]);
    expect(failed.stdout).toContain("no-such-file");
    expect(failed.stderr).toContain("ls no-such-file");
    expect((await devflow(["run", "logs", id, "1"])).stdout).toBe("made ready\n");
    expect((await devflow(["run", "logs", id, "99"])).code).toBe(66);
    expect((await devflow(["run", "logs", id, "--json"])).json()).toMatchObject({ stdout: "", isCut: false });
    await devflow(["run", "abort", id]);
  }, 120_000);
});

describe("an agent", () => {
  test("is refused at every gate, by its own token or by that of a process above it", async () => {
    const id = await startRun();
    await untilGate(id);
    const own = await devflow(["run", "approve", id], { env: { DEVFLOW_SESSION_TOKEN: "dfs_x" } });
    expect(own).toMatchObject({ code: 77 });
    expect(own.stderr).toContain("Only a person can decide a gate");
    if (process.platform === "linux") {
      // The agent drops the variable before it calls; the shell above still has it.
      const script = `env -u DEVFLOW_SESSION_TOKEN ${devflowCommand().join(" ")} run approve ${id}; exit $?`;
      const env = it.home.environment({ DEVFLOW_SESSION_TOKEN: "dfs_x" });
      expect(await runProcess(["bash", "-c", script], { env })).toMatchObject({ code: 77 });
    }
    expect((await devflow(["run", "show", id, "--json"])).json()).toMatchObject({ state: "awaiting_approval" });
    await devflow(["run", "abort", id]);
  }, 120_000);
});

describe("which run is meant", () => {
  test("to look at: the newest of this repository, else the newest at all, and stderr says which", async () => {
    const other = join(it.home.path, "garage");
    await initRepository(other, { files: { "README.md": "# Garage\n" }, message: "Start", env: it.home.environment() });
    const here = await startRun();
    const there = await startRun("--repo", other, "--title", "In the garage");
    const seen = await devflow(["run", "show", "--json"]);
    expect(seen.json()).toMatchObject({ id: here });
    expect(seen.stderr).toContain(`Run ${short(here)}`);
    expect(seen.stderr).toContain("the newest of this repository");
    expect((await devflow(["run", "show", "--json"], { cwd: other })).json()).toMatchObject({ id: there });
    const outside = await devflow(["run", "watch", "--until-gate"], { cwd: it.home.path });
    expect(outside.stderr).toContain(`Run ${short(there)}`);
    expect(outside.stderr).toContain("the newest, of ");
    expect((await devflow(["run", "abort"], { cwd: other })).stdout).toContain("Aborted “In the garage”");
    expect((await devflow(["run", "verify"], { cwd: other })).code).toBe(0);
    expect((await devflow(["run", "report"], { cwd: other })).stdout).toStartWith("# In the garage");
    expect((await devflow(["run", "diff"], { cwd: other })).stderr).toContain(short(there));
    await devflow(["run", "abort", here]);
  }, 120_000);

  test("to steer: several active ones are listed with the command for each, an unknown one is said to be", async () => {
    const ids = [await startRun(), await startRun()];
    const unclear = await devflow(["run", "abort"]);
    expect(unclear).toMatchObject({ code: 64, stdout: "" });
    for (const id of ids) expect(unclear.stderr).toContain(`devflow run abort ${short(id)}`);
    expect(await devflow(["run", "show", "ffffffff"])).toMatchObject({ code: 66 });
    expect(await devflow(["run", "show", "not-an-id"])).toMatchObject({ code: 66 });
    for (const id of ids) await devflow(["run", "abort", id]);
    expect((await devflow(["run", "approve"])).stderr).toContain("An open gate was not found");
    expect((await devflow(["run", "pause"])).stderr).toContain("No run is active.");
  }, 120_000);
});

describe("abort at an open gate", () => {
  test("closes it undecided; with --gate it is the answer to it, under the person's name", async () => {
    const first = await startRun();
    await untilGate(first);
    expect((await devflow(["run", "abort", first, "-m", "obsolete"])).code).toBe(0);
    const closed = (await it.call(`/api/runs/${first}`)).json;
    expect(closed).toMatchObject({ state: "aborted", failureReason: "obsolete" });
    expect(closed.approvals).toMatchObject([{ state: "aborted", decision: null }]);
    const late = await devflow(["run", "approve", first]);
    expect(late).toMatchObject({ code: 75 });

    const second = await startRun();
    await untilGate(second);
    expect((await devflow(["run", "abort", second, "--gate", "no_such_gate"])).stderr).toContain("no_such_gate");
    const aborted = await devflow(["run", "abort", second, "--gate", "plan_approved", "-m", "not now"]);
    expect(aborted.stdout).toContain("Aborted: plan approved");
    const answered = (await it.call(`/api/runs/${second}`)).json;
    expect(answered.approvals).toMatchObject([
      { state: "aborted", decision: { verdict: "abort", comment: "not now", actor: { name: "Ada", via: "cli" } } },
    ]);
    expect((await devflow(["run", "approve", second])).stderr).toContain("abort by Ada (cli)");
    expect((await devflow(["run", "show", second])).stdout).toContain("plan_approved: abort by Ada (cli), “not now”");
  }, 120_000);
});

describe("the terminal", () => {
  test("is redrawn in place, and gets nothing of a title that could steer it", async () => {
    const title = "\u001b]0;owned\u0007\u001b[31mRed\u202e\u0000 title";
    const id = await startRun("--title", title);
    const { stdout } = await devflow(["run", "watch", id, "--until-gate"], { isTerminal: true });
    expect(stdout).toContain("Red\u{FFFD} title");
    expect(stdout).not.toContain("owned");
    expect(stdout).not.toContain("\u001b[31m");
    expect(stdout).toContain("A\u001b[J");
    expect((await devflow(["run", "list"])).stdout).not.toContain("\u001b");
    await devflow(["run", "abort", id]);
  }, 120_000);

  test("--json streams every event", async () => {
    const id = await startRun();
    const { stdout } = await devflow(["run", "watch", id, "--until-gate", "--json"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(events.map((one) => one.seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map((one) => one.type)).toContain("approval.requested");
    await devflow(["run", "abort", id]);
  }, 120_000);
});

describe("start", () => {
  test("tells why a cast is impossible before there is a run, and what to do instead", async () => {
    const before = (await it.call("/api/runs?limit=200")).json.runs.length;
    const refused = await devflow(["run", "start", "Fix the login bug"]);
    expect(refused.code).toBe(69);
    expect(refused.stderr).toContain("--template development-fake@1");
    expect((await it.call("/api/runs?limit=200")).json.runs.length).toBe(before);
    const dry = await devflow(["run", "start", "--dry-run", ...fake]);
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stdout).toContain("reviewer#0: ");
    expect(dry.stdout).toContain("    not ");
  });

  test("reads requirements from a file or standard input, and never waits for more", async () => {
    writeFileSync(join(it.home.path, "spec.md"), "# A greeting\n\nIn several languages.\n");
    const file = await devflow(["run", "start", "--requirements", "../spec.md", ...fake, "--json"]);
    const id = file.json<{ runId: string }>().runId;
    expect((await it.call(`/api/runs/${id}`)).json).toMatchObject({ title: "A greeting" });
    const piped = await devflow(["run", "start", "-", ...fake, "--json"], { stdin: "From a pipe" });
    expect((await it.call(`/api/runs/${piped.json<{ runId: string }>().runId}`)).json.title).toBe("From a pipe");
    for (const one of [id, piped.json<{ runId: string }>().runId]) await devflow(["run", "abort", one]);
    expect((await devflow(["run", "start"])).stderr).toContain("What should be done?");
    expect((await devflow(["run", "start", "x", "--override", "coder"])).code).toBe(64);
    expect((await devflow(["run", "request-changes"])).stderr).toContain("What should change?");
  }, 120_000);
});

describe("definitions", () => {
  test("are listed, shown and validated without a server", async () => {
    expect((await devflow(["template", "list"])).stdout).toContain("development-fake@1");
    expect((await devflow(["template", "show", "development"])).stdout).toContain("name: development");
    expect(
      (await devflow(["persona", "list", "--json"])).json<{ personas: unknown[] }>().personas.length,
    ).toBeGreaterThan(3);
    writeFileSync(join(it.home.path, "bad@1.yaml"), "name: bad\nversion: 1\nroles: []\nphases:\n  - {key: A}\n");
    const bad = await devflow(["template", "validate", "../bad@1.yaml"]);
    expect(bad.code).toBe(65);
    expect(bad.stdout).toContain("phases");
    expect((await devflow(["template", "seed"])).stdout).toContain("Nothing new.");
  });
});
