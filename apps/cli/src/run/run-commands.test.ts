/** Runs in the terminal alone, as a person and as an agent would type them. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initRepository } from "@devflow/git";
import {
  type CliResult,
  devflowCommand,
  outputOf,
  plainText,
  type RunCliOptions,
  runCli,
  runProcess,
} from "@devflow/testkit";
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
/** What a run does between two commands is not theirs to say. */
const withoutState = (text: string) => text.replace(/(?<=<id> \(|<id> {3})[a-z ]+(?=\)|, )/g, "<state>");
/** They are cut at a length that the name of the folder shares. */
const withoutFaults = (text: string) => text.replace(/: - \(file\): .*/g, ": <faults>");
const untilGate = (id: string) => devflow(["run", "watch", id, "--until-gate"]);

describe("the whole way", () => {
  test("start, watch, request changes, approve, watch to the end, report, diff, verify, cleanup, purge", async () => {
    const started = await devflow(["run", "start", "Greet", "in", "several", "languages", ...fake]);
    expect(outputOf(started)).toMatchInlineSnapshot(`
      "Run <id> started.
      Follow it: devflow run watch <id>
      --- stderr
      Its agents are fake: they go through every phase, but do not write what you asked for."
    `);
    const id = (await it.call("/api/runs?limit=1")).json.runs[0].id as string;
    expect(started.stdout).toContain(`devflow run watch ${short(id)}`);

    expect(withoutState(outputOf(await devflow(["run", "watch", "--until-gate"])))).toMatchInlineSnapshot(`
      "<time>  run created: Greet in several languages (development-fake@1)
      <time>  run started
      <time>  spec started
      <time>  spec completed
      <time>  plan started
      <time>  asks: plan_approved

      Asks: plan approved?
        devflow run show <id> --artifact plan.json
        devflow run approve <id>
        devflow run request-changes <id> -m "…"
        devflow run reject <id>
      --- stderr
      Run <id> (<state>), the newest of this repository: Greet in several languages"
    `);

    const asked = await devflow(["run", "request-changes", short(id), "-m", "Tests first, please"]);
    expect(outputOf(asked)).toMatchInlineSnapshot(`
      "Changes requested: plan of “Greet in several languages”.
      Next: devflow run watch <id>"
    `);
    expect(outputOf(await untilGate(short(id)))).toMatchInlineSnapshot(`
      "<time>  run created: Greet in several languages (development-fake@1)
      <time>  run started
      <time>  spec started
      <time>  spec completed
      <time>  plan started
      <time>  asks: plan_approved
      <time>  plan_approved: request changes, “Tests first, please”
      <time>  plan started, attempt 2
      <time>  asks: plan_approved

      Asks: plan approved?
        devflow run show <id> --artifact plan.json
        devflow run approve <id>
        devflow run request-changes <id> -m "…"
        devflow run reject <id>"
    `);

    expect(outputOf(await devflow(["run", "approve"]))).toMatchInlineSnapshot(`
      "Approved: plan of “Greet in several languages”.
      Next: devflow run watch <id>"
    `);
    const plan = await devflow(["run", "show", id, "--artifact", "plan"]);
    expect(plan.stdout).toContain("Tests first, then the table, then the fallback.");
    expect(outputOf(await devflow(["run", "show", id, "--artifact", "nothing"]))).toMatchInlineSnapshot(`
      "--- stderr
      Artifact nothing was not found.
      Known artifacts: spec.json, plan.json
      --- exit code 66"
    `);
    expect(outputOf(await untilGate(id))).toMatchInlineSnapshot(`
      "<time>  run created: Greet in several languages (development-fake@1)
      <time>  run started
      <time>  spec started
      <time>  spec completed
      <time>  plan started
      <time>  asks: plan_approved
      <time>  plan_approved: request changes, “Tests first, please”
      <time>  plan started, attempt 2
      <time>  asks: plan_approved
      <time>  plan_approved: approve
      <time>  plan completed
      <time>  run resumed
      <time>  implement started
      <time>  commit <commit> after implement
      <time>  implement completed
      <time>  test started
      <time>  test completed
      <time>  review started
      <time>  review completed
      <time>  verify started
      <time>  verify completed
      <time>  fix skipped: no blocking findings
      <time>  report started
      <time>  asks: ship_approved

      Asks: ship approved?
        devflow run diff <id>
        devflow run approve <id>
        devflow run request-changes <id> -m "…"
        devflow run reject <id>"
    `);
    const approved = await devflow(["run", "approve", id.slice(0, 23), "--client-token", "ship"]);
    expect(outputOf(approved)).toMatchInlineSnapshot(`
      "Approved: ship of “Greet in several languages”.
      Next: devflow run watch <id>"
    `);
    expect(outputOf(await devflow(["run", "watch", id]))).toMatchInlineSnapshot(`
      "<time>  run created: Greet in several languages (development-fake@1)
      <time>  run started
      <time>  spec started
      <time>  spec completed
      <time>  plan started
      <time>  asks: plan_approved
      <time>  plan_approved: request changes, “Tests first, please”
      <time>  plan started, attempt 2
      <time>  asks: plan_approved
      <time>  plan_approved: approve
      <time>  plan completed
      <time>  run resumed
      <time>  implement started
      <time>  commit <commit> after implement
      <time>  implement completed
      <time>  test started
      <time>  test completed
      <time>  review started
      <time>  review completed
      <time>  verify started
      <time>  verify completed
      <time>  fix skipped: no blocking findings
      <time>  report started
      <time>  asks: ship_approved
      <time>  ship_approved: approve
      <time>  report completed
      <time>  run resumed
      <time>  run completed

      Report: devflow run report <id>   Changes: devflow run diff <id>
      Merge: git -C <folder>/shop switch main && git -C <folder>/shop merge devflow/<id>/main
      Remove its worktree: devflow run cleanup <id>   Of all ended runs: devflow run prune"
    `);
    // A retried decision is the same decision.
    const again = await devflow(["run", "approve", id, "--client-token", "ship", "--json"]);
    expect(again.json()).toMatchObject({ created: false, verdict: "approve" });

    expect((await devflow(["run", "report", id])).stdout).toStartWith("# ");
    expect((await devflow(["run", "report", id, "--json"])).json()).toMatchObject({ runId: id, status: "completed" });
    expect(outputOf(await devflow(["run", "diff", id, "--stat"]))).toMatchInlineSnapshot(`"greetings.json  +6  -0"`);
    expect((await devflow(["run", "diff", id])).stdout).toContain("+++ b/greetings.json");
    expect(outputOf(await devflow(["run", "show", id]))).toMatchInlineSnapshot(`
      "<id>  completed  Greet in several languages
                development-fake@1, shop from main, <duration>, $0.00, <n> tokens

        ✓  spec       completed  <duration>
        ✓  plan       completed  <duration>  attempt 2
        ✓  implement  completed  <duration>
        ✓  test       completed  <duration>
        ✓  review     completed  <duration>
        ✓  verify     completed  <duration>
        -  fix        skipped                        no blocking findings
        ✓  report     completed  <duration>

      Report: devflow run report <id>   Changes: devflow run diff <id>
      Merge: git -C <folder>/shop switch main && git -C <folder>/shop merge devflow/<id>/main
      Remove its worktree: devflow run cleanup <id>   Of all ended runs: devflow run prune

      Id        <id>
      Repo      <folder>/shop
      Worktree  <folder>/.devflow/workspaces/<id>/main
      Branch    devflow/<id>/main from main at <commit>

      Cast
        architect: fake-architect@1 (fake)
        coder: fake-coder@1 (fake)
        reviewer#0: fake-reviewer@1 (fake)
        reviewer#1: fake-reviewer@1 (fake)
        verifier: fake-verifier@1 (fake)

      Decisions
        plan_approved: request changes by Ada (cli), “Tests first, please”
        plan_approved: approve by Ada (cli)
        ship_approved: approve by Ada (cli)

      Artifacts
        valid    spec.json  dev/spec@1, attempt 1, <size>
        valid    plan.json  dev/phase-plan@1, attempt 1, <size>
        valid    plan.json  dev/phase-plan@1, attempt 2, <size>
        valid    change.json  dev/change-report@1, attempt 1, <size>
        valid    review-reviewer-0.json  dev/review-finding-batch@1, attempt 1, <size>
        valid    review-reviewer-1.json  dev/review-finding-batch@1, attempt 1, <size>
        valid    verification.json  dev/verification@1, attempt 1, <size>

      Findings
        1  low, confirmed: greetings.json:1 The languages are not sorted"
    `);
    expect(outputOf(await devflow(["run", "verify", id]))).toMatchInlineSnapshot(`
      "ok    events     <n> events, unbroken
      ok    artifacts  7 files, unaltered
      ok    commands   0 files, unaltered
      ok    branch     ends at <commit>, as recorded
      ok    report     valid, and its signature matches
      The run matches its log."
    `);
    const events = (await devflow(["run", "events", id, "--json"])).json<{ events: { seq: number }[] }>().events;
    expect(events.map((one) => one.seq)).toEqual(events.map((_, index) => index + 1));
    expect(outputOf(await devflow(["attach", id, "coder"]))).toMatchInlineSnapshot(`
      "[fake] received prompt <id>; will write <folder>/.devflow/workspaces/<id>/artifacts/change.json in 20ms
      [fake] wrote <folder>/.devflow/workspaces/<id>/artifacts/change.json
      --- stderr
      coder is a fake agent and has no screen to attach to. Its transcript so far:"
    `);

    const worktree = (await it.call(`/api/runs/${id}`)).json.worktree;
    writeFileSync(join(worktree, "unsaved.txt"), "work");
    expect(outputOf(await devflow(["run", "cleanup", id]))).toMatchInlineSnapshot(`
      "--- stderr
      The worktree <folder>/.devflow/workspaces/<id>/main has uncommitted work: unsaved.txt.
      Check it: git -C <folder>/.devflow/workspaces/<id>/main status
      --- exit code 75"
    `);
    const unconfirmed = await devflow(["run", "cleanup", id, "--force"]);
    expect(outputOf(unconfirmed)).toMatchInlineSnapshot(`
      "--- stderr
      Forced removal deletes uncommitted work, so the run's id is required as confirmation.
      To confirm: devflow run cleanup <id> --force --confirm <id>
      --- exit code 65"
    `);
    expect(unconfirmed.stderr).toContain(`--force --confirm ${id}`);
    expect(existsSync(worktree)).toBe(true);
    const cleaned = await devflow(["run", "cleanup", id, "--force", "--confirm", id]);
    expect(outputOf(cleaned)).toMatchInlineSnapshot(`
      "Removed <folder>/.devflow/workspaces/<id>/main.
      Its branch stays: devflow/<id>/main"
    `);
    expect(existsSync(worktree)).toBe(false);
    expect((await devflow(["run", "diff", id])).stdout).toContain("+++ b/greetings.json");
    const { commands } = (await it.call(`/api/runs/${id}`)).json;
    expect(commands.at(-1)).toMatchObject({ argv: ["git", "worktree", "remove", "--force", worktree], exitCode: 0 });

    expect(outputOf(await devflow(["run", "purge", id]))).toMatchInlineSnapshot(`
      "--- stderr
      Purged content cannot be restored, so the run's id is required as confirmation.
      To confirm: devflow run purge <id> --confirm <id>
      --- exit code 65"
    `);
    expect(outputOf(await devflow(["run", "purge", id, "--confirm", id]))).toMatchInlineSnapshot(`
      "The content was deleted; hashes are kept.
      It can still be verified: devflow run verify <id>"
    `);
    const blank = (await it.call(`/api/runs/${id}`)).json;
    expect(blank).toMatchObject({ title: "(purged)", requirements: "(purged)", state: "completed" });
    expect(JSON.stringify(blank)).not.toContain("Tests first, please");
    expect(await devflow(["run", "verify", id])).toMatchObject({ code: 0 });
  }, 120_000);

  test("a failure stops with its reason and the command that tries again", async () => {
    const id = await startRun("--scenario", "spec=invalid,invalid,ok");
    const stopped = await untilGate(id);
    expect(withoutFaults(outputOf(stopped))).toMatchInlineSnapshot(`
      "<time>  run created: Greet in several languages (development-fake@1)
      <time>  run started
      <time>  spec started
      <time>  spec got an invalid artifact: <folder>/.devflow/workspaces/<id>/artifacts/spec.json
      <time>  spec started, attempt 2
      <time>  spec got an invalid artifact: <folder>/.devflow/workspaces/<id>/artifacts/spec.json
      <time>  spec failed: artifact_invalid_after_repair
      <time>  stopped: <folder>/.devflow/workspaces/<id>/artifacts/spec.json: <faults>

      Stopped at spec: <folder>/.devflow/workspaces/<id>/artifacts/spec.json: <faults>
        devflow run retry <id>                       try again
        devflow run request-changes <id> -m "…"     try again with a comment
        devflow run reject <id>                      give up"
    `);
    expect(stopped.stdout).toContain(`devflow run retry ${short(id)}`);
    expect(outputOf(await devflow(["run", "retry", id]))).toMatchInlineSnapshot(`
      "Trying again: spec of “Greet in several languages”.
      Next: devflow run watch <id>"
    `);
    expect((await untilGate(id)).stdout).toContain("Asks: plan approved?");
    expect(outputOf(await devflow(["run", "reject", id, "-m", "not this way"]))).toMatchInlineSnapshot(`
      "Rejected: plan of “Greet in several languages”.
      Next: devflow run show <id>"
    `);
    expect(withoutFaults(outputOf(await devflow(["run", "watch", id])))).toMatchInlineSnapshot(`
      "<time>  run created: Greet in several languages (development-fake@1)
      <time>  run started
      <time>  spec started
      <time>  spec got an invalid artifact: <folder>/.devflow/workspaces/<id>/artifacts/spec.json
      <time>  spec started, attempt 2
      <time>  spec got an invalid artifact: <folder>/.devflow/workspaces/<id>/artifacts/spec.json
      <time>  spec failed: artifact_invalid_after_repair
      <time>  stopped: <folder>/.devflow/workspaces/<id>/artifacts/spec.json: <faults>
      <time>  spec: try again
      <time>  run resumed
      <time>  spec started, attempt 3
      <time>  spec completed
      <time>  plan started
      <time>  asks: plan_approved
      <time>  plan_approved: reject, “not this way”
      <time>  plan failed: reject: not this way
      <time>  implement skipped: reject: not this way
      <time>  test skipped: reject: not this way
      <time>  review skipped: reject: not this way
      <time>  verify skipped: reject: not this way
      <time>  fix skipped: reject: not this way
      <time>  report skipped: reject: not this way
      <time>  run failed: reject: not this way

      Why: reject: not this way
      Report: devflow run report <id>   Changes: devflow run diff <id>
      Branch: devflow/<id>/main
      Remove its worktree: devflow run cleanup <id>   Of all ended runs: devflow run prune
      --- exit code 1"
    `);
  }, 120_000);

  test("a finding that remains after the rounds of fixing can be waived, with a reason", async () => {
    const findings = [
      { severity: "high", category: "correctness", summary: "Crashes without a name", evidence: "seen" },
    ];
    const artifact = { reviewer: "r", summary: "Read.", findings };
    const fixes = ["1", "2"].map((text) => ({ scenario: "ok", files: { "fixed.txt": text } }));
    const fake = { delayMs: 5, script: { review: { scenario: "ok", artifact }, fix: fixes } };
    const id = await startRun("--extra", JSON.stringify({ fake }));
    await untilGate(id);
    await devflow(["run", "approve", id]);
    expect(outputOf(await untilGate(id))).toEndWith(
      plainText(`
Stopped at fix: after 2 rounds of fixing there are still blocking findings
  devflow run retry ${short(id)}                       try again
  devflow run request-changes ${short(id)} -m "…"     try again with a comment
  devflow run reject ${short(id)}                      give up
  devflow run waive ${short(id)} <finding> -m "…"     let a finding stand; see: devflow run show ${short(id)}`),
    );
    expect(outputOf(await devflow(["run", "waive", id, "1"]))).toMatchInlineSnapshot(`
      "--- stderr
      Why may the finding stand?
      Add the reason: devflow run waive <id> 1 -m "…"
      --- exit code 64"
    `);
    expect(outputOf(await devflow(["run", "waive", id, "9", "-m", "known"]))).toMatchInlineSnapshot(`
      "--- stderr
      Finding 9 of run <id> was not found.
      List the findings: devflow run show <id>
      --- exit code 66"
    `);
    expect(outputOf(await devflow(["run", "waive", id, "1", "-m", "Names are required."]))).toMatchInlineSnapshot(`
      "Waived: Crashes without a name
      No open finding is left.
      Next: devflow run retry <id>"
    `);
    expect((await devflow(["run", "show", id])).stdout).toContain(
      "1  high, confirmed, waived: Names are required.: Crashes without a name",
    );
    await devflow(["run", "retry", id]);
    expect((await untilGate(id)).stdout).toContain("Asks: ship approved?");
    await devflow(["run", "approve", id]);
    await devflow(["run", "watch", id]);
    expect((await devflow(["run", "report", id])).stdout).toContain("waived by Ada: Names are required.");
  }, 120_000);

  test("pause, resume, abort", async () => {
    const id = await startRun("--extra", '{"fake":{"delayMs":600000}}');
    while ((await it.call(`/api/runs/${id}`)).json.state !== "planning") await Bun.sleep(20);
    expect(outputOf(await devflow(["run", "pause", id]))).toMatchInlineSnapshot(`
      "Paused “Greet in several languages”; agents may finish their current turn.
      Resume: devflow run resume <id>"
    `);
    expect((await devflow(["run", "show", id, "--json"])).json()).toMatchObject({ state: "paused" });
    expect(outputOf(await devflow(["run", "resume", id]))).toMatchInlineSnapshot(`
      "“Greet in several languages” resumed (planning).
      Follow it: devflow run watch <id>"
    `);
    expect(outputOf(await devflow(["run", "abort", id, "-m", "enough"]))).toMatchInlineSnapshot(`
      "Aborted “Greet in several languages”.
      See what it left: devflow run show <id>"
    `);
    expect(await devflow(["run", "watch", id])).toMatchObject({ code: 1 });
  }, 120_000);
});

