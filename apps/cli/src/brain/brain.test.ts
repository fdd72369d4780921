/** `devflow brain …`: two people, a real server, real git. What one writes offline, the other finds. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { homeAt } from "@devflow/core/home";
import { proofOfSelf } from "@devflow/core/process-proof";
import { version } from "@devflow/core/version";
import { git, initRepository } from "@devflow/git";
import {
  devflowCommand,
  expectNoLeaks,
  outputOf,
  runCli,
  runProcess,
  startProcess,
  type TemporaryHome,
  temporaryHome,
} from "@devflow/testkit";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";

interface Desk {
  readonly home: TemporaryHome;
  readonly repository: string;
  connect(): Promise<void>;
  disconnect(): void;
  run(...words: string[]): ReturnType<typeof runCli>;
  told(...words: string[]): Promise<string>;
}

let it: TeamServer;
let ada: Desk;
let bob: Desk;
beforeAll(async () => {
  it = await startTeamServer();
  ada = await desk(it.machineToken);
  bob = await desk(it.member.token.reveal());
}, 120_000);
afterAll(async () => {
  await it.stop();
  ada.home.remove();
  bob.home.remove();
}, 60_000);

const adr = (title: string, status: string) =>
  `# ${title}\n\nDate: 2024-03-05\n\n## Status\n\n${status}\n\n## Context\n\nWe must.\n\n## Decision\n\nWe will, in \`src/limit.ts\`.\n`;

/** A machine with its own home and clone. Both use the local server's file, each with its own token. */
async function desk(token: string): Promise<Desk> {
  const home = temporaryHome({ isKept: true });
  mkdirSync(home.devflowHome, { recursive: true, mode: 0o700 });
  const repository = join(home.path, "shop");
  const env = home.environment();
  const files = {
    "src/limit.ts": "export function limit(n: number) {\n  return n > 10;\n}\n",
    "docs/adr/0001-use-postgres.md": adr("1. Use Postgres", "Superseded by [2. Use SQLite](0002-use-sqlite.md)"),
    "docs/adr/0002-use-sqlite.md": adr("2. Use SQLite", "Accepted"),
    "docs/adr/0002-name-things.md": adr("2. Name things", "Angenommen"),
    "docs/adr/0003-open.md": "# 3. Left open\n\nNobody said.\n",
    "docs/adr/0004-no-title.md": "Nothing here.\n",
    "docs/adr/template.md": "# [short title]\n",
  };
  await initRepository(repository, { files, message: "Start", env });
  await git(["remote", "add", "origin", "git@github.com:Acme/Shop.git"], { cwd: repository, env });
  const stateFile = homeAt(home.devflowHome).serverFile;
  const { host, port } = it.server;
  const made: Desk = {
    home,
    repository,
    async connect() {
      const state = { ...proofOfSelf(), host, port, token, version, startedAt: new Date().toISOString() };
      await writeFileAtomic(stateFile, JSON.stringify(state));
    },
    disconnect: () => rmSync(stateFile),
    run: (...words) => runCli(["brain", ...words], { home, cwd: repository }),
    told: async (...words) => calm(outputOf(await made.run(...words)).replaceAll(home.path, "<home>")),
  };
  await made.connect();
  return made;
}

/** `outputOf` has named ids, times and durations already. */
const calm = (text: string): string =>
  text
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{10}\b/g, "<commit>")
    .replace(/ on [\w.-]+-(?:[0-9a-f]{8}|<id>),/g, " on <machine>,");

