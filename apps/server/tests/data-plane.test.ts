import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { createClient } from "@supabase/supabase-js";
import { startTestServer, type TestServer } from "./test-server.ts";

let it: TestServer;
beforeAll(async () => {
  it = await startTestServer();
  await it.admin.unsafe(sampleFunctions);
}, 60_000);
afterAll(() => it.stop(), 60_000);

/** Functions of every kind, made after the server has started: it finds them because a miss reads the catalogue again. */
const sampleFunctions = `
  create table app.samples (id int primary key, name text, big bigint, at timestamptz, tags uuid[], extra jsonb);
  insert into app.samples values
    (1, 'one', 9007199254740993, '2026-01-02 03:04:05.678901+00', '{00000000-0000-0000-0000-000000000001}', '{"b": 1, "a": [1.10, null]}'),
    (2, 'two', null, null, '{}', null), (3, 'three', 3, null, null, 'null'), (4, 'a, (b)', 4, null, null, '4');
  grant select on app.samples to authenticated;
  create function api.sample_rows() returns setof app.samples language sql stable begin atomic select * from app.samples order by id; end;
  create function api.sample_row(id int) returns app.samples language sql stable begin atomic select * from app.samples s where s.id = sample_row.id; end;
  create function api.sample_void(name text) returns void language sql begin atomic select 1; end;
  create function api.sample_text(word text default 'hello') returns text language sql immutable return word;
  create function api.sample_numbers(up_to int) returns setof int language sql immutable begin atomic select g from generate_series(1, up_to) g; end;
  create function api.sample_out(a int, out twice int, out thrice int) language sql immutable begin atomic select a * 2, a * 3; end;
  create function api.sample_over(a int) returns text language sql immutable return 'one';
  create function api.sample_over(a int, b int) returns text language sql immutable return 'two';
  create function api.sample_twin(a int) returns text language sql immutable return 'int';
  create function api.sample_twin(a text) returns text language sql immutable return 'text';
  create function api.sample_array(ids uuid[], flags boolean[] default '{}') returns json language sql immutable return json_build_array(ids, flags);
  create function api.sample_sneaky() returns int language plpgsql stable as $$ begin perform api.ping(id) from api.my_teams(); return 1; end $$;
  create function api.sample_raise(state text) returns void language plpgsql as $$ begin raise exception 'no' using errcode = state, detail = 'because', hint = 'try'; end $$;
  grant execute on all functions in schema api to authenticated;
`;

const client = (token = it.token) =>
  createClient(it.url, token, { db: { schema: "api" }, auth: { persistSession: false } });

async function call(
  fn: string,
  args: unknown,
  init: { headers?: Record<string, string>; query?: string; method?: string } = {},
) {
  const method = init.method ?? "POST";
  const response = await fetch(`${it.url}/rest/v1/rpc/${fn}${init.query ?? ""}`, {
    method,
    headers: { authorization: `Bearer ${it.token}`, "content-type": "application/json", ...init.headers },
    ...(method === "POST" ? { body: typeof args === "string" ? args : JSON.stringify(args) } : {}),
  });
  const text = await response.text();
  return { status: response.status, text, headers: response.headers, json: () => JSON.parse(text) };
}

