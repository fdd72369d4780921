/** Every table and function, tried by a member, a member of another team, an unknown person and an anonymous caller. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { testDatabase } from "@devflow/testkit";
import { type Claims, connectAsAdmin, type Transaction } from "./index.ts";

const { database, target, name, close } = await testDatabase();
const sql = connectAsAdmin(target, name);
afterAll(async () => {
  await sql.end();
  await close();
});

const ann = uuidv7<"user">();
const eve = uuidv7<"user">();
const [bea, cid] = [uuidv7<"user">(), uuidv7<"user">()];
const callers: Record<string, Claims> = {
  "another team's member": { sub: eve, role: "authenticated" },
  "a person nobody knows": { sub: uuidv7(), role: "authenticated" },
  "claims without a person": { role: "authenticated" },
  "an anonymous caller": { role: "anon" },
};
const member: Claims = { sub: ann, role: "authenticated" };
let team = "";
let repo = "";
let shipped = "";
const agent = { id: uuidv7<"agent">(), host: "claude", session: "s", machine: "m" };
/** Made from the records of every kind. */
let decision = "";

beforeAll(async () => {
  await database.asEngine(async (tx) => {
    await tx`select app.ensure_user(${ann}, 'Ann', 'ann@example.org')`;
    await tx`select app.ensure_user(${eve}, 'Eve')`;
  });
  await database.withClaims(member, async (tx) => {
    const [made] = await tx<{ id: string }[]>`select id from api.create_team('Ann''s team')`;
    team = made?.id ?? "";
    const [kept] = await tx<{ id: string }[]>`select id from api.register_repo(${team}, 'site')`;
    repo = kept?.id ?? "";
    await tx`select api.ping(${team})`;
  });
  await database.withClaims(callers["another team's member"]!, (tx) => tx`select api.create_team('Eve''s team')`);
  for (const [id, name] of [
    [bea, "Bea"],
    [cid, "Cid"],
  ] as const) {
    await sql`insert into app.users (id, name) values (${id}, ${name})`;
    await sql`insert into app.team_members (team_id, user_id, role) values (${team}, ${id}, 'member')`;
  }
  await makeRun();
  await pushEveryKind();
  await sql`insert into app.retention (team_id, kind, days) values (${team}, 'transcript', 30)`;
  await sql`
    insert into app.regressions (team_id, line, suite, run_id, baseline, opened_at)
    select team_id, 'l', suite, id, '{}', now() from app.eval_runs where team_id = ${team}`;
  await database.withClaims(member, (tx) => tx`select api.heartbeat(${team}, ${tx.json(agent)})`);
});

/** One record of every kind, so that every table that is made from records has a row. */
async function pushEveryKind(): Promise<void> {
  const run = uuidv7();
  decision = run;
  const at = new Date().toISOString();
  const totals = { total: 1, passed: 1, failed: 0, errors: 0, skipped: 0 };
  const cost = { models: [{ model: "m", calls: 1, actualUsd: 0, estimatedUsd: 1 }], actualUsd: 0, estimatedUsd: 1 };
  const gate = { run_id: run, request_id: run, epoch: 1 };
  const made = { agent, files: ["a"], features: ["f"], branch: "b" };
  const payloads: [string, object][] = [
    ["eval_run", { run: { suite: "s", runId: "r", label: "l", tier: "full", at, totals }, summary: { cost } }],
    [
      "eval_results",
      { run, suite: "s", index: 0, last: true, results: [{ name: "c", status: "pass", scores: { x: 1 } }] },
    ],
    ["retro_snapshot", { date: "2026-11-16", window: "7d" }],
    ["review_triage", { date: "2026-11-16", reviewer: "r", outcome: "fp", file_pattern: "*", category: "c" }],
    ["qa_report", { url: "http://x", mode: "full" }],
    ["ship_log", { version: "1", branch: "main" }],
    ["transcript", { session_id: "s", turns: 1 }],
    ["run_progress", { run_id: run, rev: 1, state: "running", title: "t" }],
    ["approval_request", { ...gate, rev: 1, state: "pending" }],
    ["verdict", { ...gate, action: "approve" }],
    ["verdict_answer", { verdict_id: run, outcome: "applied" }],
    ["ping", {}],
    [
      "intent",
      {
        ...made,
        intent_id: run,
        rev: 1,
        state: "active",
        text: "t",
        source: "person",
        confidence: 1,
        decisions: [run],
      },
    ],
    ["decision", { ...made, decision_id: run, rev: 1, type: "decision", title: "t", body: "", state: "accepted" }],
    ["decision_event", { decision_id: run, event: "created" }],
    ["handoff", { ...made, text: "t", source: "auto" }],
    ["agent_edit", { agent, file: "a", tool: "Edit", lines: [[1, 2]], branch: "b", commit: null, via: "edit" }],
    ["agent_read", { agent, files: [{ path: "a", hash: "h" }], decisions: [{ id: run, rev: 1 }] }],
    ["feature_tag", { feature: "f", files: ["a"], decisions: [run] }],
  ];
  const records = payloads.map(([kind, payload]) => ({
    ...{ id: kind === "eval_run" ? run : uuidv7(), kind, schema_version: 1, at, repo: "github.com/acme/site", payload },
  }));
  const answers = await database.withClaims(
    member,
    (tx) =>
      tx<
        { status: string; reason: string | null }[]
      >`select status, reason from api.push_records(${team}, ${tx.json(records as never)})`,
  );
  expect(answers.map(({ status, reason }) => [status, reason])).toEqual(
    records.map((): [string, null] => ["stored", null]),
  );
  shipped = records.find(({ kind }) => kind === "ship_log")?.id ?? "";
  // Days that are counted, and one that is dirty again.
  await sql`select app.refresh_days(${team}, current_date + 2)`;
  await sql`select app.refresh_edit_days(${team}, current_date + 2)`;
  await sql`insert into app.rollup_dirty (team_id, what, day) values (${team}, 'evals', current_date)`;
  await database.withClaims(member, (tx) => tx`select api.set_leaderboard(${team}, true)`);
}