test("a decision written offline waits, is sent, and is found by a second person who never saw it", async () => {
  await ada.told("sync");
  ada.disconnect();
  expect(
    await ada.told(
      "decide",
      "write",
      "Sessions live in Redis",
      "--body",
      "Cookies were too large.",
      "--file",
      "src/limit.ts",
      "--feature",
      "login",
    ),
  ).toMatchInlineSnapshot(`"Decision <id> recorded. Queued (offline)"`);
  expect(await ada.told("decide", "list")).toMatchInlineSnapshot(`
    "DECISION  TITLE                   STATE     WHO  DATE
    <id>  Sessions live in Redis  accepted  Ada  <time>
    --- stderr
    Offline (the local server is not running; start it: devflow up -d). This was pulled <duration> ago."
  `);
  expect(await ada.told("decide", "search", "cookies")).toMatchInlineSnapshot(`
    "<id> Sessions live in Redis  (decision, accepted, <time>)
        Cookies were too large.
        found: in the text: cook
    --- stderr
    Offline (the local server is not running; start it: devflow up -d). This was pulled <duration> ago."
  `);
  expect((await bob.run("decide", "search", "cookies", "--json")).json()).toMatchObject({ results: [] });
  await ada.connect();
  expect((await runCli(["sync", "drain"], { home: ada.home, cwd: ada.repository })).code).toBe(0);
  expect(await bob.told("decide", "search", "why are cookies too large?")).toMatchInlineSnapshot(`
    "#1 Sessions live in Redis  (decision, accepted, <time>)
        Cookies were too large.
        found: in the text: cooki, larg"
  `);
  expect(await bob.told("decide", "show", "1")).toMatchInlineSnapshot(`
    "#1 Sessions live in Redis
    decision, accepted; Ada, <time>
    Files: src/limit.ts
    Features: login

    DECISION

    Cookies were too large.

    TIMELINE

      <time>  written by Ada: Sessions live in Redis"
  `);
}, 60_000);