describe("the real supabase-js client", () => {
  test("calls a function that writes and reads back what it wrote", async () => {
    const id = uuidv7();
    const written = await client().rpc("ping", { team_id: it.teamId, note: { hello: ["wörld", 1.5] }, id });
    expect(written.error).toBeNull();
    expect(written.data).toMatchObject({ id, team_id: it.teamId, note: { hello: ["wörld", 1.5] }, sanitised: false });
    const again = await client().rpc("ping", { team_id: it.teamId, note: { other: true }, id });
    expect(again.data).toEqual(written.data);
  });

  test("reaches schema api through .schema('api') on a client made without options", async () => {
    const plain = createClient(it.url, it.token, { auth: { persistSession: false } });
    const { data, error } = await plain.schema("api").rpc("whoami");
    expect(error).toBeNull();
    expect(data).toMatchObject({ name: "Ada", role: "authenticated" });
  });

  test("is told what to set when it asks for schema public", async () => {
    const plain = createClient(it.url, it.token, { auth: { persistSession: false } });
    const { error, status } = await plain.rpc("whoami");
    expect(status).toBe(406);
    expect(error).toMatchObject({ code: "PGRST106", hint: expect.stringContaining("schema: 'api'") });
  });

  test("gets one row with single(), and an error when there is not exactly one", async () => {
    const one = await client().rpc("sample_rows").eq("id", 2).single();
    expect(one.data).toEqual({ id: 2, name: "two", big: null, at: null, tags: [], extra: null });
    const many = await client().rpc("sample_rows").single();
    expect(many).toMatchObject({
      status: 406,
      data: null,
      error: { code: "PGRST116", details: "The result contains 4 rows" },
    });
    const none = await client().rpc("sample_rows").eq("id", 99).maybeSingle();
    expect(none).toMatchObject({ data: null, error: null });
    const maybe = await client().rpc("sample_rows").eq("id", 1).maybeSingle();
    expect(maybe.data).toMatchObject({ id: 1 });
  });

  test("counts, limits, orders, selects and filters", async () => {
    const page = await client()
      .rpc("sample_rows", {}, { count: "exact" })
      .select("name,number:id")
      .order("id", { ascending: false })
      .range(1, 2);
    expect(page).toMatchObject({
      count: 4,
      status: 206,
      data: [
        { name: "three", number: 3 },
        { name: "two", number: 2 },
      ],
    });
    const filters = await Promise.all([
      client().rpc("sample_rows").gt("id", 2).lte("id", 3).select("id"),
      client().rpc("sample_rows").in("name", ["a, (b)", "two"]).select("id"),
      client().rpc("sample_rows").is("big", null).select("id"),
      client().rpc("sample_rows").not("big", "is", null).neq("id", 1).select("id"),
      client().rpc("sample_rows").ilike("name", "T%").select("id"),
      client().rpc("sample_rows").like("name", "%o%").gte("id", 1).lt("id", 2).select("id"),
    ]);
    expect(filters.map((one) => (one.data as { id: number }[]).map((row) => row.id))).toEqual([
      [3],
      [2, 4],
      [2],
      [3, 4],
      [2, 3],
      [1],
    ]);
  });

  test("is refused, not misled, when it uses a filter this server does not have", async () => {
    const { data, error, status } = await client().rpc("sample_rows").contains("tags", ["x"]);
    expect({ data, status, code: error?.code }).toEqual({ data: null, status: 400, code: "PGRST100" });
    const or = await client().rpc("sample_rows").or("id.eq.1,id.eq.2");
    expect(or).toMatchObject({ data: null, status: 400, error: { code: "PGRST100" } });
  });

  test("calls reading functions by GET and HEAD", async () => {
    const got = await client().rpc(
      "sample_array",
      { ids: ["00000000-0000-0000-0000-00000000000a"], flags: [true, false] },
      { get: true },
    );
    expect(got.data).toEqual([["00000000-0000-0000-0000-00000000000a"], [true, false]]);
    const head = await client().rpc("sample_rows", {}, { head: true, count: "exact" });
    expect(head).toMatchObject({ count: 4, data: null, error: null, status: 200 });
    const filtered = await client().rpc("sample_numbers", { up_to: 3 }, { get: true });
    expect(filtered.data).toEqual([1, 2, 3]);
  });

  test("drops nulls with stripNulls()", async () => {
    const { data } = await client().rpc("sample_rows").eq("id", 2).stripNulls();
    expect(data).toEqual([{ id: 2, name: "two", tags: [] }]);
  });

  test("hears of a forbidden team, an anonymous key and a missing function as errors", async () => {
    const { error, status } = await client(it.stranger.token).rpc("list_repos", { team_id: it.teamId });
    expect({ status, code: error?.code }).toEqual({ status: 403, code: "42501" });
    const missing = await client().rpc("pong", { team_id: it.teamId });
    expect(missing).toMatchObject({
      status: 404,
      data: null,
      error: { code: "PGRST202", hint: expect.stringContaining("api.ping(") },
    });
  });
});

