/** What a team's records add up to: counted by hand here, and by the database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { testDatabase } from "@devflow/testkit";
import { type Claims, connectAsAdmin, type Transaction } from "./index.ts";

const { database, target, name, close } = await testDatabase({ poolSize: 6 });
const sql = connectAsAdmin(target, name);
afterAll(async () => {
  await sql.end();
  await close();
});

const [ann, bob] = [uuidv7<"user">(), uuidv7<"user">()];
const as = (sub: string): Claims => ({ sub, role: "authenticated" });
const dayMs = 86_400_000;
const noon = Math.floor(Date.now() / dayMs) * dayMs;
/** A moment `days` days ago; never in the future. */
const ago = (days: number, hours = 0): string =>
  new Date(days === 0 ? Date.now() - 1000 : noon - days * dayMs + hours * 3_600_000).toISOString();
const dayOf = (days: number): string => new Date(noon - days * dayMs).toISOString().slice(0, 10);
let team = "";

interface Made {
  readonly id?: string;
  readonly kind: string;
  readonly at?: string;
  readonly repo?: string;
  readonly payload: object;
}

async function push(records: readonly Made[], who: string = ann): Promise<void> {
  const rows = records.map((one) => ({
    id: uuidv7(),
    schema_version: 1,
    at: ago(0),
    repo: "github.com/acme/shop",
    ...one,
  }));
  const sent = new Date().toISOString();
  const answers = await database.withClaims(
    as(who),
    (tx) => tx<{ status: string; reason: string | null }[]>`
      select status, reason from api.push_records(${team}, ${tx.json(rows as never)}, ${sent}::timestamptz)`,
  );
  expect(answers.filter(({ status }) => status !== "stored")).toEqual([]);
}

interface Run {
  readonly suite?: string;
  readonly at: string;
  readonly results: readonly { readonly name: string; readonly status: string; readonly scores?: object }[];
  readonly usd?: number;
  readonly repo?: string;
  readonly branch?: string;
}

/** An eval run and its results. */
function evalRun({
  suite = "mail",
  at,
  results,
  usd = 0,
  repo = "github.com/acme/shop",
  branch = "main",
}: Run): Made[] {
  const id = uuidv7();
  const count = (status: string) => results.filter((one) => one.status === status).length;
  const totals = {
    total: results.length,
    passed: count("pass"),
    failed: count("fail"),
    errors: count("error"),
    skipped: count("skipped"),
  };
  const run = { suite, runId: id, label: "l", tier: "standard", at, gitBranch: branch, model: "m-1", totals };
  const cost = {
    models: [{ model: "m-1", calls: 1, inputTokens: 10, outputTokens: 1, actualUsd: usd, estimatedUsd: 0 }],
    actualUsd: usd,
    estimatedUsd: 0,
  };
  return [
    { id, kind: "eval_run", at, repo, payload: { run, summary: { cost } } },
    { kind: "eval_results", at, repo, payload: { run: id, suite, index: 0, last: true, results } },
  ];
}
const cases = (passed: number, failed: number) => [
  ...Array.from({ length: passed }, (_, n) => ({ name: `good ${n}`, status: "pass", scores: { tone: 0.9 } })),
  ...Array.from({ length: failed }, (_, n) => ({
    name: `bad ${n}`,
    status: "fail",
    scores: { tone: 0.9, brevity: 0.2 },
  })),
];

/** The function's answer as the data plane sends it. */
async function ask(fn: string, args: Record<string, unknown> = {}, who: string = ann) {
  const names = Object.keys(args);
  const list = names.map((key, at) => `${key} => $${at + 2}`).join(", ");
  const [row] = await database.withClaims(as(who), (tx: Transaction) =>
    tx.unsafe(`select to_json(f) as answer from api.${fn}(team_id => $1${list ? `, ${list}` : ""}) f`, [
      team,
      ...(Object.values(args) as string[]),
    ]),
  );
  return row?.answer;
}

beforeAll(async () => {
  await database.asEngine(async (tx) => {
    await tx`select app.ensure_user(${ann}, 'Ann')`;
    await tx`select app.ensure_user(${bob}, 'Bob')`;
  });
  await database.withClaims(as(ann), async (tx) => {
    const [made] = await tx<{ id: string }[]>`select id from api.create_team('Acme')`;
    team = made?.id ?? "";
  });
  await sql`insert into app.team_members (team_id, user_id, role) values (${team}, ${bob}, 'member')`;
});

