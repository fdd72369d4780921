/** Alerts of a team server, to a receiver and a mail server that are really there. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@devflow/core/clock";
import { homeAt } from "@devflow/core/home";
import { createLog } from "@devflow/core/log";
import { initRepository } from "@devflow/git";
import { rpcAnswer } from "@devflow/protocol";
import { startMailServer } from "@devflow/server/testing";
import { type CliResult, killAt, runCli, startProcess, type TemporaryHome, temporaryHome } from "@devflow/testkit";

import type { AlertSenderOptions } from "../../testing/alert-sender.ts";
import { evalRecords, type MadeEvalRun } from "../../testing/eval-records.ts";
import { startTeam } from "../../testing/start-team.ts";
import { composeAlerts } from "../server/compose-alerts.ts";

interface Received {
  readonly key: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  readonly body: any;
}
const received: Received[] = [];
let status = 200;
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    received.push({ key: request.headers.get("idempotency-key"), body: await request.json() });
    return new Response("", { status });
  },
});
const secretPath = "T0/secret-path";
const webhook = `http://127.0.0.1:${receiver.port}/services/${secretPath}`;

const lines: string[] = [];
const log = createLog({ level: "trace", module: "test", destination: { write: (line) => void lines.push(line) } });
const ada = temporaryHome();
const grace = temporaryHome();
const shop = join(ada.path, "shop");
let smtp: Awaited<ReturnType<typeof startMailServer>>;
let team: Awaited<ReturnType<typeof startTeam>>;
let teamId = "";
beforeAll(async () => {
  smtp = await startMailServer();
  team = await startTeam({
    log,
    clock: systemClock,
    mail: { url: smtp.url(), from: "Devflow <devflow@example.com>" },
    work: async (parts) => composeAlerts(parts, { alertHosts: ["127.0.0.1"] }, "https://devflow.example.com"),
  });
  await initRepository(shop, { files: { "README.md": "# Shop\n" }, message: "x", env: ada.environment() });
  expect((await cli(ada, "sync", "init", team.setupUrl, "--name", "Ada", "--team", "Engines")).code).toBe(0);
  const { url } = (await cli(ada, "team", "invite", "--json")).json<{ url: string }>();
  expect((await cli(grace, "sync", "setup", url, "--name", "Grace")).code).toBe(0);
  teamId = Object.values(authOf(ada).teams as Record<string, string>)[0] ?? "";
}, 120_000);
afterAll(async () => {
  await team?.stop();
  await smtp?.stop();
  await receiver.stop(true);
}, 60_000);
beforeEach(() => {
  received.length = 0;
  status = 200;
});

const cli = (home: TemporaryHome, ...words: string[]): Promise<CliResult> =>
  runCli(words, { home, cwd: home === ada ? shop : home.path });
const shown = ({ code, stdout, stderr }: CliResult): string => `${code}\n${stdout}${stderr}`;
const authOf = (home: TemporaryHome) =>
  JSON.parse(readFileSync(homeAt(home.devflowHome).authFile, "utf8"))[team.url] as Record<string, unknown>;

async function push(given: MadeEvalRun): Promise<string> {
  const { id, records } = evalRecords(given);
  const answer = await fetch(`${team.url}/rest/v1/rpc/push_records`, {
    method: "POST",
    headers: { authorization: `Bearer ${authOf(ada).access_token}`, "content-type": "application/json" },
    body: JSON.stringify({ team_id: teamId, records }),
  });
  const statuses = rpcAnswer("push_records").parse(await answer.json());
  expect(statuses.map((one) => one.status)).toEqual(["stored", "stored"]);
  return id;
}
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not yet: ${JSON.stringify(received)}`);
    await Bun.sleep(20);
  }
}
/** Every run was compared, and every message was sent or given up. */
const isQuiet = async () => {
  const [row] = await team.admin`
    select (select count(*) from app.eval_checks where next_try_at < 'infinity')
      + (select count(*) from app.alert_messages where ended_at is null) as count`;
  return Number(row?.count) === 0;
};
let minute = 0;
/** A run of the given commit, later than the one before. */
const next = (sha: string, outcomes: string, more: Partial<MadeEvalRun> = {}) =>
  push({ sha, outcomes, at: new Date(Date.UTC(2026, 9, 1, 0, minute++)).toISOString(), ...more });