describe("commands and permissions", () => {
  test("an agent's question ends the watching, and allow or deny answers it", async () => {
    const id = await startRun("--scenario", "spec=permission", "--scenario", "plan=permission");
    const asked = await untilGate(id);
    expect(outputOf(asked)).toMatchInlineSnapshot(`
      "<time>  run created: Greet in several languages (development-fake@1)
      <time>  run started
      <time>  spec started
      <time>  agent asks to use Bash: npm test

      architect asks to use Bash: npm test
        devflow run allow <id>
        devflow run deny <id>"
    `);
    expect(asked.stdout).toContain(`devflow run allow ${short(id)}`);
    expect((await devflow(["run", "list"])).stdout).toMatch(new RegExp(`${short(id)} +needs permission`));
    const refused = await devflow(["run", "allow", id], { env: { DEVFLOW_SESSION_TOKEN: "dfs_x" } });
    expect(outputOf(refused)).toMatchInlineSnapshot(`
      "--- stderr
      Only a person can decide a gate, not an agent.
      Leave it to the person who started the run. They see the gate in the web app and in: devflow run list
      --- exit code 77"
    `);
    expect(outputOf(await devflow(["run", "allow"]))).toMatchInlineSnapshot(`
      "Allowed: architect uses Bash: npm test
      Next: devflow run watch <id>"
    `);
    await devflow(["run", "watch", id, "--until-gate"]);
    while ((await it.call(`/api/runs/${id}`)).json.permissions.length === 0) await Bun.sleep(20);
    expect(outputOf(await devflow(["run", "deny", id]))).toMatchInlineSnapshot(`
      "Denied: architect uses Bash: npm test
      Next: devflow run watch <id>"
    `);
    expect((await untilGate(id)).stdout).toContain("Asks: plan approved?");
    expect(outputOf(await devflow(["run", "allow", id]))).toMatchInlineSnapshot(`
      "--- stderr
      An agent of run <id> that asks for permission was not found.
      See: devflow run show <id>
      --- exit code 66"
    `);
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
    expect(outputOf(await devflow(["run", "logs", id, "99"]))).toMatchInlineSnapshot(`
      "--- stderr
      Command 99 of run <id> was not found.
      List the commands: devflow run show <id>
      --- exit code 66"
    `);
    expect((await devflow(["run", "logs", id, "--json"])).json()).toMatchObject({ stdout: "", isCut: false });
    await devflow(["run", "abort", id]);
  }, 120_000);
});