/** Definitions that every signed-in person may read; they belong to no team. */
const shared = ["workflow_templates", "agent_personas"];

/** Secrets and sign-ins: no request may read them, whoever sends it; functions decide. */
const closed = [
  "access_tokens",
  "alert_messages",
  "alert_settings",
  "device_requests",
  "eval_checks",
  "invites",
  "one_time_links",
  "run_wakes",
  "sign_ins",
];
/** Of these, those whose key is the team. */
const closedByTeam = ["alert_messages", "alert_settings", "eval_checks", "run_wakes"];

/** One row in every table of a run, inserted as the owner of the cluster. */
async function makeRun(): Promise<void> {
  const id = uuidv7();
  const about = { run_id: id, team_id: team };
  const [template] = await sql`
    insert into app.workflow_templates (name, version, hash, definition) values ('t', 1, 'h', '{}') returning id`;
  const [persona] = await sql`
    insert into app.agent_personas (name, version, hash, definition) values ('p', 1, 'h', '{}') returning id`;
  const made = { id, team_id: team, started_by: ann, host: "here", template_id: template?.id, template_hash: "h" };
  const place = {
    repo_path: "/r",
    base_branch: "main",
    base_commit: "c",
    branch: "b",
    worktree_root: "/w",
    folder: "/f",
  };
  await sql`insert into app.runs ${sql({ ...made, ...place, repo_key: "r", root_run_id: id, title: "A run", state: "created", client_token: "c" })}`;
  await sql`insert into app.run_wakes ${sql(about)}`;
  await sql`insert into app.run_files ${sql({ ...about, kind: "diff", content: "x" })}`;
  await sql`insert into app.run_removals ${sql({ ...about, host: "box", what: "worktree", asked_by: sql.json({}) })}`;
  const machine = { host: "box", name: "Box", version: "1", places: 1, workspace_root: "/w", public_key: "k" };
  await sql`insert into app.hosts ${sql({ team_id: team, ...machine, suspect_ms: 1000, lost_ms: 2000 })}`;
  await sql`insert into app.run_inputs ${sql({ ...about, requirements_md: "x", input_hash: "h" })}`;
  const binding = { role_id: "coder", persona_id: persona?.id, persona_hash: "h", backend: "fake", binding_hash: "h" };
  await sql`insert into app.run_bindings ${sql({ ...about, ...binding, binding_content_hash: "h" })}`;
  await sql`insert into app.run_phases ${sql({ ...about, id, phase_key: "k", seq: 1, kind: "work", state: "pending" })}`;
  await sql`
    insert into app.run_events (run_id, team_id, seq, type, payload, idempotency_key, actor, ts, prev_hash, hash)
    values (${id}, ${team}, 1, 'run.completed', '{}', 'k', '{}', now(), '', 'h')`; // and by it a row of notifications
  const approval = { gate_key: "g", kind: "gate", state: "pending", idempotency_key: "k" };
  await sql`insert into app.approval_requests ${sql({ ...about, id, ...approval })}`;
  await sql`
    insert into app.approval_decisions (id, approval_request_id, team_id, action, actor, idempotency_key)
    values (${id}, ${id}, ${team}, 'approve', '{}', 'k')`;
  const session = { role_id: "coder", backend: "fake", adapter: "fake", cwd: "/w", state: "READY" };
  await sql`insert into app.sessions ${sql({ ...about, id, ...session, handle: sql.json({}) })}`;
  await sql`insert into app.session_messages ${sql({ ...about, id, session_id: id, text: "x", said_by: sql.json({}) })}`;
  const commented = { file_path: "f", side: "new", first_line: 1, last_line: 1, commit_id: "c", quote: "x", body: "x" };
  await sql`insert into app.run_comments ${sql({ ...about, id, ...commented, author: sql.json({}) })}`;
  const kept = { name: "n", media_type: "text/plain", bytes: 1, hash: "h", host: "h", added_by: sql.json({}) };
  await sql`insert into app.run_attachments ${sql({ ...about, id, ...kept })}`;
  await sql`insert into app.run_attachment_files (attachment_id, team_id, content) values (${id}, ${team}, '\\x00')`;
  const rule = { host: "h", repo_path: "/r", covers: "x", covers_hash: "h", created_by: sql.json({}) };
  await sql`insert into app.permission_rules ${sql({ id, team_id: team, ...rule })}`;
  const permission = { permission_id: "p", tool: "Bash", detail: "x", state: "pending" };
  await sql`insert into app.permission_requests ${sql({ ...about, id, session_id: id, ...permission })}`;
  await sql`insert into app.transcript_chunks ${sql({ session_id: id, seq: 1, team_id: team, content: "x" })}`;
  const file = { attempt: 1, path: "/f", schema_id: "s", hash: "h", bytes: 1, valid: true };
  await sql`insert into app.artifacts ${sql({ ...about, id, ...file })}`;
  await sql`
    insert into app.commands (id, run_id, team_id, kind, argv, cwd) values (${id}, ${id}, ${team}, 'test', '{true}', '/w')`;
  const finding = {
    attempt: 1,
    reviewer_role: "r",
    finding_key: "k",
    severity: "low",
    category: "style",
    summary: "x",
  };
  await sql`insert into app.review_findings ${sql({ ...about, id, ...finding })}`;
  const task = { task_id: "a", seq: 1, title: "x", instructions: "", state: "waiting" };
  const lists = { depends_on: sql.json([]), write_set: sql.json([]), tests: sql.json([]) };
  await sql`insert into app.run_tasks ${sql({ ...about, phase_id: id, ...task, ...lists })}`;
  const collision = { lane: "a", other: "b", heads: sql.json({}), files: sql.json([]) };
  await sql`insert into app.lane_collisions ${sql({ ...about, ...collision })}`;
  const audited = { source: "git", outcome: "seen", severity: "high", rule: "r", reason: "x", attempt: 1 };
  await sql`insert into app.audit_findings ${sql({ ...about, id, ...audited })}`;
  await sql`insert into app.run_usage ${sql({ ...about, session_id: id, fact_seq: 1, cost_kind: "actual" })}`;
}

