/** The contracts of the data plane are what the database says and the server answers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
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

function contractOf(name: RpcName): SqlFunction {
  const { arguments: args, answer } = rpcs[name];
  const keys = Object.entries(args.shape as Record<string, z.ZodType>);
  const isSet = answer instanceof z.ZodArray;
  const row = (isSet ? answer.element : answer) as z.ZodObject | z.ZodNull;
  const isOptional = (schema: z.ZodType) => schema instanceof z.ZodOptional;
  return {
    name,
    required: keys.flatMap(([key, schema]) => (isOptional(schema) ? [] : [key])),
    optional: keys.flatMap(([key, schema]) => (isOptional(schema) ? [key] : [])),
    columns: row instanceof z.ZodNull ? [] : Object.keys(row.shape),
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
  const contracts = (Object.keys(rpcs) as RpcName[]).toSorted().map(contractOf).map(sorted);
  expect(contracts).toEqual([...(await readFunctions())].map(sorted));
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
  const other = { ...ofTeam, user_id: it.stranger.id };
  for (const end of ["remove_member", "erase_member"] as const) {
    await it.admin`insert into app.team_members (team_id, user_id, role) values (${it.teamId}, ${it.stranger.id}, 'member')`;
    expect(await call("set_role", { ...other, role: "admin" })).toBeNull();
    expect(await call(end, other)).toBeNull();
  }
});