describe("a function's result", () => {
  test("comes as Postgres writes it: numbers with all digits, microseconds, arrays, jsonb", async () => {
    const { text } = await call("sample_row", { id: 1 });
    expect(text).toBe(
      '{"id":1,"name":"one","big":9007199254740993,"at":"2026-01-02T03:04:05.678901+00:00","tags":["00000000-0000-0000-0000-000000000001"],"extra":{"a": [1.10, null], "b": 1}}',
    );
  });

  test("is a scalar, a list of scalars, an object of out parameters, or nothing", async () => {
    expect((await call("sample_text", {})).json()).toBe("hello");
    expect((await call("sample_text", { word: null })).json()).toBeNull();
    expect((await call("sample_numbers", { up_to: 2 })).json()).toEqual([1, 2]);
    expect((await call("sample_out", { a: 2 })).json()).toEqual({ twice: 4, thrice: 6 });
    const nothing = await call("sample_void", { name: "x" });
    expect([nothing.status, nothing.text]).toEqual([204, ""]);
  });

  test("tells its range, is 206 when there is more, and 416 beyond the end", async () => {
    const all = await call("sample_rows", {});
    expect([all.status, all.headers.get("content-range")]).toEqual([200, "0-3/*"]);
    const part = await call(
      "sample_rows",
      {},
      { query: "?limit=2&offset=1&select=id", headers: { prefer: "count=exact" } },
    );
    expect([part.status, part.headers.get("content-range"), part.json()]).toEqual([
      206,
      "1-2/4",
      [{ id: 2 }, { id: 3 }],
    ]);
    const byHeader = await call(
      "sample_rows",
      {},
      { headers: { range: "3-9", prefer: "count=planned" }, query: "?select=id" },
    );
    expect([byHeader.status, byHeader.headers.get("content-range"), byHeader.json()]).toEqual([
      206,
      "3-3/4",
      [{ id: 4 }],
    ]);
    const beyond = await call("sample_rows", {}, { query: "?offset=9", headers: { prefer: "count=exact" } });
    expect([beyond.status, beyond.json().code]).toEqual([416, "PGRST103"]);
    const none = await call("sample_rows", {}, { query: "?id=eq.77", headers: { prefer: "count=exact" } });
    expect([none.status, none.headers.get("content-range"), none.json()]).toEqual([200, "*/0", []]);
  });

  test("never has more rows than the limit, whatever was asked for", async () => {
    const { headers, json } = await call("sample_numbers", { up_to: 5000 }, { query: "?limit=4000" });
    expect([headers.get("content-range"), json().length]).toEqual(["0-999/*", 1000]);
  });
});