/** The arguments for every function; a function of a later migration must be added here. */
const calls: Record<string, (tx: Transaction) => Promise<unknown>> = {
  whoami: (tx) => tx`select * from api.whoami()`,
  my_teams: (tx) => tx`select * from api.my_teams()`,
  create_team: (tx) => tx`select * from api.create_team('Another')`,
  team_members: (tx) => tx`select * from api.team_members(${team})`,
  register_repo: (tx) => tx`select * from api.register_repo(${team}, 'intruder')`,
  list_repos: (tx) => tx`select * from api.list_repos(${team})`,
  ping: (tx) => tx`select * from api.ping(${team})`,
  changes: (tx) => tx`select * from api.changes(${team})`,
  team_welcome: (tx) => tx`select * from api.team_welcome(${team})`,
  create_invite: (tx) => tx`select * from api.create_invite(${team})`,
  list_invites: (tx) => tx`select * from api.list_invites(${team})`,
  revoke_invite: (tx) => tx`select api.revoke_invite(${team}, i.id) from api.create_invite(${team}) i`,
  accept_invite: (tx) => tx`select api.accept_invite(i.token) from api.create_invite(${team}) i`,
  set_role: (tx) => tx`select api.set_role(${team}, ${bea}, 'admin')`,
  remove_member: (tx) => tx`select api.remove_member(${team}, ${bea})`,
  erase_member: (tx) => tx`select api.erase_member(${team}, ${cid})`,
  create_token: (tx) => tx`select * from api.create_token(${team}, 'ci')`,
  list_tokens: (tx) => tx`select * from api.list_tokens(${team})`,
  revoke_token: (tx) => tx`select api.revoke_token(${team}, t.id) from api.create_token(${team}, 'old') t`,
  record_kinds: (tx) => tx`select * from api.record_kinds()`,
  push_records: (tx) => tx`select * from api.push_records(${team}, '[]')`,
  pull: (tx) => tx`select * from api.pull(${team})`,
  snapshot: (tx) => tx`select * from api.snapshot(${team})`,
  eval_results: (tx) => tx`select * from api.eval_results(${team}, '{}')`,
  find_records: (tx) => tx`select * from api.find_records(${team}, '{}')`,
  forget_record: (tx) => tx`select * from api.forget_record(${team}, ${uuidv7()})`,
  team_overview: (tx) => tx`select * from api.team_overview(${team})`,
  eval_trend: (tx) => tx`select * from api.eval_trend(${team})`,
  eval_struggles: (tx) => tx`select * from api.eval_struggles(${team})`,
  velocity: (tx) => tx`select * from api.velocity(${team})`,
  costs: (tx) => tx`select * from api.costs(${team})`,
  qa_health: (tx) => tx`select * from api.qa_health(${team})`,
  agent_usage: (tx) => tx`select * from api.agent_usage(${team})`,
  review_signal: (tx) => tx`select * from api.review_signal(${team})`,
  leaderboard: (tx) => tx`select * from api.leaderboard(${team})`,
  set_leaderboard: (tx) => tx`select api.set_leaderboard(${team}, true)`,
  activity: (tx) => tx`select * from api.activity(${team})`,
  record: (tx) => tx`select * from api.record(${team}, ${shipped})`,
  alert_state: (tx) => tx`select * from api.alert_state(${team})`,
  set_alerts: (tx) => tx`select * from api.set_alerts(${team}, 'https://example.org/hook')`,
  send_alert: (tx) => tx`select * from api.send_alert(${team}, 'test')`,
  digest: (tx) => tx`select * from api.digest(${team})`,
  retention: (tx) => tx`select * from api.retention(${team})`,
  set_retention: (tx) => tx`select api.set_retention(${team}, 'ping', 30)`,
  heartbeat: (tx) => tx`select api.heartbeat(${team}, ${tx.json(agent)})`,
  live_presence: (tx) => tx`select * from api.live_presence(${team})`,
  my_agents: (tx) => tx`select * from api.my_agents(${team}, 'box')`,
  active_intents: (tx) => tx`select * from api.active_intents(${team})`,
  list_intents: (tx) => tx`select * from api.list_intents(${team})`,
  list_handoffs: (tx) => tx`select * from api.list_handoffs(${team})`,
  list_features: (tx) => tx`select * from api.list_features(${team})`,
  list_decisions: (tx) => tx`select * from api.list_decisions(${team})`,
  show_decision: (tx) => tx`select api.show_decision(${team}, ${decision})`,
  search_decisions: (tx) => tx`select * from api.search_decisions(${team}, 't')`,
  why: (tx) => tx`select api.why(${team}, 'github.com/acme/site', 'a')`,
  file_story: (tx) => tx`select api.file_story(${team}, 'github.com/acme/site', 'a')`,
  hot_files: (tx) => tx`select * from api.hot_files(${team})`,
  standup: (tx) => tx`select * from api.standup(${team})`,
  brain_digest: (tx) => tx`select api.brain_digest(${team})`,
};