describe("decisions", () => {
  test("are superseded: the old one is no longer found, the new one is in its place", async () => {
    expect(
      await bob.told("decide", "supersede", "#1", "Sessions live in Postgres", "--body", "One store less."),
    ).toMatchInlineSnapshot(`"Decision <id> recorded. Synced to team ✓"`);
    expect(await ada.told("decide", "search", "redis")).toMatchInlineSnapshot(`
      "#2 Sessions live in Postgres  (decision, accepted, <time>)
          One store less.
          found: replaces #1 Sessions live in Redis"
    `);
    expect(await ada.told("decide", "supersede", "1", "Again")).toMatchInlineSnapshot(`
      "--- stderr
      "Sessions live in Redis" has been superseded already.
      Supersede its successor: devflow brain decide show <id>
      --- exit code 75"
    `);
  }, 60_000);

  test("are proposed, accepted, commented and rejected, each by a person in the timeline", async () => {
    await ada.told("decide", "write", "Ship on Fridays", "--proposed");
    expect(await bob.told("decide", "accept", "3", "Fine with me")).toMatchInlineSnapshot(
      `"#3 accepted. Synced to team ✓"`,
    );
    expect(await bob.told("decide", "accept", "3")).toMatchInlineSnapshot(`
      "--- stderr
      #3 "Ship on Fridays" is accepted, so it cannot be accepted.
      See its timeline: devflow brain decide show <id>
      --- exit code 75"
    `);
    await ada.told("decide", "comment", "3", "Only before noon");
    expect(await bob.told("decide", "reject", "3", "Not any more")).toMatchInlineSnapshot(
      `"#3 rejected. Synced to team ✓"`,
    );
    const { decision } = (await ada.run("decide", "show", "3", "--json")).json() as {
      decision: { state: string; timeline: { event: string; user_name: string }[] };
    };
    expect(decision.state).toBe("rejected");
    expect(
      decision.timeline
        .map(({ event, user_name }) => `${event} by ${user_name}`)
        .filter((one) => !/^(?:written|changed)/.test(one)),
    ).toEqual(["accepted by Grace", "commented by Ada", "rejected by Grace"]);
  }, 60_000);

  test("a freeze is seen first, and lifted", async () => {
    expect(
      await ada.told("decide", "write", "No deploys", "--type", "freeze", "--expires", "2d"),
    ).toMatchInlineSnapshot(`"Freeze <id> recorded. Synced to team ✓"`);
    expect(await bob.told("sync")).toMatchInlineSnapshot(`
      "Demo: 2 decisions, 0 active intents, 0 others at work.
      FREEZE  #4 No deploys, until <time>"
    `);
    await bob.told("decide", "lift", "4", "Audit is done");
    expect(await ada.told("decide", "list", "--type", "freeze")).toMatchInlineSnapshot(
      `"No decision was recorded yet. Record one: devflow brain decide write "<title>""`,
    );
  }, 60_000);

  test("are imported from a folder of ADRs, with a report of what is doubtful; again, nothing changes", async () => {
    expect(await ada.told("decide", "import", "docs/adr")).toMatchInlineSnapshot(`
      "4 ADRs read: 4 new, 0 changed, 0 as before. Synced to team ✓
        docs/adr/0002-name-things.md: it shares the number 2 with 0002-use-sqlite.md
        docs/adr/0002-use-sqlite.md: it shares the number 2 with 0002-name-things.md
        docs/adr/0003-open.md: it has no status that was understood; it is taken as proposed
      1 file not read:
        docs/adr/0004-no-title.md: it has no title"
    `);
    await ada.told("sync");
    expect(await ada.told("decide", "import", "docs/adr")).toMatchInlineSnapshot(`
      "4 ADRs read: 0 new, 0 changed, 4 as before.
        docs/adr/0002-name-things.md: it shares the number 2 with 0002-use-sqlite.md
        docs/adr/0002-use-sqlite.md: it shares the number 2 with 0002-name-things.md
        docs/adr/0003-open.md: it has no status that was understood; it is taken as proposed
      1 file not read:
        docs/adr/0004-no-title.md: it has no title"
    `);
    const { results } = (await bob.run("decide", "search", "postgres", "--json")).json() as {
      results: { title: string; source_file: string; created_at: string }[];
    };
    expect(results.map((one) => one.title)).toContain("Use SQLite");
    expect(results.find((one) => one.title === "Use SQLite")).toMatchObject({
      source_file: "docs/adr/0002-use-sqlite.md",
      created_at: expect.stringMatching(/^2024-03-05/),
    });
  }, 60_000);

  test("secrets are removed before anything is stored, and bad input is refused", async () => {
    const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
    expect(await ada.told("decide", "write", "Rotate keys", "--body", `The old one was ${key}`)).toMatchInlineSnapshot(`
      "Decision <id> recorded. Synced to team ✓
      --- stderr
      1 secret removed before anything was stored."
    `);
    expect(JSON.stringify((await bob.run("decide", "search", "rotate keys", "--json")).json())).not.toContain(
      "a1B2a1B2",
    );
    expect(await ada.told("decide", "write", "x", "--feature", "Not A Name")).toMatchInlineSnapshot(`
      "--- stderr
      The decision cannot be recorded: features.0: expected lower case letters, digits, dots, dashes and underscores.
      See what each part may be: docs/brain.md
      --- exit code 65"
    `);
    expect(await ada.told("decide", "write", "x", "--file", "../../etc/passwd")).toMatchInlineSnapshot(`
      "--- stderr
      ../../etc/passwd is not in this repository.
      Name a file below its root.
      --- exit code 65"
    `);
    expect(await ada.told("decide", "show", "999")).toMatchInlineSnapshot(`
      "--- stderr
      Decision 999 was not found.
      Find it: devflow brain decide search <words>
      --- exit code 66"
    `);
    expect(await ada.told("decide", "write", "x", "--expires", "2001-01-01")).toMatchInlineSnapshot(`
      "--- stderr
      "<time>" is not ahead.
      Use 12h, 7d, 2w or a date such as <time>
      --- exit code 64"
    `);
  }, 60_000);
});