const good = "p".repeat(20);
const bad = "f".repeat(10) + "p".repeat(10);

describe("setting alerts", () => {
  test("nothing is sent before somebody has said where to", async () => {
    await next("a".repeat(40), good, { suite: "quiet" });
    await next("b".repeat(40), bad, { suite: "quiet" });
    expect(await team.admin`select from app.eval_checks`).toHaveLength(0);
    expect(shown(await cli(ada, "team", "alerts", "test"))).toMatchInlineSnapshot(`
      "75
      there is nowhere to send it
      Name a target: devflow team alerts set --webhook <url>
      "
    `);
  });

  test("only an admin may, and only with a URL", async () => {
    expect(shown(await cli(grace, "team", "alerts", "set", "--webhook", webhook))).toMatchInlineSnapshot(`
      "77
      only an admin or owner of the team may do this
      See who they are: devflow team members
      "
    `);
    expect(shown(await cli(ada, "team", "alerts", "set", "--webhook", "hooks.slack.com/x"))).toMatchInlineSnapshot(`
      "65
      This is not an http or https URL.
      It looks like https://hooks.slack.com/services/…
      "
    `);
    expect(shown(await cli(ada, "team", "alerts", "set", "--email", "nobody"))).toMatchInlineSnapshot(`
      "65
      nobody is not an e-mail address
      "
    `);
    expect(shown(await cli(ada, "team", "alerts", "set", "--time-zone", "Mars/Olympus"))).toMatchInlineSnapshot(`
      "65
      there is no time zone Mars/Olympus
      Use a name such as Europe/Berlin.
      "
    `);
    expect(shown(await cli(ada, "team", "alerts", "set"))).toMatchInlineSnapshot(`
      "64
      Nothing to change was named.
      For example: devflow team alerts set --webhook <url>
      "
    `);
  });

  test("the webhook is pasted, tried, and its URL is never shown again", async () => {
    const set = await runCli(["team", "alerts", "set", "--webhook", "-", "--email", "team@example.com"], {
      home: ada,
      cwd: shop,
      stdin: `${webhook}\n`,
    });
    expect(shown(set)).toMatchInlineSnapshot(`
      "0
      Webhook   127.0.0.1 (auto)
      Mail      team@example.com
      Branches  all
      Digest    off
      Open      no regression
      Try it: devflow team alerts test
      Paste the webhook's URL:
      "
    `);
    expect(shown(await cli(ada, "team", "alerts", "test"))).toMatchInlineSnapshot(`
      "0
      A test message was sent to 2 targets.
      "
    `);
    expect(received.map(({ body }) => [body.event, body.team])).toEqual([["test", "Engines"]]);
    const mail = await smtp.nextMail("team@example.com");
    expect([mail.from, mail.subject]).toEqual(["devflow@example.com", "Test: alerts of Engines arrive here"]);
    expect(shown(await cli(grace, "team", "alerts", "show"))).toMatchInlineSnapshot(`
      "0
      Webhook   127.0.0.1 (auto)
      Branches  all
      Digest    off
      Open      no regression
      "
    `);
    const all = [set.stdout, set.stderr, (await cli(ada, "team", "alerts", "show", "--json")).stdout, lines.join("")];
    expect(all.filter((text) => text.includes("secret-path"))).toEqual([]);
  });
});