/** Functions about no team, for every signed-in person. */
const general = ["my_teams", "record_kinds"];

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (error: { code?: string }) => error.code ?? String(error),
  );
}

async function teamTables(): Promise<string[]> {
  return (await everyTable()).filter((one) => !shared.includes(one) && !closed.includes(one));
}

async function everyTable(): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'app'::regnamespace and relkind in ('r', 'p') order by 1`;
  return rows.map((one) => one.name);
}

test("the list of calls covers the data plane", async () => {
  const rows = await sql<{ name: string }[]>`
    select distinct proname as name from pg_proc where pronamespace = 'api'::regnamespace order by 1`;
  expect(rows.map((one) => one.name)).toEqual(Object.keys(calls).sort());
});

describe.each(Object.entries(callers))("%s", (who, claims) => {
  test("sees no row of the team in any table", async () => {
    for (const table of await teamTables()) {
      const column = table === "users" ? "id" : table === "teams" ? "id" : "team_id";
      const value = table === "users" ? ann : team;
      const [behind] = await sql.unsafe(`select count(*)::int as count from app.${table} where ${column} = $1`, [
        value,
      ]);
      expect({ table, hasRows: behind?.count > 0 }).toEqual({ table, hasRows: true });
      const seen = await database
        .withClaims(claims, (tx) => tx.unsafe(`select ${column} from app.${table} where ${column} = $1`, [value]))
        .then(
          (rows) => rows.length,
          (error: { code?: string }) => error.code ?? "?",
        );
      expect({ table, seen }).toEqual({ table, seen: claims.role === "anon" ? "42501" : 0 });
    }
  });

  test("cannot write to any table", async () => {
    for (const table of await everyTable()) {
      for (const statement of [
        `insert into app.${table} default values`,
        `update app.${table} set ${["users", "teams", ...shared].includes(table) ? "name = 'x'" : closed.includes(table) && !closedByTeam.includes(table) ? "id = id" : "team_id = team_id"}`,
        `delete from app.${table}`,
        `truncate app.${table}`,
      ]) {
        const code = await codeOf(database.withClaims(claims, (tx) => tx.unsafe(statement)));
        // 23502: the row was refused for a missing value before its policy was checked.
        expect({ statement, code: code === "23502" ? "42501" : code }).toEqual({ statement, code: "42501" });
      }
    }
    const forged = { id: uuidv7(), team_id: team, user_id: ann };
    const code = await codeOf(
      database.withClaims(claims, (tx) => tx`insert into app.pings ${tx(forged as Record<string, string>)}`),
    );
    expect(code).toBe("42501");
  });

  test("cannot call any function on the team", async () => {
    for (const [fn, call] of Object.entries(calls)) {
      const code = await codeOf(database.withClaims(claims, call));
      const isAllowed =
        fn === "whoami" ||
        (claims.role === "authenticated" && (general.includes(fn) || (fn === "create_team" && claims.sub)));
      expect({ who, fn, code }).toEqual({ who, fn, code: isAllowed ? "ok" : "42501" });
    }
  });

  test("cannot append to the team's log or use its ids", async () => {
    const append = (tx: Transaction) => tx`select app.append_changes(${team}, 'repo', array[${repo}]::uuid[])`;
    expect(await codeOf(database.withClaims(claims, append))).toBe("42501");
  });
});

test("another team's member who sends the id of a foreign record gets a conflict and learns nothing", async () => {
  const other = callers["another team's member"]!;
  const [own] = await database.withClaims(other, (tx) => tx<{ id: string }[]>`select id from api.my_teams()`);
  const error = await database
    .withClaims(other, (tx) => tx`select * from api.register_repo(${own!.id}, 'mine', id => ${repo})`)
    .catch((caught: { code: string; message: string }) => caught);
  expect(error).toMatchObject({ code: "23505", message: "this id belongs to another record" });
});

test("nobody who sends a request can read a table of secrets, a member neither", async () => {
  for (const table of closed) {
    for (const claims of [member, ...Object.values(callers)]) {
      const code = await codeOf(database.withClaims(claims, (tx) => tx.unsafe(`select from app.${table}`)));
      expect({ table, code }).toEqual({ table, code: "42501" });
    }
  }
});

test("the member can call every function", async () => {
  for (const [fn, call] of Object.entries(calls)) {
    const code = await codeOf(database.withClaims(member, call));
    expect({ fn, code }).toEqual({ fn, code: "ok" });
  }
});

test("nobody gets the engine's role by claiming it", async () => {
  const forged = { sub: eve, role: "service_role" } as unknown as Claims;
  expect(await codeOf(database.withClaims(forged, (tx) => tx`select 1`))).toBe("42501");
});