describe("evals", () => {
  test("add up by day, whether a day has been recomputed or not, and again after a record is erased", async () => {
    const doomed = evalRun({ at: ago(3, 12), results: cases(0, 10), usd: 5 });
    await push([
      ...evalRun({ at: ago(1, 12), results: cases(8, 2), usd: 1 }),
      ...evalRun({ at: ago(2, 12), results: cases(9, 1), usd: 2 }),
      ...evalRun({ at: ago(0), results: [...cases(3, 1), { name: "later", status: "skipped" }] }),
      ...doomed,
      ...evalRun({ at: ago(20, 12), results: cases(1, 1), usd: 7 }),
    ]);
    const totals = async () => {
      const { eval_runs, pass, usd } = await ask("team_overview", { days: 14 });
      return [eval_runs, [pass.now.hits, pass.now.of], [pass.before.hits, pass.before.of], usd];
    };
    const wanted = [{ now: 4, before: 1 }, [20, 34], [1, 2], { now: 8, before: 7 }];
    const dirty = () => sql`select distinct day from app.rollup_dirty where team_id = ${team}`;
    expect(await dirty()).toHaveLength(5);
    // A reader in a transaction that may not write counts all days itself.
    await database.withClaims(as(ann), async (tx) => {
      await tx`set transaction read only`;
      const [row] =
        await tx`select (f.pass -> 'now' ->> 'hits')::int as hits from api.team_overview(${team}, days => 14) f`;
      expect(row?.hits).toBe(20);
    });
    expect(await dirty()).toHaveLength(5);
    expect(await totals()).toEqual(wanted);
    // Only today is left.
    expect(await dirty()).toHaveLength(1);
    expect(await totals()).toEqual(wanted);
    await database.withClaims(as(ann), (tx) => tx`select api.forget_record(${team}, ${doomed[0]?.id ?? ""})`);
    expect(await totals()).toEqual([{ now: 3, before: 1 }, [20, 24], [1, 2], { now: 3, before: 7 }]);
    expect(await sql`select from app.eval_days where team_id = ${team} and day = ${dayOf(3)}`).toHaveLength(0);
  });

  test("a run that is written while its day is recomputed is not lost", async () => {
    const at = ago(5, 12);
    await push(evalRun({ suite: "race", at, results: cases(1, 0) }));
    const before = await ask("eval_trend", { days: 30, suite: "race" });
    const late = evalRun({ suite: "race", at, results: cases(0, 4) });
    await database.withClaims(as(bob), async (tx) => {
      const rows = late.map((one) => ({ id: uuidv7(), schema_version: 1, ...one }));
      await tx`select api.push_records(${team}, ${tx.json(rows as never)}, ${new Date().toISOString()}::timestamptz)`;
      // The writer is not done: another reader recomputes everything that is dirty.
      await sql`select app.refresh_days(${team}, ${dayOf(-1)})`;
      expect(await ask("eval_trend", { days: 30, suite: "race" })).toEqual(before);
    });
    const { suites } = await ask("eval_trend", { days: 30, suite: "race" });
    expect(
      suites.map(({ runs, pass }: { runs: number; pass: { hits: number; of: number } }) => [runs, pass.hits, pass.of]),
    ).toEqual([[2, 1, 5]]);
  });

  test("what the AI struggles with: the weakest criterion and case come first, with their intervals", async () => {
    const { criteria, cases: found } = await ask("eval_struggles", { days: 14, suite: "mail" });
    expect(criteria).toEqual([
      { suite: "mail", criterion: "brevity", score: { of: 4, mean: 0.2, low: 0.2, high: 0.2 }, before: 0.2 },
      { suite: "mail", criterion: "tone", score: { of: 24, mean: 0.9, low: 0.9, high: 0.9 }, before: 0.9 },
    ]);
    expect(found).toEqual([
      { suite: "mail", name: "bad 0", failed: { hits: 3, of: 3, rate: 1, low: 0.438503, high: 1 } },
      { suite: "mail", name: "bad 1", failed: { hits: 1, of: 1, rate: 1, low: 0.206549, high: 1 } },
    ]);
  });

  test("a trend has one point per day or week, and its filters narrow it", async () => {
    await push(
      evalRun({ suite: "mail", at: ago(1, 13), results: cases(1, 0), repo: "github.com/acme/app", branch: "dev" }),
    );
    const of = async (args: object) =>
      (await ask("eval_trend", { days: 14, suite: "mail", ...args })).suites.map(
        ({ runs, points }: { runs: number; points: unknown[] }) => [runs, points.length],
      );
    expect(await of({})).toEqual([[4, 3]]);
    expect(await of({ repo: "app" })).toEqual([[1, 1]]);
    expect(await of({ repo: "github.com/acme/shop" })).toEqual([[3, 3]]);
    expect(await of({ branch: "dev" })).toEqual([[1, 1]]);
    expect(await of({ model: "other" })).toEqual([]);
    const year = await ask("eval_trend", { days: 365, suite: "mail" });
    expect([year.unit, new Date(year.since).getUTCDay(), year.branches]).toEqual(["week", 1, ["dev", "main"]]);
  });
});

