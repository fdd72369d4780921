/** The contracts of the data plane are what the database says and the server answers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { type RpcArguments, type RpcName, rpcAnswer } from "@devflow/protocol";
import { rpcs } from "@devflow/protocol/testing";
import { z } from "zod";
import { startTestServer, type TestServer } from "./test-server.ts";

let it: TestServer;
beforeAll(async () => {
  it = await startTestServer();
}, 60_000);
afterAll(() => it.stop(), 60_000);

interface SqlFunction {
  readonly name: string;
  readonly required: string[];
  readonly optional: string[];
  readonly columns: string[];
  readonly isSet: boolean;
}

/** From the catalogue: arguments, and the columns of the row that comes back. */
const readFunctions = () => it.admin<SqlFunction[]>`
  select p.proname as name, p.proretset as "isSet",
    coalesce(i.names[: p.pronargs - p.pronargdefaults], '{}') as required,
    coalesce(i.names[p.pronargs - p.pronargdefaults + 1 :], '{}') as optional,
    coalesce(o.names, (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
      join pg_type t on t.typrelid = a.attrelid where t.oid = p.prorettype and a.attnum > 0), '{}') as columns
  from pg_proc p
  cross join lateral (
    select array_agg(n order by place) filter (where coalesce(mode, 'i') = 'i') as names
    from unnest(p.proargnames, p.proargmodes) with ordinality as x(n, mode, place)) i
  cross join lateral (
    select array_agg(n order by place) filter (where mode = 't') as names
    from unnest(p.proargnames, p.proargmodes) with ordinality as x(n, mode, place)) o
  where p.pronamespace = 'api'::regnamespace
  order by p.proname`;

/** Their members are known to the contract only; that they fit is seen where they are called. */
const namesOfJsonFunctions = async (): Promise<string[]> => {
  const rows = await it.admin<{ name: string }[]>`
    select proname as name from pg_proc where pronamespace = 'api'::regnamespace and prorettype = 'jsonb'::regtype`;
  return rows.map(({ name }) => name);
};

function contractOf(name: RpcName): SqlFunction {
  const { arguments: args, answer } = rpcs[name];
  const keys = Object.entries(args.shape as Record<string, z.ZodType>);
  const isSet = answer instanceof z.ZodArray;
  const row = (isSet ? answer.element : answer) as z.ZodType;
  const isOptional = (schema: z.ZodType) => schema instanceof z.ZodOptional;
  return {
    name,
    required: keys.flatMap(([key, schema]) => (isOptional(schema) ? [] : [key])),
    optional: keys.flatMap(([key, schema]) => (isOptional(schema) ? [key] : [])),
    // A number, or JSON as a whole, has no columns.
    columns: row instanceof z.ZodObject ? Object.keys(row.shape) : [],
    isSet,
  };
}

const sorted = (one: SqlFunction): SqlFunction => ({
  ...one,
  required: one.required.toSorted(),
  optional: one.optional.toSorted(),
  columns: one.columns.toSorted(),
});

test("every function of the data plane has a contract, and every contract is that of a function", async () => {
  const functions = [...(await readFunctions())].map(sorted);
  const answersJson = new Set(await namesOfJsonFunctions());
  const contracts = (Object.keys(rpcs) as RpcName[])
    .toSorted()
    .map(contractOf)
    .map((one) => (answersJson.has(one.name) ? { ...one, columns: [] } : one))
    .map(sorted);
  expect(contracts).toEqual(functions);
});

