/** The weekly digest: when it is sent, what it says, and how a mail program shows it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { connectAsAdmin, type Sql } from "@devflow/db";
import { createMailer, startMailServer } from "@devflow/server/testing";
import { quietLog, type TestDatabase, testDatabase } from "@devflow/testkit";
import { testChromium } from "@devflow/testkit/chromium";
import { chromium } from "playwright-core";
import { evalRecords } from "../../testing/eval-records.ts";
import { composeAlerts } from "../server/compose-alerts.ts";

let smtp: Awaited<ReturnType<typeof startMailServer>>;
let it: TestDatabase;
let admin: Sql;
let now = 0;
const ada = uuidv7();
let team = "";
beforeAll(async () => {
  smtp = await startMailServer();
  it = await testDatabase({ poolSize: 4 });
  admin = connectAsAdmin(it.target, it.name);
  await it.database.asEngine((tx) => tx`select app.ensure_user(${ada}, 'Ada')`);
  const [made] = await asAda(
    (tx) => tx<{ id: string }[]>`select id from api.create_team('Engines & <b>Co</b>', 'engines')`,
  );
  team = made?.id ?? "";
}, 120_000);
afterAll(async () => {
  await admin?.end();
  await it?.close();
  await smtp?.stop();
}, 60_000);
beforeEach(async () => {
  smtp.mails.length = 0;
  await admin`delete from app.alert_messages`;
  await admin`delete from app.alert_settings`;
});

type Work = Parameters<TestDatabase["database"]["withClaims"]>[1];
const asAda = <T>(work: (tx: Parameters<Work>[0]) => Promise<T>): Promise<T> =>
  it.database.withClaims({ sub: ada, role: "authenticated" }, work as never) as Promise<T>;

/** A server works until everything is sent that is due at this time. */
async function serveAt(time: string): Promise<void> {
  now = Date.parse(time);
  const work = composeAlerts(
    {
      database: it.database,
      clock: {
        now: () => now,
        sleep: (_ms, signal) => new Promise((_, fail) => signal?.addEventListener("abort", fail)),
      },
      log: quietLog,
      mail: createMailer(smtp.url(), "Devflow <devflow@example.com>"),
      wrote: () => undefined,
    },
    { alertHosts: [] },
    "https://devflow.example.com",
  );
  work.start();
  // It looks at everything once, and then sleeps until it is stopped.
  const deadline = Date.now() + 30_000;
  for (let quiet = 0; quiet < 3 && Date.now() < deadline; ) {
    await Bun.sleep(50);
    const [row] = await admin`select count(*)::int as count from app.alert_messages where ended_at is null`;
    quiet = row?.count === 0 ? quiet + 1 : 0;
  }
  await work.stop();
}
const wanted = (since: string, zone: string, day: number, hour: number) => admin`
  insert into app.alert_settings (team_id, emails, time_zone, digest_day, digest_hour, digest_since)
  values (${team}, '{team@example.com}', ${zone}, ${day}, ${hour}, ${since})`;
const subjects = () => smtp.mails.map(({ subject }) => subject);