test("costs: by day, model and suite, and per ship", async () => {
  const { evals, per_ship, models, suites, agents } = await ask("costs", { days: 14 });
  expect({ evals, per_ship, agents }).toEqual({
    evals: { now: 3, before: 7 },
    per_ship: { now: null, before: null },
    agents: { now: 0, before: 0 },
  });
  expect(models).toEqual([{ model: "m-1", calls: 6, input_tokens: 60, output_tokens: 6, usd: 3 }]);
  expect(suites[0]).toEqual({ suite: "mail", runs: 4, results: 25, usd: 3, before: 7 });
});

test("velocity: lead time, the ships that a later one repaired, and the time until then", async () => {
  const ship = (version: string, at: string, more: object = {}): Made => ({
    kind: "ship_log",
    at,
    payload: { version, branch: "main", ...more },
  });
  await push([
    ship("1.0", ago(6, 1), { lead_seconds: 7200, commits: 3 }),
    ship("1.1", ago(5, 1), { lead_seconds: 3600 }),
    ship("1.2", ago(4, 1), { lead_seconds: "soon", fixes: ["1.1"] }),
    ship("1.3", ago(3, 1), { lead_seconds: 36_000, fixes: ["0.9"] }),
    ship("0.9", ago(40, 1)),
    { ...ship("1.1", ago(5, 2)), repo: "github.com/acme/app" },
  ]);
  const { ships, lead_hours, change_fail, rework, restore_hours, repos } = await ask("velocity", { days: 14 });
  expect(ships).toEqual({ now: 5, before: 0 });
  expect(lead_hours.now).toEqual({ of: 3, median: 2, low: 1, high: 10, p90: 10 });
  expect([change_fail.now.hits, change_fail.now.of, rework.now.hits]).toEqual([1, 5, 2]);
  expect(restore_hours.now).toMatchObject({ of: 1, median: 24 });
  expect(repos.map(({ name, ships: own }: { name: string; ships: number }) => [name, own])).toEqual([
    ["shop", 4],
    ["app", 1],
  ]);
  const costs = await ask("costs", { days: 14 });
  expect(costs.per_ship.now).toBe(0.6);
});

test("QA health and the signal of reviews", async () => {
  const qa = (score: number, days: number): Made => ({
    kind: "qa_report",
    at: ago(days, 3),
    payload: { url: "https://shop.example", mode: "full", health_score: score, issues: [{}, {}] },
  });
  await push([qa(80, 3), qa(90, 2), qa(70, 9)]);
  const health = await ask("qa_health", { days: 7 });
  expect(health.score).toMatchObject({ reports: 2, now: { of: 2, mean: 85 }, before: { of: 1, mean: 70 } });
  expect(health.sites).toEqual([
    expect.objectContaining({ url: "https://shop.example", reports: 2, score: 90, before: 80, issues: 2 }),
  ]);
  const triage = (outcome: string, category: string): Made => ({
    kind: "review_triage",
    payload: { date: dayOf(1), reviewer: "greptile", outcome, file_pattern: "*.ts", category },
  });
  await push(
    [triage("fp", "style"), triage("fp", "style"), triage("fix", "race"), triage("already-fixed", "race")],
    bob,
  );
  const signal = await ask("review_signal", { days: 7 });
  expect(signal.false_alarms.now).toMatchObject({ hits: 2, of: 4, rate: 0.5 });
  expect(
    signal.categories.map(({ name: one, false_alarms }: { name: string; false_alarms: { rate: number } }) => [
      one,
      false_alarms.rate,
    ]),
  ).toEqual([
    ["race", 0],
    ["style", 1],
  ]);
  expect(signal.reviewers).toMatchObject([{ name: "greptile", findings: 4, fixed: 1, already_fixed: 1 }]);
});