describe("an agent", () => {
  test("is refused at every gate, by its own token or by that of a process above it", async () => {
    const id = await startRun();
    await untilGate(id);
    const own = await devflow(["run", "approve", id], { env: { DEVFLOW_SESSION_TOKEN: "dfs_x" } });
    expect(outputOf(own)).toMatchInlineSnapshot(`
      "--- stderr
      Only a person can decide a gate, not an agent.
      Leave it to the person who started the run. They see the gate in the web app and in: devflow run list
      --- exit code 77"
    `);
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
    expect(withoutState(plainText(seen.stderr))).toMatchInlineSnapshot(`
      "Run <id> (<state>), the newest of this repository: Greet in several languages
      "
    `);
    expect((await devflow(["run", "show", "--json"], { cwd: other })).json()).toMatchObject({ id: there });
    const outside = await devflow(["run", "watch", "--until-gate"], { cwd: it.home.path });
    expect(outside.stderr).toContain(`Run ${short(there)}`);
    expect(withoutState(plainText(outside.stderr))).toMatchInlineSnapshot(`
      "Run <id> (<state>), the newest, of <folder>/garage: In the garage
      "
    `);
    expect(outputOf(await devflow(["run", "abort"], { cwd: other }))).toMatchInlineSnapshot(`
      "Aborted “In the garage”.
      See what it left: devflow run show <id>
      --- stderr
      Run <id> (awaiting approval), the only one of this repository: In the garage"
    `);
    expect((await devflow(["run", "verify"], { cwd: other })).code).toBe(0);
    expect((await devflow(["run", "report"], { cwd: other })).stdout).toStartWith("# In the garage");
    expect((await devflow(["run", "diff"], { cwd: other })).stderr).toContain(short(there));
    await devflow(["run", "abort", here]);
  }, 120_000);

  test("to steer: several active ones are listed with the command for each, an unknown one is said to be", async () => {
    const ids = [await startRun(), await startRun()];
    const unclear = await devflow(["run", "abort"]);
    expect(withoutState(outputOf(unclear))).toMatchInlineSnapshot(`
      "--- stderr
      Several runs are active.
      Name one:
        devflow run abort <id>   <state>, Greet in several languages
        devflow run abort <id>   <state>, Greet in several languages
      --- exit code 64"
    `);
    for (const id of ids) expect(unclear.stderr).toContain(`devflow run abort ${short(id)}`);
    expect(outputOf(await devflow(["run", "show", "ffffffff"]))).toMatchInlineSnapshot(`
      "--- stderr
      Run "<id>" was not found.
      devflow run list
      --- exit code 66"
    `);
    expect(outputOf(await devflow(["run", "show", "not-an-id"]))).toMatchInlineSnapshot(`
      "--- stderr
      Run "not-an-id" was not found.
      devflow run list
      --- exit code 66"
    `);
    for (const id of ids) await devflow(["run", "abort", id]);
    expect(outputOf(await devflow(["run", "approve"]))).toMatchInlineSnapshot(`
      "--- stderr
      An open gate was not found.
      See: devflow run list
      --- exit code 66"
    `);
    expect((await devflow(["run", "pause"])).stderr).toStartWith("No run is active.\nName one:\n");
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
    expect(outputOf(await devflow(["run", "approve", first]))).toMatchInlineSnapshot(`
      "--- stderr
      Run <id> (aborted) has no open gate.
      See it: devflow run show <id>
      --- exit code 75"
    `);

    const second = await startRun();
    await untilGate(second);
    expect(outputOf(await devflow(["run", "abort", second, "--gate", "no_such_gate"]))).toMatchInlineSnapshot(`
      "--- stderr
      Run <id> (awaiting approval) has no open gate "no_such_gate".
      See it: devflow run show <id>
      --- exit code 75"
    `);
    const aborted = await devflow(["run", "abort", second, "--gate", "plan_approved", "-m", "not now"]);
    expect(outputOf(aborted)).toMatchInlineSnapshot(`
      "Aborted: plan of “Greet in several languages”.
      Next: devflow run show <id>"
    `);
    const answered = (await it.call(`/api/runs/${second}`)).json;
    expect(answered.approvals).toMatchObject([
      { state: "aborted", decision: { verdict: "abort", comment: "not now", actor: { name: "Ada", via: "cli" } } },
    ]);
    expect(outputOf(await devflow(["run", "approve", second]))).toMatchInlineSnapshot(`
      "--- stderr
      This gate was already decided: abort by Ada (cli).
      See the run: devflow run show <id>
      --- exit code 75"
    `);
    expect((await devflow(["run", "show", second])).stdout).toContain("plan_approved: abort by Ada (cli), “not now”");
  }, 120_000);
});