describe("a call", () => {
  test("finds the overload by the names of the arguments", async () => {
    expect((await call("sample_over", { a: 1 })).json()).toBe("one");
    expect((await call("sample_over", { b: 1, a: 2 })).json()).toBe("two");
    const twin = await call("sample_twin", { a: 1 });
    expect([twin.status, twin.json().code]).toEqual([300, "PGRST203"]);
  });

  test("with unknown or missing arguments is 404 and says which function was perhaps meant", async () => {
    const { status, json } = await call("ping", { team: it.teamId });
    expect(status).toBe(404);
    expect(json()).toEqual({
      code: "PGRST202",
      message: "Could not find the function api.ping(team) in the schema cache",
      details: "No function api.ping takes exactly the arguments team.",
      hint: "Perhaps you meant to call api.ping(team_id => uuid, note => jsonb, id => uuid)",
    });
  });

  test("that Postgres refuses has PostgREST's status and an object with code, message, details, hint", async () => {
    const states = {
      P0001: 400,
      "23505": 409,
      "42501": 403,
      PT418: 418,
      "53300": 503,
      "40001": 500,
      "22P02": 400,
      "57014": 504,
    };
    const got: Record<string, number> = {};
    for (const state of Object.keys(states)) {
      const answer = await call("sample_raise", { state });
      got[state] = answer.status;
      expect(answer.json()).toEqual({ code: state, message: "no", details: "because", hint: "try" });
    }
    expect(got).toEqual(states);
    const wrongType = await call("list_repos", { team_id: "not a uuid" });
    expect([wrongType.status, wrongType.json().code]).toEqual([400, "22P02"]);
  });

  test("with a body that is not a JSON object is 400, one too large 413, another type 415", async () => {
    for (const body of ["{", "[]", '"x"', "null", '{"a":1}}']) {
      const { status, json } = await call("whoami", body);
      expect([status, json().code]).toEqual([400, "PGRST102"]);
    }
    const large = await call("ping", { team_id: it.teamId, note: { x: "y".repeat(5_000_000) } });
    expect([large.status, large.json().code]).toEqual([413, "too_large"]);
    const form = await call("whoami", "a=1", { headers: { "content-type": "application/x-www-form-urlencoded" } });
    expect([form.status, form.json().code]).toEqual([415, "PGRST102"]);
  });

  test("with no body at all is a call without arguments", async () => {
    const response = await fetch(`${it.url}/rest/v1/rpc/whoami`, {
      method: "POST",
      headers: { authorization: `Bearer ${it.token}` },
    });
    expect([response.status, (await response.json()).name]).toEqual([200, "Ada"]);
  });

  test("by GET cannot write: neither a volatile function nor one that lies about it", async () => {
    const ping = await call("ping", {}, { method: "GET", query: `?team_id=${it.teamId}` });
    expect([ping.status, ping.json().code]).toEqual([405, "25006"]);
    const sneaky = await call("sample_sneaky", {}, { method: "GET" });
    expect([sneaky.status, sneaky.json().code]).toEqual([405, "25006"]);
    const patch = await call("whoami", {}, { method: "PATCH" });
    expect([patch.status, patch.json().code]).toEqual([405, "method_not_allowed"]);
  });

  test("that wanted exactly one row and got another number leaves nothing behind", async () => {
    const before = await it.admin`select count(*)::int as n from app.pings`;
    await it.admin.unsafe(
      `create or replace function api.sample_ping_none(team_id uuid) returns setof int language plpgsql as $$ begin perform api.ping(team_id); end $$; grant execute on function api.sample_ping_none to authenticated`,
    );
    await Bun.sleep(1100);
    const { status } = await call(
      "sample_ping_none",
      { team_id: it.teamId },
      { headers: { accept: "application/vnd.pgrst.object+json" } },
    );
    expect(status).toBe(406);
    expect(await it.admin`select count(*)::int as n from app.pings`).toEqual(before);
  });

  test("keeps what Postgres cannot store out of it, and the row says so", async () => {
    const { json } = await call(
      "ping",
      `{"team_id":"${it.teamId}","note":{"a\\u0000b":"x\\u0000y \\ud83d z","n":12345678901234567890.5}}`,
    );
    expect(json()).toMatchObject({ note: { "a\ufffdb": "x\ufffdy \ufffd z" }, sanitised: true });
    const [row] = await it.admin`select note->>'n' as n from app.pings where id = ${json().id}`;
    expect(row).toEqual({ n: "12345678901234567890.5" });
  });

  test("asking for a form that is not there is 406, and for select on a scalar 400", async () => {
    const csv = await call("sample_rows", {}, { headers: { accept: "text/csv" } });
    expect([csv.status, csv.json().code]).toEqual([406, "PGRST107"]);
    const scalar = await call("sample_text", {}, { query: "?select=a" });
    expect([scalar.status, scalar.json().code]).toEqual([400, "PGRST100"]);
    const column = await call("sample_rows", {}, { query: "?order=nothing" });
    expect([column.status, column.json().code]).toEqual([400, "42703"]);
    const odd = await call("sample_rows", {}, { query: "?foo=bar" });
    expect([odd.status, odd.json().code]).toEqual([400, "PGRST100"]);
  });

  test("cannot smuggle SQL through names of columns, aliases, casts or values", async () => {
    for (const query of [
      "?select=id::int);drop table app.samples",
      '?order=id"; drop',
      "?id%22=eq.1",
      "?select=x%22y",
      "?id=in.(1);drop",
    ]) {
      const { status } = await call("sample_rows", {}, { query });
      expect(status).toBe(400);
    }
    const value = await call("sample_rows", {}, { query: `?name=eq.${encodeURIComponent("' or 1=1 --")}` });
    expect(value.json()).toEqual([]);
    const arg = await call("sample_text", { 'word" => 1) --': 1 });
    expect(arg.status).toBe(404);
  });
});