test("the leaderboard names those who asked for it, and nobody else", async () => {
  const first = await ask("leaderboard", { days: 14 });
  expect([first.joined, first.people, first.others]).toEqual([false, [], 2]);
  expect(first.totals).toMatchObject({ ships: 5, reviews: 4, usd: 3, usd_per_ship: 0.6 });
  await database.withClaims(as(bob), (tx) => tx`select api.set_leaderboard(${team}, true)`);
  await database.withClaims(as(bob), (tx) => tx`select api.set_leaderboard(${team}, true)`);
  const second = await ask("leaderboard", { days: 14 }, bob);
  expect([second.joined, second.others]).toEqual([true, 1]);
  expect(second.people).toMatchObject([{ name: "Bob", reviews: 4, ships: 0, eval_runs: 1 }]);
  await database.withClaims(as(bob), (tx) => tx`select api.set_leaderboard(${team}, false)`);
  expect((await ask("leaderboard", { days: 14 })).people).toEqual([]);
});

test("how agents are used: numbers for everybody, names only of those who asked for it", async () => {
  const cy = uuidv7();
  await sql`insert into app.users (id, name) values (${cy}, 'Cy')`;
  await sql`insert into app.team_members (team_id, user_id, role) values (${team}, ${cy}, 'member')`;
  const said = (text: string) => ({ role: "user", text, tools: [] });
  const part = (session_id: string, messages: object[], tools: object): Made => ({
    kind: "transcript",
    payload: { session_id, turns: messages.length, tools, started_at: ago(1, 9), messages },
  });
  // One session in two parts; one that was stopped; one that only answered.
  const long = [said("x".repeat(100)), { role: "assistant", text: "ok", tools: ["Edit"] }];
  await push([part("s1", long, { Edit: 2, Read: 3 }), part("s1", [said("x".repeat(300))], { Bash: 1 })], bob);
  await push(
    [part("s2", [said("x".repeat(40)), said("[Request interrupted by user for tool use]")], { Read: 1 })],
    bob,
  );
  await push([part("s3", [said("why?")], {})], cy);
  await push([{ kind: "transcript", payload: { session_id: "odd", turns: 1, tools: {}, messages: "none" } }], cy);
  const seen = await ask("agent_usage", { days: 7 }, cy);
  expect(seen.totals).toMatchObject({
    sessions: 4,
    turns: { of: 4, median: 1 },
    prompt_chars: { of: 3, median: 40 },
    changed: { hits: 1, of: 4 },
    interrupted: { hits: 1, of: 4 },
  });
  expect(seen.tools).toEqual([
    { name: "Read", calls: 4, sessions: 2 },
    { name: "Edit", calls: 2, sessions: 1 },
    { name: "Bash", calls: 1, sessions: 1 },
  ]);
  const names = async (who: string) => {
    const { people, others } = await ask("agent_usage", { days: 7 }, who);
    return [people.map((one: { name: string; sessions: number }) => [one.name, one.sessions]), others];
  };
  expect(await names(cy)).toEqual([[["Cy", 2]], 1]);
  expect(await names(ann)).toEqual([
    [
      ["Bob", 2],
      ["Cy", 2],
    ],
    0,
  ]);
  await database.withClaims(as(bob), (tx) => tx`select api.set_leaderboard(${team}, true)`);
  expect(await names(cy)).toEqual([
    [
      ["Bob", 2],
      ["Cy", 2],
    ],
    0,
  ]);
  await database.withClaims(as(bob), (tx) => tx`select api.set_leaderboard(${team}, false)`);
  expect((await ask("agent_usage", { days: 7 }, ann)).people[0].weeks).toHaveLength(1);
  // What was erased counts no more, and nobody's text is in the answer.
  expect(JSON.stringify(seen)).not.toContain("xxx");
  const [third] = await sql`select id from app.transcripts where session_id = 's3'`;
  await database.withClaims(as(cy), (tx) => tx`select api.forget_record(${team}, ${third?.id})`);
  expect((await ask("agent_usage", { days: 7 }, ann)).totals.sessions).toBe(3);
  await sql`delete from app.records where kind = 'transcript' and team_id = ${team}`;
});