test("what the server answers fits the contract, and nothing is left out of it", async () => {
  const call = async <Name extends RpcName>(name: Name, args: RpcArguments<Name>) => {
    const response = await fetch(`${it.url}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${it.token}`, "content-type": "application/json" },
      body: JSON.stringify(args),
    });
    const body: unknown = response.status === 204 ? null : await response.json();
    const answer = rpcAnswer(name).parse(body);
    expect([name, answer as unknown]).toEqual([name, body]);
    return answer;
  };
  const ofTeam = { team_id: it.teamId };
  expect((await call("whoami", {})).role).toBe("authenticated");
  expect((await call("create_team", { name: "Contracts" })).role).toBe("owner");
  expect((await call("my_teams", {})).length).toBe(2);
  expect((await call("team_members", ofTeam)).map(({ name }) => name)).toEqual(["Ada"]);
  const repo = await call("register_repo", { ...ofTeam, name: "engine", path_hint: "/src/engine" });
  expect(await call("list_repos", ofTeam)).toEqual([repo]);
  expect((await call("ping", { ...ofTeam, note: { a: 1 } })).note).toEqual({ a: 1 });
  expect((await call("changes", { ...ofTeam, after_seq: 0, max_rows: 1000 })).map(({ kind }) => kind)).toContain(
    "ping",
  );
  expect((await call("team_welcome", ofTeam)).members).toBe(1);
  const invite = await call("create_invite", { ...ofTeam, role: "admin", email: "grace@example.com", days: 3 });
  expect((await call("list_invites", ofTeam)).map(({ id }) => id)).toEqual([invite.id]);
  expect(await call("revoke_invite", { ...ofTeam, invite_id: invite.id })).toBeNull();
  const { token } = await call("create_invite", ofTeam);
  expect((await call("accept_invite", { token })).id).toBe(it.teamId);
  const made = await call("create_token", { ...ofTeam, name: "ci", scopes: ["write"], days: 10 });
  expect((await call("list_tokens", ofTeam)).map(({ id, scopes }) => [id, scopes])).toEqual([
    [made.id, ["read", "write"]],
  ]);
  expect(await call("revoke_token", { ...ofTeam, token_id: made.id })).toBeNull();
  const at = new Date().toISOString();
  const ship = { id: randomUUID(), kind: "ship_log", schema_version: 1, at, payload: { version: "1", branch: "main" } };
  await call("push_records", { ...ofTeam, records: [ship], sent_at: at });
  expect((await call("team_overview", ofTeam)).last_ship?.id).toBe(ship.id);
  expect((await call("velocity", { ...ofTeam, days: 14 })).ships).toEqual({ now: 1, before: 0 });
  for (const name of ["eval_trend", "eval_struggles", "costs", "qa_health", "review_signal", "agent_usage"] as const)
    expect((await call(name, ofTeam)).since).toBeString();
  expect(await call("set_leaderboard", { ...ofTeam, joined: true })).toBeNull();
  expect((await call("leaderboard", ofTeam)).people.map(({ ships }) => ships)).toEqual([1]);
  expect((await call("activity", { ...ofTeam, kinds: ["ship_log"] })).map(({ id }) => id)).toEqual([ship.id]);
  expect((await call("record", { ...ofTeam, id: ship.id })).payload).toEqual(ship.payload);
  const set = { webhook_url: "https://example.org/hook", emails: ["team@example.com"], digest: true, digest_day: 5 };
  const state = await call("set_alerts", { ...ofTeam, ...set });
  expect(state).toMatchObject({
    webhook_host: "example.org",
    emails: ["team@example.com"],
    digest: true,
    digest_day: 5,
  });
  expect((await call("send_alert", { ...ofTeam, kind: "test" })).targets).toBe(2);
  expect(await call("alert_state", ofTeam)).toEqual({ ...state, waiting: 2 });
  expect((await call("digest", ofTeam)).members).toBe(1);
  expect(await call("set_retention", { ...ofTeam, kind: "transcript", days: 30 })).toBeNull();
  expect(await call("retention", ofTeam)).toEqual([{ kind: "transcript", days: 30 }]);
  const other = { ...ofTeam, user_id: it.stranger.id };
  for (const end of ["remove_member", "erase_member"] as const) {
    await it.admin`insert into app.team_members (team_id, user_id, role) values (${it.teamId}, ${it.stranger.id}, 'member')`;
    expect(await call("set_role", { ...other, role: "admin" })).toBeNull();
    expect(await call(end, other)).toBeNull();
  }
});