describe("the terminal", () => {
  test("is redrawn in place, and gets nothing of a title that could steer it", async () => {
    const title = "\u001b]0;owned\u0007\u001b[31mRed\u202e\u0000 title";
    const id = await startRun("--title", title);
    const { stdout } = await devflow(["run", "watch", id, "--until-gate"], { isTerminal: true });
    expect(stdout).toContain("Red[U+202E]\u{FFFD} title");
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
    const refused = await devflow(["run", "start", "Fix the login bug", "--template", "development@1"]);
    expect(outputOf(refused)).toMatchInlineSnapshot(`
      "--- stderr
      role architect: backend claude is not available (not in this test)
      Without a model, to look around: devflow run start --template development-fake@1 "…"
      --- exit code 69"
    `);
    expect((await it.call("/api/runs?limit=200")).json.runs.length).toBe(before);
    expect(outputOf(await devflow(["run", "start", "--dry-run", ...fake]))).toMatchInlineSnapshot(`
      "Nothing was started. development-fake@1 would run with:
        architect   fake-architect@1  fake
        coder       fake-coder@1      fake
        reviewer#0  fake-reviewer@1   fake
        reviewer#1  fake-reviewer@1   fake
        verifier    fake-verifier@1   fake
      Why: devflow run start --dry-run --explain --template development-fake@1"
    `);
    const explained = await devflow(["run", "start", "--dry-run", "--explain", ...fake]);
    expect(explained).toMatchObject({ code: 0 });
    expect(explained.stdout).toContain("reviewer#0: ");
    expect(explained.stdout).toContain("    not ");
  });

  test("reads requirements from a file or standard input, and never waits for more", async () => {
    writeFileSync(join(it.home.path, "spec.md"), "# A greeting\n\nIn several languages.\n");
    const file = await devflow(["run", "start", "--requirements", "../spec.md", ...fake, "--json"]);
    const id = file.json<{ runId: string }>().runId;
    expect((await it.call(`/api/runs/${id}`)).json).toMatchObject({ title: "A greeting" });
    const piped = await devflow(["run", "start", "-", ...fake, "--json"], { stdin: "From a pipe" });
    expect((await it.call(`/api/runs/${piped.json<{ runId: string }>().runId}`)).json.title).toBe("From a pipe");
    for (const one of [id, piped.json<{ runId: string }>().runId]) await devflow(["run", "abort", one]);
    expect(outputOf(await devflow(["run", "start"]))).toMatchInlineSnapshot(`
      "--- stderr
      What should be done?
      For example: devflow run start "greet in several languages"
      --- exit code 64"
    `);
    expect(outputOf(await devflow(["run", "start", "x", "--override", "coder"]))).toMatchInlineSnapshot(`
      "--- stderr
      --override must be role=persona@version or role=backend, not "coder".
      See who there is: devflow persona list
      --- exit code 64"
    `);
    expect(outputOf(await devflow(["run", "request-changes"]))).toMatchInlineSnapshot(`
      "--- stderr
      An open gate was not found.
      See: devflow run list
      --- exit code 66"
    `);
  }, 120_000);
});