test("weak cases are those of the results themselves, by weeks, days and dirty days alike, and again after an erasure", async () => {
  const run = (days: number, failed: number, more: Partial<Run> = {}) =>
    evalRun({ suite: "weeks", at: ago(days, 12), results: cases(12, failed), ...more });
  const doomed = run(17, 1, { results: [{ name: "canary case", status: "fail" }] });
  await push([...Array.from({ length: 40 }, (_, n) => run(n, (n % 5) + 1)).flat(), ...doomed]);
  await push([...run(25, 3, { repo: "github.com/acme/app" }), ...run(9, 0, { suite: "calm" })]);
  const counted = async (days: number, repo: string | null, suite: string | null) => {
    const [row] = await sql`
      select coalesce(jsonb_agg(jsonb_build_object('suite', f.suite, 'name', f.name, 'failed', f.failed)
               order by f.low desc, f.suite, f.name), '[]') as list
      from (
        select c.suite, c.name, c.failed, (c.failed ->> 'low')::float8 as low from (
          select e.suite, t.name, app.rate(count(*) filter (where t.status = 'fail'), count(*)) as failed
          from app.eval_runs e join app.eval_results t on t.team_id = e.team_id and t.run_id = e.id
          left join app.repos r on r.id = e.repo_id
          where e.team_id = ${team} and e.complete_at is not null and t.status in ('pass', 'fail')
            and app.day_of(e.ran_at) >= (app.metric_window(${days})).since
            and (${repo}::text is null or r.name = ${repo}) and (${suite}::text is null or e.suite = ${suite})
          group by 1, 2 having bool_or(t.status = 'fail')) c
        order by 4 desc, 1, 2 limit 20) f`;
    return row?.list;
  };
  const windows: [number, string | null, string | null][] = [
    [1, null, null],
    [10, null, null],
    [30, "app", null],
    [31, null, "weeks"],
    [60, null, null],
    [90, "shop", "weeks"],
  ];
  const agree = async () => {
    for (const [days, repo, suite] of windows) {
      const { cases: found } = await ask("eval_struggles", { days, repo, suite });
      expect({ days, found }).toEqual({ days, found: await counted(days, repo, suite) });
    }
  };
  const named = async (what: string) => {
    const [row] = await sql`
      select (select count(*)::int from app.eval_case_days where name = ${what}) as days,
             (select count(*)::int from app.eval_case_weeks where name = ${what}) as weeks`;
    return { ...row };
  };
  // 40 days were dirty, of which a question recomputes 31.
  await agree();
  await agree();
  expect(await named("canary case")).toEqual({ days: 1, weeks: 1 });
  await push(run(10, 9));
  await agree();
  await sql`insert into app.rollup_dirty (team_id, what, day) values (${team}, 'evals', ${dayOf(12)})`;
  await database.withClaims(as(ann), async (tx) => {
    await tx`set transaction read only`;
    const [row] = await tx`select cases from api.eval_struggles(${team}, days => 60)`;
    expect(row?.cases).toEqual(await counted(60, null, null));
  });
  await database.withClaims(as(ann), (tx) => tx`select api.forget_record(${team}, ${doomed[0]?.id ?? ""})`);
  expect(await named("canary case")).toEqual({ days: 0, weeks: 0 });
  await agree();
  await sql`delete from app.records where team_id = ${team} and id in (
    select id from app.eval_runs where suite in ('weeks', 'calm'))`;
  await agree();
});

