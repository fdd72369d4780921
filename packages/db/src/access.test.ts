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
});

/** One record of every kind, so that every table that is made from records has a row. */
async function pushEveryKind(): Promise<void> {
  const run = uuidv7();
  const at = new Date().toISOString();
  const totals = { total: 1, passed: 1, failed: 0, errors: 0, skipped: 0 };
  const cost = { models: [{ model: "m", calls: 1, actualUsd: 0, estimatedUsd: 1 }], actualUsd: 0, estimatedUsd: 1 };
  const gate = { run_id: run, request_id: run, epoch: 1 };
  const payloads: [string, object][] = [
    ["eval_run", { run: { suite: "s", runId: "r", label: "l", tier: "full", at, totals }, summary: { cost } }],
    ["eval_results", { run, suite: "s", index: 0, last: true, results: [{ name: "c", status: "pass" }] }],
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
  ];
  const records = payloads.map(([kind, payload]) => ({
    ...{ id: kind === "eval_run" ? run : uuidv7(), kind, schema_version: 1, at, payload },
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
}

/** Definitions that every signed-in person may read; they belong to no team. */
const shared = ["workflow_templates", "agent_personas"];

/** Secrets and sign-ins: no request may read them, whoever sends it; functions decide. */
const closed = ["access_tokens", "device_requests", "invites", "one_time_links", "sign_ins"];

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
  await sql`insert into app.runs ${sql({ ...made, ...place, root_run_id: id, title: "A run", state: "created", client_token: "c" })}`;
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
        `update app.${table} set ${["users", "teams", ...shared].includes(table) ? "name = 'x'" : closed.includes(table) ? "id = id" : "team_id = team_id"}`,
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