describe("after the end", () => {
  test("the list says how many more there are", async () => {
    const { total } = (await devflow(["run", "list", "--json"])).json<{ total: number }>();
    const page = (await it.call("/api/runs?limit=2")).json;
    expect([page.runs.length, page.total]).toEqual([2, total]);
  });

  test("prune shows worktrees with the disk they take, removes them, and keeps branches that are not merged", async () => {
    type Answer = { runs: { id: string; branch: string; worktree: string }[] };
    const [ended] = (await devflow(["run", "prune", "--json"])).json<Answer>().runs;
    if (!ended) throw new Error("no run has ended here");
    const shown = await devflow(["run", "prune"]);
    expect(shown.stdout).toMatch(new RegExp(`${short(ended.id)}  \\w+ +\\S+ .* ago +[\\d.]+ k?B +${ended.branch} `));
    expect(shown.stdout).toMatch(/\d+ worktrees, [\d.]+ k?B\. Remove: devflow run prune --yes\n$/);
    expect((await devflow(["run", "prune", "--older-than", "1", "--yes", "--json"])).json<Answer>().runs).toEqual([]);
    const done = await devflow(["run", "prune", "--branches", "--yes"]);
    expect(done.stdout).toMatch(/\nRemoved \d+ worktrees, [\d.]+ k?B\.\n$/);
    expect(done.stdout).toContain("(removed)");
    expect(done.stdout).toContain("(not merged)");
    expect(existsSync(ended.worktree)).toBe(false);
    expect((await devflow(["run", "prune"])).stdout).toBe("Nothing to remove.\n");
    const asAgent = await devflow(["run", "prune"], { env: { DEVFLOW_SESSION_TOKEN: "dfs_x" } });
    expect(asAgent.code).toBe(77);
  }, 120_000);
});