describe("hot files", () => {
  const edit = (file: string, days: number, more: Partial<Made> & { agent?: number } = {}): Made => {
    const { agent = 1, ...rest } = more;
    const id = `${String(agent).repeat(8)}-1111-5111-8111-111111111111`;
    const who = { id, host: "claude", machine: "box", session: String(agent) };
    return {
      ...{ kind: "agent_edit", id: uuidv7(), at: ago(days, 12), ...rest },
      payload: { agent: who, file, tool: "Edit", lines: [[1, 2]], branch: "main", commit: null, via: "edit" },
    };
  };
  const counted = async (days: number, repo: string | null) =>
    (
      await sql`
        select jsonb_build_object('file', f.path, 'repo', r.canonical, 'edits', count(*), 'people', count(distinct e.user_id),
          'agents', count(distinct e.agent_id), 'last_at', max(e.at), 'intents', 0, 'features', '[]'::jsonb) as one
        from app.edits e join app.files f on f.id = e.file_id join app.repos r on r.id = e.repo_id
        where e.team_id = ${team} and e.at > now() - make_interval(days => ${days}) and (${repo}::text is null or r.canonical = ${repo})
        group by f.id, f.path, r.canonical order by count(distinct e.agent_id) desc, count(*) desc, f.path`
    ).map(({ one }) => one);
  const found = (days: number, repo: string | null, tx?: Transaction) => {
    const asked = (by: Transaction) => by`select f as one from api.hot_files(${team}, ${repo}, ${days}) f`;
    return (tx ? asked(tx) : database.withClaims(as(ann), asked)).then((rows) => rows.map(({ one }) => one));
  };
  const agree = async () => {
    for (const days of [1, 3, 7, 60, 365]) {
      for (const repo of [null, "github.com/acme/app", "github.com/acme/none"]) {
        expect({ days, repo, found: await found(days, repo) }).toEqual({
          days,
          repo,
          found: await counted(days, repo),
        });
      }
    }
  };
  const dirty = () => sql`select day from app.rollup_dirty where team_id = ${team} and what = 'edits'`;

  test("are those of the edits themselves, whether a day has been recomputed or not, and again after an erasure", async () => {
    const doomed = edit("src/doomed.ts", 5, { agent: 3 });
    await push([
      ...Array.from({ length: 40 }, (_, n) => [edit("src/a.ts", n), edit(`src/${n % 7}.ts`, n, { agent: 2 })]).flat(),
      edit("src/a.ts", 2, { repo: "github.com/acme/app" }),
      doomed,
    ]);
    await push([edit("src/a.ts", 2, { agent: 2 }), edit("src/a.ts", 0), edit("src/b.ts", 200)], bob);
    // A note per day, and not one per push.
    expect(await dirty()).toHaveLength(41);
    await database.withClaims(as(ann), async (tx) => {
      await tx`set transaction read only`;
      expect(await found(7, null, tx)).toEqual(await counted(7, null));
    });
    await agree();
    expect(await dirty()).toHaveLength(1);
    await agree();
    const kept = () => sql`select from app.edit_days where team_id = ${team} and day = ${dayOf(5)}`;
    expect(await kept()).toHaveLength(3);
    await database.withClaims(as(ann), (tx) => tx`select api.forget_record(${team}, ${doomed.id ?? ""})`);
    expect(await kept()).toHaveLength(2);
    await agree();
    await sql`delete from app.records where team_id = ${team} and kind = 'agent_edit' and at < ${ago(3)}`;
    await agree();
  });

  test("an edit that is written while its day is recomputed is not lost, also if the day had a note before", async () => {
    for (const isNoted of [false, true]) {
      if (isNoted) await push([edit("src/late.ts", 2)]);
      await database.withClaims(as(bob), async (tx) => {
        const rows = [{ schema_version: 1, repo: "github.com/acme/shop", ...edit("src/late.ts", 2) }];
        await tx`select api.push_records(${team}, ${tx.json(rows as never)}, ${new Date().toISOString()}::timestamptz)`;
        // The writer is not done: another reader recomputes everything that is dirty.
        await sql`select app.refresh_edit_days(${team}, ${dayOf(-1)})`;
        expect(await found(7, null)).toEqual(await counted(7, null));
      });
      await agree();
    }
    await sql`delete from app.records where team_id = ${team} and kind = 'agent_edit'`;
    await agree();
  });
});

test("a regression counts as fixed for whoever brings the failures back down", async () => {
  await database.withClaims(as(ann), (tx) => tx`select api.set_leaderboard(${team}, true)`);
  const fixedByAnn = async () => (await ask("leaderboard")).people[0].regressions_fixed;
  const before = await fixedByAnn();
  await push(evalRun({ suite: "reg", at: ago(2, 1), results: cases(10, 0) }), bob);
  await push(evalRun({ suite: "reg", at: ago(2, 2), results: cases(7, 3) }), bob);
  // Better than the run before, and not yet back.
  await push(evalRun({ suite: "reg", at: ago(2, 3), results: cases(8, 2) }), ann);
  expect(await fixedByAnn()).toBe(before);
  await push(evalRun({ suite: "reg", at: ago(2, 4), results: cases(5, 5) }), bob);
  await push(evalRun({ suite: "reg", at: ago(2, 5), results: cases(9, 1) }), ann);
  expect(await fixedByAnn()).toBe(before + 1);
});