describe("the time of the digest", () => {
  test("is the team's day and hour in its zone, in summer and in winter", async () => {
    // Berlin: +02:00 until 25 October 2026, then +01:00. Monday at nine.
    await wanted("2026-10-01T00:00:00Z", "Europe/Berlin", 1, 9);
    await serveAt("2026-10-05T06:59:00Z");
    expect(subjects()).toEqual([]);
    await serveAt("2026-10-05T07:00:00Z");
    expect(subjects()).toEqual(["Engines & <b>Co</b>: the week 28 Sept 2026 to 5 Oct 2026"]);
    await serveAt("2026-11-02T07:30:00Z");
    // That of the week before was missed: late rather than never, and only the newest.
    expect(subjects()).toEqual([
      "Engines & <b>Co</b>: the week 28 Sept 2026 to 5 Oct 2026",
      "Engines & <b>Co</b>: the week 19 Oct 2026 to 26 Oct 2026",
    ]);
    await serveAt("2026-11-02T08:00:00Z");
    expect(subjects().at(-1)).toBe("Engines & <b>Co</b>: the week 26 Oct 2026 to 2 Nov 2026");
  }, 60_000);

  test("there is one per week: after restarts, with two servers at once, with another target, with another hour", async () => {
    await wanted("2026-10-01T00:00:00Z", "UTC", 1, 9);
    await Promise.all([serveAt("2026-10-05T09:00:00Z"), serveAt("2026-10-05T09:00:00Z")]);
    await serveAt("2026-10-06T09:00:00Z");
    await admin`update app.alert_settings set digest_hour = 12, digest_day = 2, emails = '{team@example.com,new@example.com}'`;
    await serveAt("2026-10-06T12:00:00Z");
    expect(smtp.mails).toHaveLength(1);
    await serveAt("2026-10-13T12:00:00Z");
    expect(smtp.mails.map(({ to }) => to[0]).sort()).toEqual([
      "new@example.com",
      "team@example.com",
      "team@example.com",
    ]);
  }, 60_000);

  test("a digest that was just turned on waits for its next time", async () => {
    await wanted("2026-10-05T10:00:00Z", "UTC", 1, 9);
    await serveAt("2026-10-06T00:00:00Z");
    expect(subjects()).toEqual([]);
  }, 60_000);

  test("a message that waited for three days is given up and not sent", async () => {
    await wanted("2026-10-01T00:00:00Z", "UTC", 1, 9);
    await admin`
      insert into app.alert_messages (team_id, key, target, kind, body, created_at, next_try_at)
      values (${team}, 'test:old', 'team@example.com', 'test', '{}', '2026-09-27', '2026-09-27')`;
    await serveAt("2026-10-01T00:00:00Z");
    expect(smtp.mails).toEqual([]);
    expect(await admin`select last_error, body from app.alert_messages`).toMatchObject([
      { last_error: "older than three days", body: null },
    ]);
  }, 60_000);
});

