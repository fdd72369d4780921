/** `devflow sync …` against a real server of this home. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { tryLock } from "@devflow/core/exclusive-lock";
import { homeAt } from "@devflow/core/home";
import { uuidv7 } from "@devflow/core/ids";
import { proofOfSelf } from "@devflow/core/process-proof";
import { version } from "@devflow/core/version";
import { git, initRepository } from "@devflow/git";
import { spool, spoolFolder } from "@devflow/team/spool";
import { teachServer } from "@devflow/team/testing";
import {
  devflowCommand,
  outputOf,
  plainText,
  runCli,
  runProcess,
  type TemporaryHome,
  temporaryHome,
} from "@devflow/testkit";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";
import { drainInTurn } from "./drain.ts";
import { drainPorts } from "./drain-ports.ts";

let it: TeamServer;
let home: TemporaryHome;
let repository: string;
beforeAll(async () => {
  it = await startTeamServer();
  home = temporaryHome({ isKept: true });
  mkdirSync(home.devflowHome, { recursive: true, mode: 0o700 });
  repository = join(home.path, "shop");
  await initRepository(repository, { files: { "README.md": "# Shop\n" }, message: "Start", env: home.environment() });
  await git(["remote", "add", "origin", "git@github.com:Acme/Shop.git"], { cwd: repository, env: home.environment() });
  await connect();
}, 120_000);
afterAll(async () => {
  await it.stop();
  home.remove();
}, 60_000);

const stateFile = () => homeAt(home.devflowHome).serverFile;
async function connect(): Promise<void> {
  const { host, port } = it.server;
  const state = { ...proofOfSelf(), host, port, token: it.machineToken, version, startedAt: new Date().toISOString() };
  await writeFileAtomic(stateFile(), JSON.stringify(state));
}
const disconnect = () => rmSync(stateFile());

const sync = (...words: string[]) => runCli(["sync", ...words], { home, cwd: repository });
const told = async (...words: string[]) => outputOf(await sync(...words)).replaceAll(home.path, "<home>");
function file(name: string, content: unknown): string {
  const path = join(home.path, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}
const ship = (v: string) => file(`ship-${v}.json`, { version: v, branch: "main", pr_url: "https://example.org/pr/1" });

describe("sync", () => {
  test("before anything was sent", async () => {
    expect(await told("status")).toMatchInlineSnapshot(`
      "Team        Demo on this machine's server, as Ada; connected
      Repository  github.com/acme/shop
      Sync        on, transcripts off
      Queue       empty
      Last push   never
      Last pull   never
      Cache       empty; fill it: devflow sync pull
      Log         <folder>/.devflow/sync.log (<size>)"
    `);
    expect(await told("drain")).toMatchInlineSnapshot(`"0 records sent, 0 left."`);
    expect(await told("show")).toMatchInlineSnapshot(`"The cache is empty. Fill it: devflow sync pull"`);
    expect(await told("dead", "list")).toMatchInlineSnapshot(`"No record was refused or is held back."`);
  });

  test("a ping there and back", async () => {
    expect((await told("test")).replaceAll(/[\d.]+ ms/g, "<n> ms")).toMatchInlineSnapshot(`
      "The ping reached Demo and came back.
        write it to disk: <duration>
        send what waits: <duration>
        read it back: <duration>"
    `);
  });

  test("a ship log is with the team at once, and in the cache after a pull", async () => {
    expect(await told("push-ship", ship("1.0"))).toMatchInlineSnapshot(`"Synced to team ✓"`);
    expect(await told("pull")).toMatchInlineSnapshot(`"1 record from Demo."`);
    expect(await told("show")).toMatchInlineSnapshot(`
      "KIND      WHAT           WHO  WHEN
      ship_log  1.0 from main  Ada  <duration> ago"
    `);
    expect(await told("pull")).toMatchInlineSnapshot(`"Nothing new."`);
    // The same file again is the same record.
    expect(await told("push-ship", ship("1.0"))).toMatchInlineSnapshot(`"Synced to team ✓"`);
    expect(await told("pull")).toMatchInlineSnapshot(`"Nothing new."`);
  });

  test("every kind of file", async () => {
    const triage = [{ date: "2026-11-16", outcome: "fp", file_pattern: "src/*.ts", category: "null-check" }];
    expect(await told("push-triage", file("triage.json", triage))).toMatchInlineSnapshot(`"Synced to team ✓"`);
    const retro = { date: "2026-11-16", window: "7d", metrics: { commits: 12 }, authors: { ada: { commits: 12 } } };
    expect(await told("push-retro", file("retro.json", retro))).toMatchInlineSnapshot(`"Synced to team ✓"`);
    const qa = { url: "http://localhost:3000", mode: "full", health_score: 92.5, issues: [{ title: "x" }] };
    expect(await told("push-qa", file("qa.json", qa))).toMatchInlineSnapshot(`"Synced to team ✓"`);
    await sync("pull");
    expect(await told("show")).toMatchInlineSnapshot(`
      "KIND            WHAT                                WHO  WHEN
      qa_report       http://localhost:<port>, health 92.5  Ada  <duration> ago
      retro_snapshot  <time>, 7d                      Ada  <duration> ago
      review_triage   fp: null-check in src/*.ts          Ada  <duration> ago
      ship_log        1.0 from main                       Ada  <duration> ago"
    `);
    expect(await told("show", "qa_reprot")).toMatchInlineSnapshot(`
      "--- stderr
      There is no kind "qa_reprot" in the cache.
      Did you mean qa_report?
      --- exit code 64"
    `);
    expect(await told("status")).toMatchInlineSnapshot(`
      "Team        Demo on this machine's server, as Ada; connected
      Repository  github.com/acme/shop
      Sync        on, transcripts off
      Queue       empty
      Last push  <duration> ago
      Last pull  <duration> ago
      Cache       ship_log 1, review_triage 1, retro_snapshot 1, qa_report 1
      Log         <folder>/.devflow/sync.log (<size>)"
    `);
  });

  test("a file that is wrong is refused at once, and a secret in it is removed", async () => {
    expect(await told("push-ship", file("bad.json", { version: "1.0" }))).toMatchInlineSnapshot(`
      "--- stderr
      <folder>/bad.json cannot be pushed: branch is missing.
      See what a file contains: devflow sync push-ship --help
      --- exit code 65"
    `);
    expect(await told("push-retro", file("text.json", "commits: 12"))).toMatchInlineSnapshot(`
      "--- stderr
      <folder>/text.json cannot be pushed: it is not JSON.
      See what a file contains: devflow sync push-retro --help
      --- exit code 65"
    `);
    expect(await told("push-qa", join(home.path, "absent.json"))).toMatchInlineSnapshot(`
      "--- stderr
      <folder>/absent.json was not found.
      Give a JSON file, or - for standard input.
      --- exit code 66"
    `);
    const key = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    const leaky = { version: "1.1", branch: "main", notes: `token ${key}` };
    expect(await told("push-ship", file("leaky.json", leaky))).toMatchInlineSnapshot(`
      "Synced to team ✓
      --- stderr
      1 secret removed before anything was stored."
    `);
    expect(await told("push-ship", home.path)).toMatchInlineSnapshot(`
      "--- stderr
      <folder> is a folder.
      Give a JSON file, or - for standard input.
      --- exit code 65"
    `);
    expect(await told("push-ship", join(home.path, "none.json"))).toMatchInlineSnapshot(`
      "--- stderr
      <folder>/none.json was not found.
      Give a JSON file, or - for standard input.
      --- exit code 66"
    `);
    const [row] = await it.admin`select count(*)::int as n from app.records where payload::text like ${`%${key}%`}`;
    expect(row?.n).toBe(0);
  });

  test("offline, records wait, and are sent when the server is back", async () => {
    disconnect();
    expect(await told("push-ship", ship("2.0"))).toMatchInlineSnapshot(`"Queued (offline)"`);
    expect(await told("drain")).toMatchInlineSnapshot(`
      "0 records sent, 1 left.
      local: the local server is not running; start it: devflow up -d
      --- exit code 75"
    `);
    expect(await told("pull")).toMatchInlineSnapshot(`
      "--- stderr
      No Devflow server is running for <folder>/.devflow.
      Start it: devflow up -d
      --- exit code 69"
    `);
    expect(await told("status")).toMatchInlineSnapshot(`
      "Team        Demo on this machine's server, as Ada; not connected
      Repository  github.com/acme/shop
      Sync        on, transcripts off
      Queue       1 record, the oldest <duration> old
      Last push  <duration> ago
      Last pull  <duration> ago
      Cache       ship_log 1, review_triage 1, retro_snapshot 1, qa_report 1
      Problem     local: the local server is not running; start it: devflow up -d
      Log         <folder>/.devflow/sync.log (<size>)"
    `);
    expect((await told("verify")).replaceAll(/^\d+ records/gm, "<n> records")).toMatchInlineSnapshot(`
      "<n> records not checked, local: the local server is not running; start it: devflow up -d
      --- exit code 1"
    `);
    await connect();
    expect(await told("drain")).toMatchInlineSnapshot(`"1 record sent, 0 left."`);
  });

  test("a drain beside another one waits for it, and then sends what that left", async () => {
    disconnect();
    await sync("push-ship", ship("2.1"));
    await connect();
    const { lock } = spoolFolder(home.devflowHome);
    const other = tryLock(lock);
    const drained = told("drain");
    expect(await Promise.race([drained, Bun.sleep(1_500).then(() => "waits")])).toBe("waits");
    other?.release();
    expect(await drained).toMatchInlineSnapshot(`"1 record sent, 0 left."`);
  });

  test("it waits for a minute at most, or until it is stopped", async () => {
    const folder = spoolFolder(home.devflowHome);
    const other = tryLock(folder.lock);
    const started = Date.now();
    let nowMs = started;
    const ports = {
      ...drainPorts(homeAt(home.devflowHome), {}, new AbortController().signal),
      now: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms;
      },
    };
    expect(await drainInTurn(ports)).toBe("busy");
    expect(nowMs - started).toBe(60_000);
    expect(await drainInTurn({ ...ports, signal: AbortSignal.abort() })).toBe("busy");
    expect(nowMs - started).toBe(60_000);
    other?.release();
  });

  test("off keeps them here", async () => {
    expect(await told("off")).toMatchInlineSnapshot(
      `"Sync is off. Records are kept on this machine. Turn it on: devflow sync on"`,
    );
    expect(await told("push-ship", ship("3.0"))).toMatchInlineSnapshot(`"Queued (sync is off)"`);
    expect(await told("drain")).toMatchInlineSnapshot(`
      "Sync is off, so nothing was sent. Turn it on: devflow sync on
      --- exit code 1"
    `);
    await runCli(["config", "set", "sync_enabled", "true"], { home });
    expect(await told("drain")).toMatchInlineSnapshot(`"1 record sent, 0 left."`);
  });

  test("verify finds what a restored server lost, and repair sends it again", async () => {
    const all = (await sync("verify", "--json")).json<{ checked: number; missing: string[] }>();
    expect(all.missing).toEqual([]);
    const [gone] = await it.admin<{ id: string }[]>`
      delete from app.records where id = (select id from app.records where payload ->> 'version' = '3.0') returning id`;
    const text = (answer: string) => answer.replaceAll(String(all.checked), "<n>");
    expect(text(await told("verify"))).toMatchInlineSnapshot(`
      "1 of <n> records are missing on the server.
      Send them again: devflow sync verify --repair
      --- exit code 1"
    `);
    expect(text(await told("verify", "--repair"))).toMatchInlineSnapshot(`
      "1 of <n> records are missing on the server.
      1 record sent again."
    `);
    const [back] = await it.admin`select id from app.records where payload ->> 'version' = '3.0'`;
    expect(back?.id).toBe(gone?.id ?? "");
  });

  test("what the server refuses is listed, and can be retried or dropped", async () => {
    // A version that this machine's check lets through and the server's table does not.
    const id = uuidv7();
    const spooled = { kind: "ship_log", schema_version: 1, at: new Date().toISOString(), server: "local" };
    const record = {
      id,
      ...spooled,
      team: it.teamId,
      user: it.owner.id,
      repo: null,
      agent: null,
      payload: { branch: "x" },
    };
    const folder = join(home.devflowHome, "spool", "new");
    writeFileSync(join(folder, `${uuidv7().replaceAll("-", "")}-${id}`), JSON.stringify(record));
    expect(await told("drain")).toMatchInlineSnapshot(`
      "0 records sent, 0 left.
      1 record refused: devflow sync dead list"
    `);
    expect((await told("dead", "list")).replaceAll(id, "<record id>")).toMatchInlineSnapshot(`
      "RECORD                                KIND      STATE    WHY                                                                               WRITTEN
      <id>  ship_log  refused  invalid: null value in column "version" of relation "ship_logs" violates not-nu…  <duration> ago"
    `);
    expect(await told("dead", "drop")).toMatchInlineSnapshot(`
      "--- stderr
      Name a record, or give --all.
      List them: devflow sync dead list
      --- exit code 64"
    `);
    expect(await told("dead", "drop", id.slice(0, 20))).toMatchInlineSnapshot(`"1 record deleted."`);
    expect(await told("dead", "list")).toMatchInlineSnapshot(`"No record was refused or is held back."`);
  });

  test("forget erases a record everywhere", async () => {
    await sync("push-ship", file("secret.json", { version: "4.0-acquisition", branch: "main" }));
    await sync("pull");
    const [row] = await it.admin<
      { id: string }[]
    >`select id from app.records where payload ->> 'version' = '4.0-acquisition'`;
    expect(await told("forget", row?.id ?? "")).toMatchInlineSnapshot(
      `"1 record erased from Demo; 1 copy removed here. If it arrives later, it is not stored."`,
    );
    const places = readdirSync(home.devflowHome, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    const left = places.filter(({ parentPath, name }) =>
      readFileSync(join(parentPath, name)).includes("4.0-acquisition"),
    );
    expect(left.map(({ name }) => name)).toEqual([]);
    expect(await told("forget", row?.id ?? "")).toMatchInlineSnapshot(
      `"There is nothing to erase in Demo; 0 copies removed here. If it arrives later, it is not stored."`,
    );
  });

  test("a transcript goes only with consent, once, and without secrets", async () => {
    const key = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    const line = (role: string, content: unknown) =>
      `${JSON.stringify({ type: role, sessionId: "s-1", timestamp: "2026-11-16T08:00:00Z", message: { role, content } })}\n`;
    const said =
      line("user", `use ${key}`) +
      line("assistant", [
        { type: "text", text: "Done" },
        { type: "tool_use", name: "Bash" },
      ]);
    const path = file("session.jsonl", `${said}{"type":"user","mess`);
    expect(await told("push-transcript", path)).toMatchInlineSnapshot(`
      "--- stderr
      You have not agreed to share transcripts.
      See what would be sent: add --dry-run. Agree: devflow config set sync_transcripts true
      --- exit code 77"
    `);
    expect(await told("push-transcript", path, "--dry-run")).toMatchInlineSnapshot(`
      "{
        "session_id": "s-1",
        "turns": 1,
        "tools": {
          "Bash": 1
        },
        "started_at": "<time>",
        "ended_at": "<time>",
        "messages": [
          {
            "role": "user",
            "text": "use [redacted:github]",
            "tools": [],
            "at": "<time>"
          },
          {
            "role": "assistant",
            "text": "Done",
            "tools": [
              "Bash"
            ],
            "at": "<time>"
          }
        ]
      }"
    `);
    await runCli(["config", "set", "sync_transcripts", "true"], { home });
    expect(await told("push-transcript", join(home.path, "none.jsonl"))).toMatchInlineSnapshot(`
      "--- stderr
      <folder>/none.jsonl was not found.
      Give an agent's session file: devflow sync push-transcript <file>
      --- exit code 66"
    `);
    expect(await told("push-transcript", home.path)).toMatchInlineSnapshot(`
      "--- stderr
      <folder> is a folder.
      Give an agent's session file: devflow sync push-transcript <file>
      --- exit code 65"
    `);
    expect(await told("push-transcript", path)).toMatchInlineSnapshot(
      `"2 messages, 1 secret removed. Synced to team ✓"`,
    );
    expect(await told("push-transcript", path)).toMatchInlineSnapshot(`"Nothing new."`);
    writeFileSync(path, said + line("user", "and now?"));
    expect(await told("push-transcript", path)).toMatchInlineSnapshot(
      `"1 message, 0 secrets removed. Synced to team ✓"`,
    );
    const projects = join(home.path, ".claude/projects", repository.replace(/[^A-Za-z0-9]/g, "-"));
    const codex = join(home.path, ".codex/sessions/2026/11/16");
    for (const folder of [projects, codex]) mkdirSync(folder, { recursive: true });
    const rollout = (cwd: string) =>
      `${JSON.stringify({ type: "session_meta", payload: { id: "c-1", cwd } })}\n${JSON.stringify({
        ...{ type: "response_item", timestamp: "2026-11-16T08:00:00Z" },
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: "from Codex" }] },
      })}\n`;
    writeFileSync(join(projects, "s-2.jsonl"), line("user", "from Claude").replaceAll("s-1", "s-2"));
    writeFileSync(join(codex, "rollout-1.jsonl"), rollout(repository));
    writeFileSync(join(codex, "rollout-2.jsonl"), rollout("/elsewhere"));
    // Neither another folder's session nor a file that cannot be read is in the way.
    mkdirSync(join(projects, "locked"));
    symlinkSync(join(projects, "locked"), join(projects, "s-3.jsonl"));
    expect(await told("push-transcript")).toMatchInlineSnapshot(`"2 messages, 0 secrets removed. Synced to team ✓"`);
    expect(await told("push-transcript")).toMatchInlineSnapshot(`"Nothing new."`);
    // A later part of a Codex file does not name its session again.
    writeFileSync(join(codex, "rollout-1.jsonl"), `${rollout(repository)}${rollout(repository).split("\n")[1]}\n`);
    expect(await told("push-transcript")).toMatchInlineSnapshot(`"1 message, 0 secrets removed. Synced to team ✓"`);
    expect([...(await it.admin`select count(*)::int from app.transcripts where session_id = 'c-1'`)]).toEqual([
      { count: 2 },
    ]);
    const usage = outputOf(await runCli(["team", "agents"], { home, cwd: repository }));
    expect(usage).toMatchInlineSnapshot(`
      "Demo since <time>; prompts in a session and characters in a prompt are medians

      NAME  SESSIONS  PROMPTS  CHARACTERS  CHANGED FILES  INTERRUPTED
      Ada          3        2          11          0.0 %        0.0 %
      Team         3        2          11          0.0 %        0.0 %

      Tools: Bash 1"
    `);
    await it.admin`delete from app.transcripts where session_id in ('c-1', 's-2')`;
    const rows = await it.admin`select turns, tools from app.transcripts order by id`;
    expect(
      rows.map((row) => ({ ...row })).sort((a, b) => Object.keys(b.tools).length - Object.keys(a.tools).length),
    ).toEqual([
      { turns: 1, tools: { Bash: 1 } },
      { turns: 1, tools: {} },
    ]);
  });
});

test("a newer client loses nothing at an older server, and is told what that does not know", async () => {
  const [person] = await it.admin<
    { user_id: string }[]
  >`select user_id from app.team_members where role = 'owner' and team_id = ${it.teamId}`;
  const to = { server: "local", team: it.teamId, user: person?.user_id ?? "" };
  const made = async (kind: string, payload: object, schema_version = 1) => {
    const outcome = await spool(home.devflowHome, { kind: kind as "ping", to, repo: null, payload });
    if (!outcome.spooled) throw new Error("not spooled");
    const waiting = join(home.devflowHome, "spool/new");
    const path = join(waiting, readdirSync(waiting).find((name) => name.includes(outcome.id)) ?? "");
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), schema_version }));
    return outcome.id;
  };
  const strange = await made("hologram", { depth: 3 });
  const newer = await made("ship_log", { version: "2", branch: "main" }, 99);
  const wider = await made("ship_log", { version: "3", branch: "main", mood: { is: "new" } });
  expect((await sync("drain", "--json")).json()).toMatchObject({ sent: 1, waiting: 2 });
  // What the server does not know of is kept as it is, and comes back to everybody.
  expect((await it.admin`select payload from app.records where id = ${wider}`)[0]?.payload).toEqual({
    ...{ version: "3", branch: "main", mood: { is: "new" } },
  });
  expect(await told("status")).toContain(
    "Held back   2 records that the server cannot take yet: devflow sync dead list",
  );
  expect(
    (await sync("dead", "list", "--json"))
      .json<{ id: string; reason: string }[]>()
      .map(({ id, reason }) => [id, reason]),
  ).toEqual([
    [strange, "unknown_kind"],
    [newer, "unknown_version"],
  ]);
  expect(await told("dead", "list")).toContain("the server knows an older form of it; sent when it is upgraded");
  // The server is upgraded.
  const forget = await teachServer(it.admin, [
    { kind: "hologram", schema_version: 1 },
    { kind: "ship_log", schema_version: 99 },
  ]);
  expect((await sync("drain", "--json")).json()).toMatchObject({ sent: 2 });
  await forget();
  expect([
    ...(await it.admin`select count(*)::int as count from app.records where id in ${it.admin([strange, newer, wider])}`),
  ]).toEqual([{ count: 3 }]);
});

describe("an eval run", () => {
  const results = (suite: string, passed: readonly boolean[]) => ({
    ...{ suite, git_sha: "a".repeat(40) },
    results: passed.map((one, at) => ({ name: `case ${at}`, passed: one, output: "x".repeat(600_000) })),
  });

  test("pushed by `eval push` is sent in the background, and teammates see it", async () => {
    const path = file("tone.json", results("tone", [true, true, false]));
    const pushed = await runProcess([...devflowCommand(), "eval", "push", path], {
      env: home.environment(),
      cwd: repository,
    });
    expect([pushed.code, pushed.stdout.trim().split("\n").at(-1)]).toEqual([0, "Queued for Demo."]);
    // Nobody calls `sync drain`: the drainer that the push started does it, and ends.
    for (let n = 0; n < 400; n++) {
      const [row] = await it.admin`select count(*)::int as n from app.eval_runs where complete_at is not null`;
      if (row?.n === 1) break;
      await Bun.sleep(50);
    }
    await sync("pull");
    const evals = async (...words: string[]) => outputOf(await runCli(["eval", ...words], { home, cwd: repository }));
    expect(await evals("list", "--team")).toMatchInlineSnapshot(`
      "RUN       SUITE  PASSED  COST  COMMIT    WHO  WHEN
      <id>  tone   66.7 %  $0    <id>  Ada  <duration> ago"
    `);
    expect(await evals("trend", "tone", "--team")).toMatchInlineSnapshot(`
      "Demo
      tone  ▆

                     20 %                               100 %
      <id>  <duration>  ───────────────────────█─────────────···  66.7 %  2/3    1 run

      █ pass rate, ─ its 95 % interval; runs of one commit are pooled"
    `);
    const [row] = await it.admin`
      select (select count(*)::int from app.eval_chunks) as chunks, (select count(*)::int from app.eval_results) as results`;
    expect({ ...row }).toEqual({ chunks: 3, results: 3 });
  });

  test("that cannot be queued is stored here all the same, and the person is told", async () => {
    const alone = temporaryHome();
    mkdirSync(join(alone.devflowHome, "teams", "local"), { recursive: true, mode: 0o700 });
    const known = { user: { id: it.owner.id, name: "Ada" }, teams: [{ id: it.teamId, slug: "demo", name: "Demo" }] };
    writeFileSync(join(alone.devflowHome, "teams", "local", "membership.json"), JSON.stringify(known));
    writeFileSync(join(alone.devflowHome, "spool"), "in the way");
    const path = file("facts.json", results("facts", [true]));
    const pushed = await runCli(["eval", "push", path], { home: alone, cwd: repository });
    expect([pushed.code, plainText(pushed.stderr)]).toMatchInlineSnapshot(`
      [
        0,
        
      "Not queued for Demo: Permission denied: <folder>/.devflow/spool/new. The run is stored here; push it again later.
      "
      ,
      ]
    `);
    expect((await runCli(["eval", "list", "--json"], { home: alone })).stdout).toContain("facts");
  });
});

test("without a team nothing is collected, and nothing fails", async () => {
  const alone = temporaryHome();
  const run = async (...words: string[]) =>
    outputOf(await runCli(["sync", ...words], { home: alone })).replaceAll(alone.path, "<home>");
  expect(await run("push-ship", ship("9.0"))).toMatchInlineSnapshot(`""`);
  expect(await run("status")).toMatchInlineSnapshot(`
    "Team   none; records are not collected
    Sync   on, transcripts off
    Queue  empty
    Log    <folder>/.devflow/sync.log (<size>)"
  `);
  expect(await run("pull")).toMatchInlineSnapshot(`
    "--- stderr
    <folder> belongs to no team yet.
    Start the local server, which has a team of one: devflow up -d
    --- exit code 66"
  `);
  expect(readdirSync(alone.path)).toEqual([]);
});
