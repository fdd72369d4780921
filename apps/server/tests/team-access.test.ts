/**
 * Every table and every function of the data plane, tried by everybody who should not get through, and by those who should.
 * Both lists come from the catalogue: what a later migration adds has to be added here with who may use it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes, randomUUID } from "node:crypto";
import type { Grant } from "@devflow/protocol";
import { SignJWT } from "jose";
import { startTestTeam, type TestTeam } from "./team-server.ts";

/** Least role and scope; `anybody` needs no team. */
type Need = "anybody" | "read" | "write" | "manage" | "admin";

let it: TestTeam;
let bob: Grant;
let root: Grant;
let gone: Grant;
let eve: Grant;
const callers: Record<string, string> = {};

async function signed(sub: string, change: Record<string, unknown> = {}, key = it.signingKey): Promise<string> {
  const iat = Math.floor(it.now() / 1000);
  const claims = {
    sub,
    role: "authenticated",
    iss: it.url,
    aud: "devflow",
    iat,
    exp: iat + 600,
    scope: "read write manage",
  };
  return new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(key));
}

async function tokenOfCi(scope: "read" | "write"): Promise<string> {
  const made = await it.rpc(bob.access_token, "create_token", {
    team_id: it.teamId,
    name: `ci ${scope}`,
    scopes: [scope],
  });
  const grant = await it.grantOf(
    await it.form("/auth/oauth/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: made.token,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    }),
  );
  return grant.access_token;
}

beforeAll(async () => {
  it = await startTestTeam();
  bob = await it.join("Bob");
  root = await it.join("Root", "admin");
  gone = await it.join("Gone");
  eve = await it.join("Eve");
  await it.rpc(eve.access_token, "create_team", { name: "Eve's" });
  await it.rpc(it.ada.access_token, "remove_member", { team_id: it.teamId, user_id: eve.user.id });
  await it.rpc(it.ada.access_token, "remove_member", { team_id: it.teamId, user_id: gone.user.id });
  await it.rpc(bob.access_token, "register_repo", { team_id: it.teamId, name: "shop" });
  await it.rpc(bob.access_token, "ping", { team_id: it.teamId });
  Object.assign(callers, {
    "a member": bob.access_token,
    "an admin": root.access_token,
    "another team's member": eve.access_token,
    "a removed member": gone.access_token,
    "a token of CI that reads": await tokenOfCi("read"),
    "a token of CI that writes": await tokenOfCi("write"),
    "an anonymous key": await signed(randomUUID(), { role: "anon" }),
    nobody: "",
    "an expired token": await signed(bob.user.id, { exp: Math.floor(it.now() / 1000) - 1 }),
    "a forged token": await signed(bob.user.id, {}, randomBytes(48).toString("base64url")),
    "a token of another server": await signed(bob.user.id, { iss: "https://other.example" }),
    "a token of the local server": await signed(bob.user.id, { iss: "devflow-local" }),
  });
}, 120_000);
afterAll(() => it.stop(), 60_000);

const refusedAlways = [
  "nobody",
  "an expired token",
  "a forged token",
  "a token of another server",
  "a token of the local server",
];

/** What each function needs, and a call of it that succeeds for those who may. */
const functions: Record<string, { need: Need; args: () => Promise<object> | object }> = {
  whoami: { need: "anybody", args: () => ({}) },
  my_teams: { need: "anybody", args: () => ({}) },
  create_team: { need: "manage", args: () => ({ name: `Team ${randomUUID()}` }) },
  team_members: { need: "read", args: () => ({ team_id: it.teamId }) },
  list_repos: { need: "read", args: () => ({ team_id: it.teamId }) },
  changes: { need: "read", args: () => ({ team_id: it.teamId }) },
  team_welcome: { need: "read", args: () => ({ team_id: it.teamId }) },
  register_repo: { need: "write", args: () => ({ team_id: it.teamId, name: randomUUID() }) },
  ping: { need: "write", args: () => ({ team_id: it.teamId }) },
  record_kinds: { need: "anybody", args: () => ({}) },
  push_records: { need: "write", args: () => ({ team_id: it.teamId, records: [] }) },
  pull: { need: "read", args: () => ({ team_id: it.teamId }) },
  snapshot: { need: "read", args: () => ({ team_id: it.teamId }) },
  eval_results: { need: "read", args: () => ({ team_id: it.teamId, run_ids: [] }) },
  find_records: { need: "read", args: () => ({ team_id: it.teamId, ids: [] }) },
  forget_record: { need: "write", args: () => ({ team_id: it.teamId, id: randomUUID() }) },
  team_overview: { need: "read", args: () => ({ team_id: it.teamId }) },
  eval_trend: { need: "read", args: () => ({ team_id: it.teamId }) },
  eval_struggles: { need: "read", args: () => ({ team_id: it.teamId }) },
  velocity: { need: "read", args: () => ({ team_id: it.teamId }) },
  costs: { need: "read", args: () => ({ team_id: it.teamId }) },
  qa_health: { need: "read", args: () => ({ team_id: it.teamId }) },
  agent_usage: { need: "read", args: () => ({ team_id: it.teamId }) },
  review_signal: { need: "read", args: () => ({ team_id: it.teamId }) },
  leaderboard: { need: "read", args: () => ({ team_id: it.teamId }) },
  set_leaderboard: { need: "manage", args: () => ({ team_id: it.teamId, joined: true }) },
  activity: { need: "read", args: () => ({ team_id: it.teamId }) },
  record: { need: "read", args: async () => ({ team_id: it.teamId, id: await newShip() }) },
  alert_state: { need: "read", args: () => ({ team_id: it.teamId }) },
  digest: { need: "read", args: () => ({ team_id: it.teamId }) },
  retention: { need: "read", args: () => ({ team_id: it.teamId }) },
  set_alerts: { need: "admin", args: () => ({ team_id: it.teamId, webhook_url: "https://example.org/hook" }) },
  send_alert: { need: "admin", args: () => ({ team_id: it.teamId, kind: "test" }) },
  set_retention: { need: "admin", args: () => ({ team_id: it.teamId, kind: "ping", days: 30 }) },
  heartbeat: { need: "write", args: () => ({ team_id: it.teamId, agent: newAgent() }) },
  live_presence: { need: "read", args: () => ({ team_id: it.teamId }) },
  my_agents: { need: "read", args: () => ({ team_id: it.teamId, machine: "box" }) },
  active_intents: { need: "read", args: () => ({ team_id: it.teamId }) },
  list_intents: { need: "read", args: () => ({ team_id: it.teamId }) },
  list_handoffs: { need: "read", args: () => ({ team_id: it.teamId }) },
  list_features: { need: "read", args: () => ({ team_id: it.teamId }) },
  list_decisions: { need: "read", args: () => ({ team_id: it.teamId }) },
  show_decision: { need: "read", args: async () => ({ team_id: it.teamId, id: await newDecision() }) },
  search_decisions: { need: "read", args: () => ({ team_id: it.teamId, query: "anything" }) },
  why: { need: "read", args: () => ({ team_id: it.teamId, repo: "github.com/acme/shop", file: "a.ts" }) },
  file_story: { need: "read", args: () => ({ team_id: it.teamId, repo: "github.com/acme/shop", file: "a.ts" }) },
  hot_files: { need: "read", args: () => ({ team_id: it.teamId }) },
  standup: { need: "read", args: () => ({ team_id: it.teamId }) },
  brain_digest: { need: "read", args: () => ({ team_id: it.teamId }) },
  create_token: { need: "manage", args: () => ({ team_id: it.teamId, name: "x" }) },
  list_tokens: { need: "manage", args: () => ({ team_id: it.teamId }) },
  revoke_token: { need: "manage", args: async () => ({ team_id: it.teamId, token_id: await newToken() }) },
  accept_invite: { need: "anybody", args: async () => ({ token: (await newInvite()).token }) },
  create_invite: { need: "admin", args: () => ({ team_id: it.teamId }) },
  list_invites: { need: "admin", args: () => ({ team_id: it.teamId }) },
  revoke_invite: { need: "admin", args: async () => ({ team_id: it.teamId, invite_id: (await newInvite()).id }) },
  set_role: { need: "admin", args: async () => ({ team_id: it.teamId, user_id: await newMember(), role: "admin" }) },
  remove_member: { need: "admin", args: async () => ({ team_id: it.teamId, user_id: await newMember() }) },
  erase_member: { need: "admin", args: async () => ({ team_id: it.teamId, user_id: await newMember() }) },
};

const newAgent = () => ({ id: randomUUID(), host: "claude", session: "s", machine: "m" });
async function newDecision(): Promise<string> {
  const id = randomUUID();
  const payload = { decision_id: id, rev: 1, type: "decision", title: "t", body: "", state: "accepted" };
  const at = new Date(it.now()).toISOString();
  const records = [{ id: randomUUID(), kind: "decision", schema_version: 1, at, payload }];
  await it.rpc(bob.access_token, "push_records", { team_id: it.teamId, records });
  return id;
}
const newInvite = () => it.rpc(it.ada.access_token, "create_invite", { team_id: it.teamId });
const newMember = async () => (await it.join(`Member ${randomUUID()}`)).user.id;
async function newShip(): Promise<string> {
  const id = randomUUID();
  const record = { id, kind: "ship_log", schema_version: 1, at: new Date().toISOString() };
  const records = [{ ...record, payload: { version: "1", branch: "main" } }];
  await it.rpc(bob.access_token, "push_records", { team_id: it.teamId, records });
  return id;
}
/** A token that everybody who may revoke it can: the caller's own would not do for an admin, so it is Bob's. */
const newToken = async () =>
  (await it.rpc(bob.access_token, "create_token", { team_id: it.teamId, name: randomUUID() })).id;

const scopes: Record<string, readonly Need[]> = {
  "a member": ["anybody", "read", "write", "manage"],
  "an admin": ["anybody", "read", "write", "manage", "admin"],
  "a token of CI that reads": ["anybody", "read"],
  "a token of CI that writes": ["anybody", "read", "write"],
  "another team's member": ["anybody"],
  "a removed member": ["anybody"],
};

function expected(who: string, name: string, need: Need): number | readonly number[] {
  if (refusedAlways.includes(who)) return 401;
  if (who === "an anonymous key") return name === "whoami" ? 200 : 401;
  // A token of CI belongs to one team and takes no invite; a person may make teams and join them wherever they are.
  if (name === "accept_invite") return who.startsWith("a token of CI") ? 403 : 200;
  if (name === "create_team") return who.startsWith("a token of CI") ? 403 : 200;
  return scopes[who]?.includes(need) ? [200, 204] : 403;
}

test("a token of CI follows its own team live, and no other team of its person", async () => {
  const { id } = await it.rpc(bob.access_token, "create_team", { name: "Bob's own" });
  const open = async (path: string, who: string) => {
    const answer = await fetch(`${it.url}${path}`, { headers: it.bearer(callers[who] ?? "") });
    await answer.body?.cancel();
    return answer.status;
  };
  const ci = "a token of CI that reads";
  expect([
    await open(`/sse/team/${it.teamId}`, ci),
    await open(`/sse/team/${id}`, ci),
    await open("/sse/global", ci),
  ]).toEqual([200, 403, 403]);
  expect(await open(`/sse/team/${id}`, "a member")).toBe(200);
});

test("the list of functions covers the data plane", async () => {
  const rows = await it.admin<{ name: string }[]>`
    select distinct proname as name from pg_proc where pronamespace = 'api'::regnamespace order by 1`;
  expect(Object.keys(functions).sort()).toEqual(rows.map((one) => one.name));
});

describe.each([...refusedAlways, "an anonymous key", ...Object.keys(scopes)])("%s", (who) => {
  test("gets from every function what they may and no more", async () => {
    for (const [name, { need, args }] of Object.entries(functions)) {
      const token = callers[who];
      const body = await args();
      // Whoever joins by the invite of this test must be outside again for the next function.
      const answer = await it.post(`/rest/v1/rpc/${name}`, body, token ? it.bearer(token) : {});
      const wanted = expected(who, name, need);
      const isRight = Array.isArray(wanted) ? wanted.includes(answer.status) : wanted === answer.status;
      expect({
        who,
        name,
        status: answer.status,
        isRight,
        wanted,
        text: isRight ? "" : await answer.text(),
      }).toMatchObject({
        who,
        name,
        isRight: true,
      });
      if (name === "accept_invite" && ["another team's member", "a removed member"].includes(who)) {
        const user_id = who === "a removed member" ? gone.user.id : eve.user.id;
        await it.rpc(it.ada.access_token, "remove_member", { team_id: it.teamId, user_id });
      }
    }
  });

  test("gets from no route for people what they may not", async () => {
    const headers = callers[who] ? it.bearer(callers[who] ?? "") : {};
    const isPerson = ["a member", "an admin", "another team's member", "a removed member"].includes(who);
    for (const path of ["/auth/link", "/auth/device/look", "/auth/sign-out-everywhere", "/auth/mailed-invite"]) {
      if (isPerson && path === "/auth/sign-out-everywhere") continue;
      const { status } = await it.post(path, {}, headers);
      const refused = refusedAlways.includes(who) ? 401 : 403;
      expect({ who, path, isRefused: status === refused }).toEqual({ who, path, isRefused: !isPerson });
    }
    const stream = await fetch(`${it.url}/sse/team/${it.teamId}`, { headers });
    await stream.body?.cancel();
    const isMember = ["a member", "an admin"].includes(who) || who.startsWith("a token of CI");
    expect({ who, stream: stream.status }).toEqual({
      who,
      stream: isMember ? 200 : refusedAlways.includes(who) ? 401 : 403,
    });
  });
});

describe("every table", () => {
  const claims: Record<string, () => { sub?: string; role: "authenticated" | "anon"; scope?: string; team?: string }> =
    {
      "another team's member": () => ({ sub: eve.user.id, role: "authenticated", scope: "read write manage" }),
      "a removed member": () => ({ sub: gone.user.id, role: "authenticated", scope: "read write manage" }),
      "a member whose token is for another team": () => ({
        sub: bob.user.id,
        role: "authenticated",
        scope: "read write",
        team: randomUUID(),
      }),
      "claims without a person": () => ({ role: "authenticated" }),
      "an anonymous caller": () => ({ role: "anon" }),
    };
  const tables = async () =>
    (
      await it.admin<{ name: string; column: string | null }[]>`
        select c.relname as name, (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id') as column
        from pg_class c where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p') order by 1`
    ).filter(({ name }) => !["workflow_templates", "agent_personas"].includes(name));

  test.each(Object.keys(claims))("shows %s no row of the team and lets nothing be written", async (who) => {
    for (const { name, column } of await tables()) {
      const where = column
        ? `team_id = '${it.teamId}'`
        : name === "teams"
          ? `id = '${it.teamId}'`
          : `id = '${it.ada.user.id}'`;
      for (const statement of [`select from app.${name} where ${where}`, `delete from app.${name}`]) {
        const seen = await it.database.database
          .withClaims(claims[who]?.() ?? { role: "anon" }, (tx) => tx.unsafe(statement))
          .then(
            (rows) => rows.length,
            (error: { code?: string }) => error.code,
          );
        const isNothing = seen === "42501" || (seen === 0 && statement.startsWith("select"));
        expect({ who, statement, isNothing }).toEqual({ who, statement, isNothing: true });
      }
    }
  });

  test("with secrets, sign-ins or links is closed to everybody who sends a request", async () => {
    const granted = await it.admin<{ name: string }[]>`
      select distinct c.relname as name from pg_class c cross join aclexplode(c.relacl) a
      where c.relname in ('invites', 'access_tokens', 'sign_ins', 'device_requests', 'one_time_links', 'alert_settings', 'alert_messages')
        and a.grantee in ('authenticated'::regrole, 'anon'::regrole)`;
    expect(granted.map((one) => one.name)).toEqual([]);
  });
});