describe("intents, handoffs and presence", () => {
  test("an intent is written, changed, seen by the other, and shipped", async () => {
    expect(await ada.told("intent", "get")).toMatchInlineSnapshot(
      `"This session has no intent. Write one: devflow brain intent write "<text>""`,
    );
    expect(await ada.told("intent", "write", "Limit requests per key", "--file", "src/limit.ts")).toMatchInlineSnapshot(
      `"Intent <id> recorded. Synced to team ✓"`,
    );
    expect(
      await ada.told("intent", "write", "Limit requests per key and hour", "--file", "src/limit.ts"),
    ).toMatchInlineSnapshot(`"Intent changed. Synced to team ✓"`);
    expect(await bob.told("intent", "list")).toMatchInlineSnapshot(`
      "INTENT    WHAT                             WHO  STATE   BRANCH  CHANGED
      <id>  Limit requests per key and hour  Ada  active  main  <duration> ago"
    `);
    expect(await ada.told("intent", "infer", "--prompt", "Fix the login loop", "--dry-run")).toMatchInlineSnapshot(
      `"This session has an intent that a person wrote: Limit requests per key and hour"`,
    );
    expect(await ada.told("intent", "ship")).toMatchInlineSnapshot(
      `""Limit requests per key and hour" shipped. Synced to team ✓"`,
    );
    expect(await bob.told("intent", "list")).toMatchInlineSnapshot(`"No intents."`);
  }, 60_000);

  test("an intent is inferred without a model, and says how sure it is", async () => {
    expect(
      await bob.told("intent", "infer", "--prompt", "Hi! Please add a retry to the checkout. Thanks"),
    ).toMatchInlineSnapshot(`"Add a retry to the checkout. (70% sure, from the prompt). Synced to team ✓"`);
    expect(await bob.told("intent", "get")).toMatchInlineSnapshot(`
      "Add a retry to the checkout.
      inferred, 70% sure; branch main"
    `);
    expect(await bob.told("intent", "abandon")).toMatchInlineSnapshot(
      `""Add a retry to the checkout." abandoned. Synced to team ✓"`,
    );
  }, 60_000);

  test("a handoff reaches the next one", async () => {
    writeFileSync(join(ada.repository, "src/new.ts"), "export {};\n");
    expect(await ada.told("handoff", "auto")).toMatchInlineSnapshot(`
      "Not committed: src/new.ts
      Synced to team ✓"
    `);
    rmSync(join(ada.repository, "src/new.ts"));
    expect(await ada.told("handoff", "write", "The migration is missing", "--to", "Bob")).toMatchInlineSnapshot(`
      "The migration is missing
      Synced to team ✓"
    `);
    expect(await bob.told("handoff", "list", "-n", "1")).toMatchInlineSnapshot(`
      "Ada, to Bob, branch main, <duration> ago
          The migration is missing"
    `);
  }, 60_000);

  test("somebody at work is seen, and gone when they leave", async () => {
    expect(await ada.told("heartbeat", "--intent", "Checkout")).toMatchInlineSnapshot(`"0 others at work."`);
    const { presence } = (await bob.run("presence", "--json")).json() as {
      presence: { intent_text: string; host: string }[];
    };
    expect(presence.map(({ intent_text, host }) => [intent_text, host])).toEqual([["Checkout", "terminal"]]);
    await ada.told("heartbeat", "--state", "left");
    expect(await bob.told("presence")).toMatchInlineSnapshot(`"Nobody is at work."`);
  }, 60_000);

  test("presence --watch follows live: somebody comes, turns to something else and leaves", async () => {
    const words = [...devflowCommand(), "brain", "presence", "--watch", "--json"];
    await using watching = startProcess(words, { env: bob.home.environment(), cwd: bob.repository });
    await watching.waitForOutput(/"presence":\[\]/);
    await ada.told("heartbeat", "--intent", "Checkout");
    await watching.waitForOutput(/"intent_text":"Checkout"/);
    await ada.told("heartbeat", "--intent", "Refunds");
    await watching.waitForOutput(/"intent_text":"Refunds"/);
    await ada.told("heartbeat", "--state", "left");
    await watching.waitForOutput(/"Refunds"[^\n]*\n\{"presence":\[\]/);
  }, 60_000);

  test("the standup, features and the doctor", async () => {
    expect(await bob.told("feature", "tag", "login", "--file", "src/limit.ts")).toMatchInlineSnapshot(
      `"1 file tagged as login. Synced to team ✓"`,
    );
    expect(await ada.told("feature", "list")).toMatchInlineSnapshot(`
      "FEATURE  FILES  DECISIONS  INTENTS
      login        1          2        0"
    `);
    expect(await bob.told("standup")).toMatchInlineSnapshot(`
      "Ada
        done: Limit requests per key and hour
        decision #9: Rotate keys
        decision #8: Left open
        freeze #4: No deploys
        decision #3: Ship on Fridays
        decision #1: Sessions live in Redis
        handed over: The migration is missing
        handed over: Not committed: src/new.ts

      Grace
        given up: Add a retry to the checkout.
        decision #2: Sessions live in Postgres"
    `);
    expect(await bob.told("doctor")).toMatchInlineSnapshot(`
      "ok    team        Demo, as Grace
      ok    repository  github.com/acme/shop
      ok    agent       terminal of Grace on <machine>, <id>
      ok    server      it knows all records of the brain
      ok    agents      terminal reported <duration> ago
      ok    digest      pulled <duration> ago
      ok    spool       0 records to send"
    `);
    bob.disconnect();
    expect(await bob.told("doctor")).toMatchInlineSnapshot(`
      "ok    team        Demo, as Grace
      ok    repository  github.com/acme/shop
      ok    agent       terminal of Grace on <machine>, <id>
      FAIL  server      the local server is not running; start it: devflow up -d. Records wait on this machine
      ok    digest      pulled <duration> ago
      ok    spool       0 records to send
      --- exit code 1"
    `);
    expect(await bob.told("standup")).toMatch(
      /^Offline \(the local server is not running; start it: devflow up -d\)\. This was pulled/m,
    );
    await bob.connect();
  }, 60_000);
});

describe("why", () => {
  test("a line, a symbol and a file, each step with its source; what nobody recorded comes from git", async () => {
    expect(await ada.told("why", "src/limit.ts:2")).toMatchInlineSnapshot(`
      "src/limit.ts:2
                return n > 10;
      commit    <commit> Start; Devflow, <duration> ago
                (git blame)
      decision  #2 Sessions live in Postgres (accepted)
                (it is about the file)
      decision  #1 Sessions live in Redis (superseded)
                (it is about the file)
      decision  #5 Use Postgres (superseded)
                (it is about the file)
      decision  #6 Name things (accepted)
                (it is about the file)
      decision  #7 Use SQLite (accepted)
                (it is about the file)
      The team has recorded no edit that fits. From git:
      commit    <commit> Start; Devflow, <duration> ago
                (git log -L)"
    `);
    expect((await ada.run("why", "limit", "--json")).json()).toMatchObject({
      file: "src/limit.ts",
      line: 1,
      symbol: { name: "limit", kind: "function" },
    });
    expect((await ada.run("why", "src/limit.ts:limit", "--json")).json()).toMatchObject({
      symbol: { signature: "function limit(n: number)" },
    });
    expect(await ada.told("why", "src/limit.ts:99")).toMatchInlineSnapshot(`
      "--- stderr
      Line 99 of src/limit.ts in git was not found.
      A file that was never committed has no history yet.
      --- exit code 66"
    `);
    expect(await ada.told("why", "nowhere")).toMatchInlineSnapshot(`
      "--- stderr
      "nowhere" was not found.
      Name a file, file:line, file:symbol or a symbol of a TypeScript or JavaScript file.
      --- exit code 66"
    `);
  }, 60_000);

  test("a line that three agents changed: the last one fits best, and the others are there with what they were asked", async () => {
    const { repository, home } = ada;
    const file = join(repository, "src/till.ts");
    const env = { ...home.environment(), DEVFLOW_HOME: home.devflowHome };
    const hook = async (host: string, moment: string, event: object) => {
      const stdin = JSON.stringify({ session_id: `${host}-1`, cwd: repository, ...event });
      const words = [...devflowCommand(), "hook", host, moment];
      expect((await runProcess(words, { env, cwd: repository, stdin })).code).toBe(0);
    };
    for (const [host, line, prompt] of [
      ["claude", "cents", "Add a till that counts in cents"],
      ["codex", "cents - 1", "Fix the rounding of the till"],
      ["qwen", "cents - 2", "Change the till to round by two"],
    ] as const) {
      await hook(host, "prompt", { prompt });
      writeFileSync(file, `export function till(cents: number) {\n  return ${line};\n}\n`);
      const tool = {
        tool_name: "Edit",
        tool_use_id: "t",
        tool_input: { file_path: file, new_string: `  return ${line};` },
      };
      await hook(host, "post-tool", tool);
      await git(["add", "-A"], { cwd: repository, env });
      await git(["commit", "-m", prompt], { cwd: repository, env, identity: { name: "Ada", email: "ada@x" } });
    }
    for (const host of ["claude", "codex", "qwen"]) await hook(host, "session-end", {});
    // Sent by a drainer in the background, or by this one.
    await runCli(["sync", "drain"], { home, cwd: repository });
    const sent = () =>
      it.admin`select from app.edits e join app.files f on f.id = e.file_id where f.path = 'src/till.ts'`;
    for (let tries = 0; tries < 200 && (await sent()).length < 3; tries++) await Bun.sleep(50);
    const text = await ada.told("why", "src/till.ts:2");
    expect(text).toMatch(
      /^src\/till\.ts:2\n {10}return cents - 2;\ncommit {4}<commit> Change the till to round by two; Ada/,
    );
    expect(
      [...text.matchAll(/^edit {6}(\w+)'s (\w+) with Edit on \S+, .* ago\n {10}\((.*?); edit /gm)].map((one) =>
        one.slice(1, 4),
      ),
    ).toEqual([
      ["Ada", "qwen", "it covers the line, it was made on the parent of the commit; 95% sure"],
      ["Ada", "codex", "it covers the line; 50% sure"],
      ["Ada", "claude", "it covers the line; 50% sure"],
    ]);
    expect([...text.matchAll(/^prompt {4}"(.*)"$/gm)].map(([, prompt]) => prompt)).toEqual([
      "Change the till to round by two",
      "Fix the rounding of the till",
      "Add a till that counts in cents",
    ]);
    expect(text).toContain("intent    Change the till to round by two (active)");
    const { records } = (await ada.run("why", "src/till.ts:till", "--json")).json<{
      records: { edits: { host: string }[] };
    }>();
    expect(records.edits.map(({ host }) => host)).toContain("claude");
    // Who sent it stayed only while they were at work.
    await expectNoLeaks(20_000, { among: / drainer --live$/ });
  }, 120_000);
});

test("edits by hand: the files that differ from the last commit, with their lines", async () => {
  writeFileSync(join(bob.repository, "src/limit.ts"), "export function limit(n: number) {\n  return n > 20;\n}\n");
  writeFileSync(join(bob.repository, "src/new.ts"), "one\ntwo\n");
  expect(await bob.told("log-edit", "src/limit.ts", "src/new.ts", "--prompt", "Allow twenty")).toMatchInlineSnapshot(
    `"2 edits recorded. Synced to team ✓"`,
  );
  const rows = await it.admin<{ path: string; lines: string; tool: string; prompt: string }[]>`
    select f.path, e.lines::text as lines, e.tool, e.prompt from app.edits e join app.files f on f.id = e.file_id
    where e.tool = 'manual' order by f.path`;
  expect(rows.map((one) => Object.values(one).join(" "))).toEqual([
    "src/limit.ts {[2,3)} manual Allow twenty",
    "src/new.ts {[1,3)} manual Allow twenty",
  ]);
  rmSync(join(bob.repository, "src/new.ts"));
  await git(["checkout", "--quiet", "HEAD"], { cwd: bob.repository, paths: ["src/limit.ts"] });
});