describe("the API", () => {
  test("refuses fields that it does not know, and names the one that was meant", async () => {
    const wrong = await it.call("/api/runs/preview", { body: { templat: "x", requirements: "y" } });
    expect([wrong.status, wrong.json.error.message]).toEqual([
      400,
      'unknown field "templat"; did you mean "template"?',
    ]);
    const nested = await it.call("/api/runs/preview", {
      body: { overrides: { coder: { speed: "x" } } },
    });
    expect(nested.json.error.message).toBe('unknown field "overrides.coder.speed"');
    expect((await it.call("/api/runs?stat=active")).json.error.message).toBe(
      'unknown field "stat"; did you mean "state"?',
    );
  });
});

describe("definitions", () => {
  test("are listed, shown and validated without a server", async () => {
    expect(outputOf(await devflow(["template", "list"]))).toMatchInlineSnapshot(`
      "TEMPLATE                     PHASES                                                                    AGENTS         FROM
      bugfix@1                     reproduce → fix → test → review → report                                  claude, codex  shipped
      bugfix@2                     reproduce → fix → test → review → report                                  claude, codex  shipped
      development-fake@1           spec → plan → implement → test → review → verify → fix → report           fake           shipped
      development-lane-fake@1      implement → test                                                          fake           shipped
      development-lane@1           implement → test                                                          claude, codex  shipped
      development-parallel-fake@1  spec → tasks → lanes → integrate → test → review → verify → fix → report  fake           shipped
      development-parallel@1       spec → tasks → lanes → integrate → test → review → verify → fix → report  claude, codex  shipped
      development@1                spec → plan → implement → test → review → verify → fix → report           claude, codex  shipped
      development@2                spec → plan → implement → test → review → verify → fix → report           claude, codex  shipped"
    `);
    expect((await devflow(["template", "show", "development"])).stdout).toContain("name: development");
    expect(
      (await devflow(["persona", "list", "--json"])).json<{ personas: unknown[] }>().personas.length,
    ).toBeGreaterThan(3);
    writeFileSync(join(it.home.path, "bad@1.yaml"), "name: bad\nversion: 1\nroles: []\nphases:\n  - {key: A}\n");
    expect(outputOf(await devflow(["template", "validate", "../bad@1.yaml"]))).toMatchInlineSnapshot(`
      "<folder>/bad@1.yaml:5: phases[0].key: lower case letters, digits and underscores
      <folder>/bad@1.yaml:5: phases[0].kind: Invalid option: expected one of "planning"|"work"|"review"|"verify"|"qa"|"command"|"report"|"backtest"|"lanes"
      <folder>/bad@1.yaml:5: phases[0].title: Invalid input: expected string, received undefined
      <folder>/bad@1.yaml:5: phases[0].risk: Invalid option: expected one of "low"|"medium"|"high"
      --- exit code 65"
    `);
    expect(outputOf(await devflow(["template", "seed"]))).toMatchInlineSnapshot(`"Nothing new."`);
  });

  test("of a repository are listed with their file and commit, and checked before they are committed", async () => {
    const repository = join(it.home.path, "with-definitions");
    const note = { title: "A note", type: "object", required: ["note"], propertys: {} };
    const template = `name: notes
version: 1
roles: [{ id: writer, requiredCapabilities: [code_edit], preferredBackends: [fake] }]
phases:
  - { key: note, kind: planning, title: Note, risk: low, roles: [writer], instructions: Write.,
      expectedArtifact: { path: note.json, schema: my/note@1 } }
`;
    await initRepository(repository, {
      files: {
        ".devflow/templates/notes@1.yaml": template,
        ".devflow/schemas/my/note@1.json": JSON.stringify(note),
      },
      message: "Start",
      env: it.home.environment(),
    });
    const here = { cwd: repository };
    const withoutCommit = (answer: CliResult) => outputOf(answer).replace(/\([0-9a-f]{12}\)/g, "(<commit>)");
    expect(withoutCommit(await devflow(["template", "list"], here))).toMatchInlineSnapshot(`
      "TEMPLATE                     PHASES                                                                    AGENTS         FROM
      bugfix@1                     reproduce → fix → test → review → report                                  claude, codex  shipped
      bugfix@2                     reproduce → fix → test → review → report                                  claude, codex  shipped
      development-fake@1           spec → plan → implement → test → review → verify → fix → report           fake           shipped
      development-lane-fake@1      implement → test                                                          fake           shipped
      development-lane@1           implement → test                                                          claude, codex  shipped
      development-parallel-fake@1  spec → tasks → lanes → integrate → test → review → verify → fix → report  fake           shipped
      development-parallel@1       spec → tasks → lanes → integrate → test → review → verify → fix → report  claude, codex  shipped
      development@1                spec → plan → implement → test → review → verify → fix → report           claude, codex  shipped
      development@2                spec → plan → implement → test → review → verify → fix → report           claude, codex  shipped
      notes@1                      note                                                                      fake           .devflow/templates/notes@1.yaml (<commit>)"
    `);
    const schemas = withoutCommit(await devflow(["schema", "list"], here)).split("\n");
    expect(schemas.filter((line) => !line.endsWith("shipped")).map((line) => line.replace(/ {2,}/g, "  "))).toEqual([
      "SCHEMA  TITLE  FROM",
      "my/note@1  A note  .devflow/schemas/my/note@1.json (<commit>)",
    ]);
    const files = [".devflow/templates/notes@1.yaml", ".devflow/schemas/my/note@1.json"];
    expect(outputOf(await devflow(["template", "validate", files[0] ?? ""], here))).toMatchInlineSnapshot(
      `"<folder>/with-definitions/.devflow/templates/notes@1.yaml: valid, notes@1"`,
    );
    expect(outputOf(await devflow(["schema", "validate", files[1] ?? ""], here))).toMatchInlineSnapshot(`
      "<folder>/with-definitions/.devflow/schemas/my/note@1.json: valid, my/note@1
      <folder>/with-definitions/.devflow/schemas/my/note@1.json: warning: unknown keyword: "propertys""
    `);
    expect(
      outputOf(await devflow(["run", "start", "--dry-run", "--template", "notes", "x"], here)).split("\n")[1],
    ).toBe("  writer  fake-coder@1  fake");
    writeFileSync(join(repository, files[1] ?? ""), JSON.stringify({ type: "objekt" }));
    expect(outputOf(await devflow(["schema", "validate", files[1] ?? ""], here))).toMatchInlineSnapshot(`
      "<folder>/with-definitions/.devflow/schemas/my/note@1.json: type: must be one of "array", "boolean", "integer", "null", "number", "object", "string"; it is "objekt"
      <folder>/with-definitions/.devflow/schemas/my/note@1.json: type: must be an array; it is a string
      <folder>/with-definitions/.devflow/schemas/my/note@1.json: type: must have at least one of the allowed forms
      --- exit code 65"
    `);
  });

  test("of the home that are not valid are told by every command and stop none", async () => {
    const folder = join(it.home.devflowHome, "templates");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "bad@1.yaml"), "name: bad\nversion: 1\nroles: []\nphases: none\n");
    const problem = "templates/bad@1.yaml:4: phases: Invalid input: expected array, received string";
    const listed = await devflow(["template", "list"]);
    expect(listed.stdout).toContain("development-fake@1");
    expect(listed.stderr).toContain(problem);
    expect((await devflow(["template", "seed"])).stderr).toContain(problem);
    expect((await devflow(["status"])).stdout).toContain(problem);
    expect((await devflow(["template", "show", "bad"])).stderr).toContain(problem);
    const { checks } = (await devflow(["doctor", "--json"])).json<{ checks: { name: string; detail: string }[] }>();
    expect(checks.find(({ name }) => name === "definitions")?.detail).toContain(problem);
    rmSync(folder, { recursive: true });
    expect((await devflow(["template", "seed"])).stderr).toBe("");
  });
});