describe("a suite that gets worse", () => {
  test("is told once, with its cases, commit, author and cost; and once when it has recovered", async () => {
    await next("1".repeat(40), good);
    await next("2".repeat(40), good);
    const found = await next("3".repeat(40), bad, { usd: 0.5, author: "Grace <!channel>" });
    await until(() => received.length === 1);
    // Worse still, as it was: nothing new to tell, however often it is run.
    await next("3".repeat(40), bad);
    await next("4".repeat(40), bad);
    await until(isQuiet);
    expect(received).toHaveLength(1);
    expect(received[0]?.key).toBe(`regression:${found}`);
    expect(received[0]?.body.text.replace(/interval [^;]*;/, "interval …;")).toMatchInlineSnapshot(`
      "*Regression: support (standard), m-1 got worse on main of shop*
      Pass rate 100 % → 50 %. Pass rate −50.0 points (95 % interval …; p = 0.002); 10 of 20 cases worse, 0 better.
      Commit 33333333 "Change 3333" by Grace &lt;!channel&gt;; run pushed by Ada.
      Cost $0.50, before $0.25.
      Broken: case 0, case 1, case 2, case 3, case 4, case 5, case 6, case 7, case 8, case 9.
      See the runs: https://devflow.example.com/team/evals?team=engines&amp;suite=support
      In a terminal: devflow sync pull, then devflow eval trend support --team"
    `);
    expect(received[0]?.body.facts).toMatchObject({
      ...{
        repo: "shop",
        suite: "support",
        branch: "main",
        sha: "3".repeat(40),
        author: "Grace <!channel>",
        person: "Ada",
      },
      ...{ usd: 0.5, usdBefore: 0.25, rateBefore: 1, rateNow: 0.5, brokenCount: 10 },
    });
    const mail = await smtp.nextMail("team@example.com");
    expect(mail.subject).toBe("Regression: support (standard), m-1 got worse on main of shop");

    const back = await next("5".repeat(40), good);
    await until(() => received.length === 2);
    expect([received[1]?.key, received[1]?.body.event]).toEqual([`recovery:${back}`, "recovery"]);
    expect(received[1]?.body.text).toContain("Pass rate 100 %; before the regression it was 100 %.");
    await next("6".repeat(40), good);
    await until(isQuiet);
    expect(received).toHaveLength(2);
    expect((await smtp.nextMail("team@example.com")).subject).toStartWith("Recovery: support");
    // What was sent is no longer stored.
    expect(await team.admin`select from app.alert_messages where body is not null`).toHaveLength(0);
  }, 120_000);

  test("that is noise is not told, and neither is a run of another branch's line", async () => {
    await next("7".repeat(40), `f${"p".repeat(19)}`);
    await next("8".repeat(40), `${"p".repeat(18)}fp`);
    // Another suite that was never well.
    await next("9".repeat(40), bad, { suite: "tone" });
    await until(isQuiet);
    expect(received).toEqual([]);
  });

  test("runs that arrive late and out of order say the same as in order", async () => {
    const at = (hour: number) => new Date(Date.UTC(2026, 9, 2, hour)).toISOString();
    await push({ suite: "late", sha: "d3", at: at(3), outcomes: good });
    await push({ suite: "late", sha: "d1", at: at(1), outcomes: good });
    await push({ suite: "late", sha: "d2", at: at(2), outcomes: bad });
    await until(isQuiet);
    expect(received).toEqual([]);
  });

  test("only on the branches that were chosen", async () => {
    expect((await cli(ada, "team", "alerts", "set", "--branch", "main")).code).toBe(0);
    await next("a1", good, { suite: "branches" });
    await next("a2", bad, { suite: "branches", branch: "try" });
    await until(isQuiet);
    expect(received).toEqual([]);
    expect((await cli(ada, "team", "alerts", "set", "--branch", "all")).code).toBe(0);
    // Its first run on a new branch is compared with the main branch.
    await next("a3", bad, { suite: "branches", branch: "try-again" });
    await until(() => received.length === 1);
    expect(received[0]?.body.facts).toMatchObject({ branch: "try-again", sha: "a3" });
  });

  test("a run that was erased before its message was sent is told to nobody", async () => {
    status = 500;
    await next("e1", good, { suite: "erased" });
    const found = await next("e2", bad, { suite: "erased" });
    await until(() => received.length > 0);
    expect((await cli(ada, "sync", "forget", found)).code).toBe(0);
    expect(await team.admin`select from app.alert_messages where run_id = ${found}`).toHaveLength(0);
    expect(await team.admin`select from app.regressions where run_id = ${found}`).toHaveLength(0);
    await until(isQuiet);
  });
});