describe("the records behind a number", () => {
  const list = async (args: Record<string, unknown>, who: string = ann) =>
    database.withClaims(as(who), (tx) => {
      const keys = Object.keys(args);
      const rest = keys.map((key, at) => `, ${key} => $${at + 2}`).join("");
      return tx.unsafe(`select * from api.activity(team_id => $1${rest})`, [
        team,
        ...(Object.values(args) as string[]),
      ]);
    });

  test("are as many as the number says", async () => {
    const { eval_runs, ships } = await ask("team_overview", { days: 14 });
    const since = dayOf(13);
    expect(await list({ kinds: "{eval_run}", since })).toHaveLength(eval_runs.now);
    expect(await list({ kinds: "{ship_log}", since })).toHaveLength(ships.now);
    expect(await list({ kinds: "{ship_log}", since, which: "failed" })).toHaveLength(1);
    expect(await list({ kinds: "{ship_log}", since, which: "fixes" })).toHaveLength(2);
    expect(await list({ which: "false_alarms", category: "style" })).toHaveLength(2);
    expect(await list({ suite: "mail", case_name: "bad 0", since })).toHaveLength(3);
    expect(await list({ repo: "app", kinds: "{ship_log}" })).toHaveLength(1);
    expect((await list({ url: "https://shop.example" })).map(({ facts }) => facts.score)).toEqual([90, 80, 70]);
    expect((await list({ user_id: bob, kinds: "{review_triage}" })).map(({ by_name }) => by_name)).toEqual(
      Array.from({ length: 4 }, () => "Bob"),
    );
  });

  test("come page by page, each once", async () => {
    const all = await list({ max_rows: 200 });
    const seen: string[] = [];
    for (let page = await list({ max_rows: 4 }); page.length > 0; ) {
      seen.push(...page.map(({ id }) => id));
      const last = page.at(-1);
      const [exact] = await sql`select at::text as at from app.records where id = ${last?.id}`;
      page = await list({ max_rows: 4, before_at: exact?.at, before_id: last?.id });
    }
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  test("include a transcript for its author and the admins only, in the list and by its id", async () => {
    const id = uuidv7();
    await push([{ id, kind: "transcript", payload: { session_id: "s", turns: 2 } }], bob);
    const cid = uuidv7();
    await sql`insert into app.users (id, name) values (${cid}, 'Cid')`;
    await sql`insert into app.team_members (team_id, user_id, role) values (${team}, ${cid}, 'member')`;
    const seen = async (who: string) => [
      (await list({ kinds: "{transcript}" }, who)).length,
      await ask("record", { id }, who).then(
        (one) => one.kind,
        (error) => error.code,
      ),
    ];
    expect([await seen(ann), await seen(bob), await seen(cid)]).toEqual([
      [1, "transcript"],
      [1, "transcript"],
      [0, "PT404"],
    ]);
  });

  test("show an eval run with its results, failures first", async () => {
    const [row] = await list({ suite: "mail", since: dayOf(1), until: dayOf(1), repo: "shop" });
    const { results, payload } = await ask("record", { id: row?.id });
    expect([payload.run.totals.total, results.length, results[0].name, results.at(-1).status]).toEqual([
      10,
      10,
      "bad 0",
      "pass",
    ]);
  });
});

test("an unknown repository, a window of no days and another filter are refused with what is wrong", async () => {
  const fault = (fn: string, args: object) =>
    ask(fn, args as Record<string, unknown>).catch((error) => [error.code, error.message]);
  expect(await fault("velocity", { repo: "nope" })).toEqual(["PT404", 'the team has no repository "nope"']);
  expect(await fault("costs", { days: 0 })).toEqual(["22023", "days is a number from 1 to 366"]);
  expect(await fault("activity", { which: "x" })).toEqual(["22023", "which is failed, fixes or false_alarms"]);
});

test("deleting a team deletes its days", async () => {
  await sql`delete from app.teams where id = ${team}`;
  const [left] = await sql`
    select (select count(*)::int from app.eval_days) + (select count(*)::int from app.eval_case_weeks)
      + (select count(*)::int from app.edit_days) + (select count(*)::int from app.rollup_dirty) as rows`;
  expect(left?.rows).toBe(0);
});
