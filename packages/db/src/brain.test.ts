/** The brain's tables, made from records: folding, numbers, lifecycle, erasing, presence, and what the functions say about them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { testDatabase } from "@devflow/testkit";
import { type Claims, connectAsAdmin } from "./index.ts";

const { database, target, name, close } = await testDatabase({ poolSize: 8 });
const admin = connectAsAdmin(target, name);
afterAll(async () => {
  await admin.end();
  await close();
});

const [ann, bob]: [string, string] = [uuidv7(), uuidv7()];
const repo = "github.com/acme/shop";
let team = "";
const claimsOf = (user: string): Claims => ({ sub: user, role: "authenticated" });
// biome-ignore lint/suspicious/noExplicitAny: rows of any function
type Row = Record<string, any>;

async function rows(call: string, args: readonly unknown[] = [], user = ann): Promise<Row[]> {
  return (await database.withClaims(claimsOf(user), (tx) => tx.unsafe(call, [team, ...args] as never[]))) as Row[];
}
const call = async (fn: string, args: readonly unknown[] = [], user: string = ann): Promise<Row[]> =>
  (
    await rows(
      `select to_jsonb(f) as value from api.${fn}($1${args.map((_, at) => `, $${at + 2}`).join("")}) f`,
      args,
      user,
    )
  ).map((row) => row.value);

interface Sent {
  readonly id?: string;
  readonly at?: string;
  readonly repo?: string | null;
}
async function push(
  kind: string,
  payload: object,
  { user = ann, id = uuidv7(), at, repo: of = repo }: Sent & { user?: string } = {},
) {
  const record = { id, kind, schema_version: 1, at: at ?? new Date().toISOString(), repo: of, payload };
  const [answer] = await rows("select status, reason from api.push_records($1, $2)", [[record]], user);
  return { id, ...(answer as { status: string; reason: string | null }) };
}

const agentOf = (user: string, session = "s1") => ({
  id: user === ann ? "11111111-1111-5111-8111-111111111111" : "22222222-2222-5222-8222-222222222222",
  host: "claude",
  session,
  machine: "laptop",
});
const intent = (fields: object) => ({
  ...{ rev: 1, agent: agentOf(ann), state: "active", text: "Rate limits", branch: "limits", files: [], features: [] },
  ...{ decisions: [], source: "person", confidence: 1, ...fields },
});
const decision = (fields: object) => ({
  ...{ rev: 1, type: "decision", title: "Use Postgres", body: "Because.", files: [], features: [], state: "accepted" },
  ...fields,
});
const edit = (fields: object) => ({
  ...{
    agent: agentOf(ann),
    file: "src/a.ts",
    tool: "Edit",
    lines: [[1, 5]],
    branch: "limits",
    commit: null,
    via: "edit",
  },
  ...fields,
});

beforeAll(async () => {
  await database.asEngine(async (tx) => {
    await tx`select app.ensure_user(${ann}, 'Ann')`;
    await tx`select app.ensure_user(${bob}, 'Bob')`;
  });
  const [made] = await database.withClaims(claimsOf(ann), (tx) => tx`select id from api.create_team('Shop')`);
  team = made?.id;
  await admin`insert into app.team_members (team_id, user_id, role) values (${team}, ${bob}, 'member')`;
});

describe("an intent", () => {
  test("is what its highest revision says, in whatever order the records arrive", async () => {
    const id = uuidv7();
    await push("intent", intent({ intent_id: id, rev: 3, state: "shipped", text: "Third", files: ["src/c.ts"] }));
    await push("intent", intent({ intent_id: id, rev: 1, text: "First", files: ["src/a.ts"] }));
    await push("intent", intent({ intent_id: id, rev: 2, text: "Second" }));
    const [found] = (await call("list_intents", [repo])).filter((one) => one.id === id);
    expect(found).toMatchObject({ rev: 3, state: "shipped", text: "Third", files: ["src/c.ts"], user_name: "Ann" });
    expect((await call("active_intents", [repo])).some((one) => one.id === id)).toBe(false);
  });

  test("with the same revision written twice is the one with the higher record id, on every server", async () => {
    const id = uuidv7();
    const [low, high] = [uuidv7(), uuidv7()];
    await push("intent", intent({ intent_id: id, rev: 2, text: "Higher" }), { id: high });
    await push("intent", intent({ intent_id: id, rev: 2, text: "Lower" }), { id: low });
    expect((await call("list_intents", [repo])).find((one) => one.id === id)?.text).toBe("Higher");
  });
});

describe("a decision", () => {
  test("gets the next number of its repository, once", async () => {
    const ids = [uuidv7(), uuidv7(), uuidv7()];
    await Promise.all(ids.map((id) => push("decision", decision({ decision_id: id, title: `Numbered ${id}` }))));
    await push("decision", decision({ decision_id: ids[0], rev: 2, title: "Changed" }));
    const other = uuidv7();
    await push("decision", decision({ decision_id: other }), { repo: "github.com/acme/other" });
    const found = await call("list_decisions", [null, null]);
    const numbers = ids.map((id) => found.find((one) => one.id === id)?.number);
    expect(new Set(numbers).size).toBe(3);
    expect(found.find((one) => one.id === other)?.number).toBe(1);
    expect(found.find((one) => one.id === ids[0])).toMatchObject({ title: "Changed", rev: 2 });
  });

  test("that an accepted one replaces is superseded, even if it arrives after it", async () => {
    const [old, next] = [uuidv7(), uuidv7()];
    await push("decision", decision({ decision_id: next, title: "Use Valkey for caching", supersedes: old }));
    await push("decision", decision({ decision_id: old, title: "Use Memcached for caching" }));
    const [gone] = await call("show_decision", [old]);
    expect(gone).toMatchObject({ state: "superseded", superseded_by: next });
    expect((await call("list_decisions", [repo])).some((one) => one.id === old)).toBe(false);
    // Searching for the old one finds what replaced it, and says so.
    const found = await call("search_decisions", ["memcached", repo]);
    expect(found.map((one) => one.id)).toEqual([next]);
    expect(found[0]?.reasons.at(-1)).toMatch(/^replaces #\d+ Use Memcached for caching$/);
    expect((await call("search_decisions", ["memcached", repo, null, null, null])).map((one) => one.id)).toContain(old);
  });

  test("expires by itself", async () => {
    const id = uuidv7();
    await push(
      "decision",
      decision({ decision_id: id, type: "freeze", title: "No deploys", expires_at: "2020-01-01T00:00:00Z" }),
    );
    expect((await call("show_decision", [id]))[0]?.state).toBe("expired");
    expect((await call("list_decisions", [repo])).some((one) => one.id === id)).toBe(false);
  });

  test("has a timeline to which two people add at once", async () => {
    const id = uuidv7();
    await push("decision", decision({ decision_id: id, title: "Timeline" }));
    await Promise.all(
      [ann, bob].flatMap((user) =>
        [1, 2, 3].map((n) =>
          push("decision_event", { decision_id: id, event: "commented", text: `${n} of ${user}` }, { user }),
        ),
      ),
    );
    const [found] = await call("show_decision", [id]);
    expect(found?.timeline.filter((one: Row) => one.event === "commented")).toHaveLength(6);
    expect(found?.timeline[0]).toMatchObject({ event: "written", user_name: "Ann" });
  });

  test("falls back to its earlier revision when the newest record is erased, and is gone with the last", async () => {
    const id = uuidv7();
    const first = await push("decision", decision({ decision_id: id, title: "Earlier", files: ["src/kept.ts"] }));
    const second = await push(
      "decision",
      decision({ decision_id: id, rev: 2, title: "Key hunter2", files: ["src/hunter2.ts"] }),
    );
    const number = (await call("show_decision", [id]))[0]?.number;
    await rows("select api.forget_record($1, $2)", [second.id]);
    expect((await call("show_decision", [id]))[0]).toMatchObject({ title: "Earlier", files: ["src/kept.ts"], number });
    expect(await admin`select from app.files where path = 'src/hunter2.ts'`).toHaveLength(0);
    await rows("select api.forget_record($1, $2)", [first.id]);
    const gone = await call("show_decision", [id]).catch((error: { code: string }) => error.code);
    expect(gone).toBe("PT404");
  });

  test("search: common words, misspelt words, files and features, with reasons", async () => {
    const id = uuidv7();
    await push(
      "decision",
      decision({
        ...{ decision_id: id, title: "Sessions live in Redis", body: "Cookies were too large for the gateway." },
        ...{ files: ["src/session/store.ts"], features: ["login"] },
      }),
    );
    const ids = async (...args: unknown[]) => (await call("search_decisions", args)).map((one) => one.id);
    expect((await ids("why do sessions live in redis?", repo))[0]).toBe(id);
    expect((await ids("sesions", repo))[0]).toBe(id);
    expect((await ids("gateway cookie", repo))[0]).toBe(id);
    expect((await ids("", repo, ["src/session/store.ts"]))[0]).toBe(id);
    expect((await ids("", repo, null, ["login"]))[0]).toBe(id);
    expect(await ids("redis", "github.com/acme/other")).toEqual([]);
    expect(await ids("'; drop table app.decisions; -- & | ! <-> :*", repo)).toEqual([]);
    const [found] = await call("search_decisions", ["redis cookies", repo, ["src/session/store.ts"], ["login"]]);
    expect(found?.reasons).toEqual([
      "in the title: redi",
      "in the text: cooki",
      "is about a file in question",
      "is about a feature in question",
    ]);
  });
});

describe("what does not fit", () => {
  test.each([
    ["agent_edit", edit({ file: "../outside" })],
    ["agent_edit", edit({ file: "/etc/passwd" })],
    ["agent_edit", edit({ via: "magic" })],
    ["agent_edit", edit({ lines: "all" })],
    ["agent_edit", edit({ commit: "main" })],
    ["intent", intent({ intent_id: uuidv7(), text: "" })],
    ["intent", intent({ intent_id: "not a uuid" })],
    ["intent", intent({ intent_id: uuidv7(), confidence: 2 })],
    ["decision", decision({ decision_id: uuidv7(), title: "x".repeat(301) })],
    ["decision", decision({ decision_id: uuidv7(), state: "maybe" })],
    ["handoff", { agent: agentOf(ann), text: "", files: [], branch: null, source: "person" }],
    ["feature_tag", { feature: "Not A Name", files: [], decisions: [] }],
  ])("%s is refused with a reason: %#", async (kind, payload) => {
    const answer = await push(kind, payload);
    expect([answer.status, answer.reason?.startsWith("invalid: ")]).toEqual(["rejected", true]);
  });

  test("an edit outside a repository is refused", async () => {
    expect((await push("agent_edit", edit({}), { repo: null })).status).toBe("rejected");
  });
});

test("nobody writes as another person's agent: the same agent id counts as a different agent", async () => {
  await push("handoff", { agent: agentOf(ann), text: "From Ann", files: [], branch: null, source: "person" });
  await push(
    "handoff",
    { agent: agentOf(ann), text: "From Bob", files: [], branch: null, source: "person" },
    { user: bob },
  );
  const found = await call("list_handoffs", [repo]);
  expect(found.slice(0, 2).map((one) => [one.text, one.user_name])).toEqual([
    ["From Bob", "Bob"],
    ["From Ann", "Ann"],
  ]);
  const agents = await admin`select user_id from app.agents where team_id = ${team} and id = ${agentOf(ann).id}`;
  expect(agents).toHaveLength(2);
});

describe("why", () => {
  test("walks from a line to the edit, the intent, the decision, the eval and the ship, each with how", async () => {
    const [intentId, decisionId] = [uuidv7(), uuidv7()];
    const parent = "a".repeat(40);
    const commit = "b".repeat(40);
    await push("decision", decision({ decision_id: decisionId, title: "Limit by key", intent_id: intentId }));
    await push("intent", intent({ intent_id: intentId, text: "Limit requests", branch: "why" }), { at: ago(60) });
    const about = { file: "src/limit.ts", branch: "why" };
    await push("agent_edit", edit({ ...about, lines: [[100, 120]], commit: parent }), { at: ago(50) });
    const right = await push(
      "agent_edit",
      edit({ ...about, lines: [[10, 20]], commit: parent, intent_id: intentId, prompt: "Add a limit" }),
      { at: ago(40) },
    );
    await push("agent_edit", edit({ ...about, lines: [[1, 200]], commit }), { at: ago(5) });
    await push("ship_log", { version: "1.2.0", branch: "why" }, { at: ago(1) });
    const [found] = await call("why", [repo, "src/limit.ts", 15, commit, [parent], ago(30)]);
    expect(found?.edits[0]).toMatchObject({
      ...{ id: right.id, prompt: "Add a limit", lines: [[10, 20]], confidence: 0.95 },
      how: "it covers the line, it was made on the parent of the commit",
    });
    expect(found?.intents.map((one: Row) => [one.text, one.how])).toContainEqual([
      "Limit requests",
      "the edit names it",
    ]);
    expect(found?.decisions.map((one: Row) => [one.title, one.how])).toEqual([
      ["Limit by key", "it was made for the intent"],
    ]);
    expect(found?.ships.map((one: Row) => one.version)).toEqual(["1.2.0"]);
    const [unknown] = await call("why", [repo, "src/never.ts", 1]);
    expect(unknown).toEqual({ edits: [], intents: [], runs: [], decisions: [], findings: [], evals: [], ships: [] });
  });

  test("a file's story, the hot files, the standup and the digest agree", async () => {
    const [story] = await call("file_story", [repo, "src/limit.ts"]);
    expect(story).toMatchObject({ file: "src/limit.ts", total: 3 });
    const hot = (await call("hot_files", [repo])).find((one) => one.file === "src/limit.ts");
    expect(hot).toMatchObject({ edits: 3, people: 1, agents: 1 });
    const people = await call("standup", [ago(3600), repo]);
    expect(people.map((one) => one.user_name)).toEqual(["Ann", "Bob"]);
    const [digest] = await call("brain_digest", [repo]);
    expect(digest?.edits.find((one: Row) => one.file === "src/limit.ts")).toMatchObject({
      edits: 3,
      lines: [[1, 200]],
    });
    expect(digest?.decisions.every((one: Row) => ["accepted", "proposed"].includes(one.state))).toBe(true);
  });
});

describe("presence", () => {
  const beat = (user: string, args: readonly unknown[]) => call("heartbeat", [agentOf(user), repo, ...args], user);
  const kinds = async () =>
    (await admin`select kind, op from app.changes where team_id = ${team} order by seq`)
      .filter((one) => one.kind === "presence")
      .map((one) => one.op);

  test("is told to the log when somebody comes, turns to something else or leaves, and not otherwise", async () => {
    expect(await beat(ann, ["Rate limits", "limits", ["src/a.ts"]])).toEqual([0] as never);
    expect(await beat(bob, ["Checkout", "checkout"])).toEqual([1] as never);
    await beat(ann, ["Rate limits", "limits", ["src/b.ts"]]);
    expect(await kinds()).toEqual(["upsert", "upsert"]);
    await beat(ann, ["Something else", "limits"]);
    expect(await kinds()).toEqual(["upsert", "upsert", "upsert"]);
    expect((await call("live_presence", [repo])).map((one) => [one.user_name, one.intent_text])).toEqual([
      ["Ann", "Something else"],
      ["Bob", "Checkout"],
    ]);
    await beat(bob, [null, null, [], "left"]);
    expect(await kinds()).toEqual(["upsert", "upsert", "upsert", "delete"]);
  });

  test("ends after five minutes, and the next heartbeat says so", async () => {
    await beat(bob, ["Checkout"]);
    await admin`update app.presence set expires_at = now() - interval '1 second' where user_id = ${bob}`;
    expect((await call("live_presence", [repo])).map((one) => one.user_name)).toEqual(["Ann"]);
    await beat(ann, ["Something else", "limits"]);
    expect((await kinds()).at(-1)).toBe("delete");
    expect(await admin`select from app.presence where user_id = ${bob}`).toHaveLength(0);
  });
});

function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}