describe("a receiver that fails", () => {
  test("is tried again with the same key; until then it is a problem that everybody sees", async () => {
    status = 503;
    await next("f1", good, { suite: "failing" });
    await next("f2", bad, { suite: "failing" });
    await until(() => received.length > 0);
    await until(async () => (await team.admin`select from app.alert_messages where last_error is not null`).length > 0);
    const health = await (await fetch(`${team.url}/health`)).json();
    expect(health).toEqual({ ok: true, problems: 1 });
    const api = await fetch(`${team.url}/api/status`, {
      headers: { authorization: `Bearer ${authOf(ada).access_token}` },
    });
    expect(((await api.json()) as { problems: string[] }).problems).toEqual([
      "1 alert could not be sent. See: devflow team alerts show",
    ]);
    expect(shown(await cli(ada, "team", "alerts", "show"))).toMatchInlineSnapshot(`
      "0
      Webhook   127.0.0.1 (auto)
      Mail      team@example.com
      Branches  all
      Digest    off
      Open      2 regressions
      Waiting   1 message
      Problem   1 message tried again: the webhook answered with status 503
      "
    `);
    expect((await cli(ada, "sync", "status")).stdout).toContain(
      "1 message tried again: the webhook answered with status 503. See: devflow team alerts show",
    );
    const doctor = (await cli(ada, "doctor", "--json")).json<{
      checks: { name: string; status: string; detail: string }[];
    }>();
    expect(doctor.checks.find(({ name }) => name === "alerts")).toMatchObject({
      status: "warn",
      detail: "Engines: 1 message tried again: the webhook answered with status 503",
    });
    status = 200;
    await until(isQuiet);
    expect(new Set(received.map(({ key }) => key)).size).toBe(1);
    expect(await (await fetch(`${team.url}/health`)).json()).toEqual({ ok: true });
  }, 120_000);

  test("a webhook in a private network is refused unless the operator allows its host", async () => {
    await cli(ada, "team", "alerts", "set", "--webhook", `http://localhost:${receiver.port}/x`, "--email", "none");
    const tried = await cli(ada, "team", "alerts", "test");
    expect(shown(tried)).toMatchInlineSnapshot(`
      "75
      A test message is queued for 1 target. Not sent yet: 1 message tried again: the webhook is in a private network; the operator of the server can allow its host: devflow config set alert_hosts <host>
      "
    `);
    expect(received).toEqual([]);
    // What waited for it is dropped with it.
    await cli(ada, "team", "alerts", "set", "--webhook", "none");
    expect(await isQuiet()).toBe(true);
    await cli(ada, "team", "alerts", "set", "--webhook", webhook);
  });
});

describe("a sender that is killed", () => {
  const program = [process.execPath, fileURLToPath(new URL("../../testing/alert-sender.ts", import.meta.url))];
  const sender = (env: Record<string, string> = {}) => {
    const { target, name } = team.database;
    const options: AlertSenderOptions = { target: { ...target, password: target.password.reveal() }, database: name };
    return startProcess(program, { env: { ...grace.environment(), ...env }, stdin: JSON.stringify(options) });
  };
  const dueNow = () =>
    team.admin`
    update app.alert_messages set next_try_at = now() where ended_at is null`.then(
      () => team.admin`update app.eval_checks set next_try_at = now()`,
    );

  test.each([
    ["alertAfterJudged", 1],
    ["alertBeforeRecorded", 1],
    // It was taken by the receiver, and nobody wrote it down: it comes again, with the same key.
    ["alertAfterSent", 2],
  ])(
    "at %s leaves its work to the next one",
    async (point, times) => {
      await team.disconnect();
      const suite = `killed at ${point}`;
      const runs = [
        evalRecords({ suite, sha: "k1", at: "2026-10-03T00:00:00Z", outcomes: good }),
        evalRecords({ suite, sha: "k2", at: "2026-10-03T01:00:00Z", outcomes: bad }),
      ];
      for (const { records } of runs) {
        await team.database.database.withClaims(
          { sub: String(authOf(ada).user_id), role: "authenticated" },
          (tx) => tx`select api.push_records(${teamId}, ${tx.json(records as never)})`,
        );
      }
      // The first run has nothing to compare with; it visits the point too.
      const dying = sender(killAt(point, point === "alertAfterSent" ? 1 : 2));
      expect((await dying.ended).killedBy).toBe("SIGKILL");
      await dueNow();
      await using heir = sender();
      await until(isQuiet);
      await heir.stop();
      const keys = received.map(({ key }) => key);
      expect(keys).toEqual(Array.from({ length: times }, () => `regression:${runs[1]?.id}`));
      await team.reconnect();
    },
    120_000,
  );
});

test("nobody's disk has the webhook", () => {
  for (const home of [ada, grace]) {
    const file = join(home.devflowHome, "sync.log");
    if (existsSync(file)) expect(readFileSync(file, "utf8")).not.toContain("secret-path");
  }
  expect(lines.join("")).not.toContain("secret-path");
});