describe("what it says", () => {
  beforeAll(async () => {
    const at = (day: number) => `2026-10-${String(day).padStart(2, "0")}T12:00:00Z`;
    const runs = [
      evalRecords({ sha: "s1", at: at(1), outcomes: "p".repeat(20), usd: 1 }),
      evalRecords({ sha: "s2", at: at(6), outcomes: "ffpp", usd: 0.5 }),
      evalRecords({ sha: "s3", at: at(7), outcomes: "pppp", usd: 0.25, suite: 'tone <script>alert("x")</script>' }),
    ];
    const record = (kind: string, day: number, payload: object) => ({
      ...{ id: uuidv7(), kind, schema_version: 1, at: at(day), repo: "example.org/shop", payload },
    });
    const records = [
      ...runs.flatMap((run) => run.records),
      record("ship_log", 8, { version: "1.4.0", branch: "main", pr_url: "https://example.org/pr/7" }),
      record("ship_log", 8, { version: "9".repeat(90), branch: `feature/${"long-".repeat(40)}` }),
      record("ship_log", 2, { version: "1.3.0", branch: "main" }),
      record("qa_report", 9, { url: "http://x", mode: "full", health_score: 91 }),
      record("review_triage", 9, {
        date: "2026-10-09",
        reviewer: "r",
        outcome: "fp",
        file_pattern: "*",
        category: "c",
      }),
      record("review_triage", 9, {
        date: "2026-10-09",
        reviewer: "r",
        outcome: "fix",
        file_pattern: "*",
        category: "c",
      }),
      record("retro_snapshot", 9, { date: "2026-10-09", window: "7d", metrics: {}, tweetable: "47 commits, 12 ships" }),
    ];
    const answers = await asAda(
      (tx) => tx<{ status: string }[]>`select status from api.push_records(${team}, ${tx.json(records as never)})`,
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(["stored"]));
    await admin`
      insert into app.regressions (team_id, line, suite, branch, run_id, baseline, opened_at)
      values (${team}, 'l', 'support', 'main', ${runs[1]?.id ?? null}, '{}', ${at(6)})`;
  });

  test("the week's evals, ships, regressions, QA and reviews, against the week before", async () => {
    await wanted("2026-10-01T00:00:00Z", "UTC", 1, 9);
    await serveAt("2026-10-12T09:00:00Z");
    const mail = await smtp.nextMail("team@example.com");
    expect(mail.text).toMatchInlineSnapshot(`
      "Engines & <b>Co</b>: the week 5 Oct 2026 to 12 Oct 2026

      1 member, 2 ships, 2 eval runs, $0.75 for evals (the week before: $1.00). "47 commits, 12 ships"

      Regressions
        support  on main  still open

      Evals
        support (shop)                           50 %   −50.0 points  1 run
        tone <script>alert("x")</script> (shop)  100 %                1 run

      Shipped
        1.4.0 (shop)                                                         from main                                      Ada
        99999999999999999999999999999999999999999999999999999999999… (shop)  from feature/long-long-long-long-long-long-l…  Ada

      QA and reviews
        1 QA report        health 91
        2 judged findings  50 % false alarms

      More: https://devflow.example.com/team/pulse?team=engines
      "
    `);
    expect(/^Message-ID: <([0-9a-f]{40})@example.com>/m.test(mail.raw)).toBe(true);
  }, 60_000);

  test("a busy week is listed in part, and counted whole", async () => {
    const records = Array.from({ length: 60 }, (_, at) => ({
      ...{ id: uuidv7(), kind: "ship_log", schema_version: 1, at: "2026-11-10T12:00:00Z", repo: "example.org/shop" },
      payload: { version: `2.0.${at}`, branch: "main" },
    }));
    await asAda((tx) => tx`select status from api.push_records(${team}, ${tx.json(records as never)})`);
    await wanted("2026-10-01T00:00:00Z", "UTC", 1, 9);
    await serveAt("2026-11-16T09:00:00Z");
    const { text } = await smtp.nextMail("team@example.com");
    expect(text).toContain("1 member, 60 ships, 0 eval runs");
    expect(text.match(/^ {2}2\.0\.\d+ /gm)).toHaveLength(10);
    expect(text).toContain("… and 50 more");
  }, 60_000);

  test("an empty week says so", async () => {
    await wanted("2026-10-01T00:00:00Z", "UTC", 1, 9);
    await serveAt("2026-11-30T09:00:00Z");
    expect((await smtp.nextMail("team@example.com")).text).toContain("Nothing was shipped, and no evals were run.");
  }, 60_000);

  test("in a browser it is a page of tables without scripts, and fits a phone", async () => {
    await wanted("2026-10-01T00:00:00Z", "UTC", 1, 9);
    await serveAt("2026-10-12T09:00:00Z");
    const { html } = await smtp.nextMail("team@example.com");
    await using browser = await chromium.launch(testChromium());
    const page = await browser.newPage({ viewport: { width: 375, height: 900 } });
    const said: string[] = [];
    page.on("dialog", (dialog) => void said.push(dialog.message()));
    await page.setContent(html);
    expect(await page.locator("h1").innerText()).toBe("Engines & <b>Co</b>: the week 5 Oct 2026 to 12 Oct 2026");
    expect(await page.locator("h2").allInnerTexts()).toEqual(["Regressions", "Evals", "Shipped", "QA and reviews"]);
    expect(await page.locator("script, img, link").count()).toBe(0);
    expect(await page.locator("td", { hasText: "<script>" }).count()).toBe(1);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([said, width <= 375]).toEqual([[], true]);
  }, 60_000);
});
