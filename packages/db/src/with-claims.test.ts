/** Transactions on behalf of a caller: nothing of one request reaches the next. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { safeJson } from "@devflow/redact";
import { testDatabase } from "@devflow/testkit";
import { type Claims, connectAsAdmin, type Transaction } from "./index.ts";

// One connection, so that all requests share it.
const { database, target, name, close } = await testDatabase({ poolSize: 1 });
const admin = connectAsAdmin(target, name);
afterAll(async () => {
  await admin.end();
  await close();
});

const ann = uuidv7<"user">();
const claims: Claims = { sub: ann, role: "authenticated" };
let team = "";

beforeAll(async () => {
  await database.asEngine((tx) => tx`select app.ensure_user(${ann}, 'Ann')`);
  const [made] = await database.withClaims(claims, (tx) => tx<{ id: string }[]>`select id from api.create_team('A')`);
  team = made?.id ?? "";
});

const left = () => database.sql`
  select current_user as role, coalesce(current_setting('request.jwt.claims', true), '') as claims,
         coalesce(current_setting('request.sanitised', true), '') as sanitised,
         current_setting('statement_timeout') as timeout`;

const nothing = { role: "devflow_server", claims: "", sanitised: "", timeout: "0" };

describe("claims end with the transaction", () => {
  test("that was committed", async () => {
    const [inside] = await database.withClaims(
      claims,
      (tx) => tx`
      select auth.uid() as uid, auth.role() as role, current_user as database_role,
             current_setting('statement_timeout') as timeout`,
    );
    expect({ ...inside }).toEqual({ uid: ann, role: "authenticated", database_role: "authenticated", timeout: "15s" });
    expect({ ...(await left())[0] }).toEqual(nothing);
  });

  test("that failed, in SQL or in the program", async () => {
    await expect(database.withClaims(claims, (tx) => tx`select 1/0`)).rejects.toMatchObject({ code: "22012" });
    expect({ ...(await left())[0] }).toEqual(nothing);
    await expect(
      database.withClaims(claims, async () => {
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect({ ...(await left())[0] }).toEqual(nothing);
  });

  test("whose function did nothing", async () => {
    expect(await database.withClaims(claims, async () => 7)).toBe(7);
    expect({ ...(await left())[0] }).toEqual(nothing);
  });

  test("so the next person is not mistaken for the previous one", async () => {
    const eve = uuidv7<"user">();
    await database.withClaims(claims, (tx) => tx`select api.my_teams()`);
    const seen = await database.withClaims(
      { sub: eve, role: "authenticated" },
      (tx) => tx`select * from api.my_teams()`,
    );
    expect(seen).toHaveLength(0);
    const [me] = await database.withClaims({ role: "anon" }, (tx) => tx`select * from api.whoami()`);
    expect({ ...me }).toEqual({ id: null, name: null, email: null, role: "anon" });
  });
});

test("a partial failure leaves nothing, and an error caught inside still rolls back", async () => {
  const id = uuidv7();
  await expect(
    database.withClaims(claims, async (tx) => {
      await tx`select api.ping(${team}, id => ${id})`;
      throw new Error("half-way");
    }),
  ).rejects.toThrow("half-way");
  await expect(
    database.withClaims(claims, async (tx) => {
      await tx`select api.ping(${team}, id => ${id})`;
      await tx`select 1/0`.catch(() => undefined);
      return "looks fine";
    }),
  ).rejects.toThrow("a statement failed and its error was ignored");
  const rows = await database.asEngine((tx) => tx`select from app.pings where id = ${id}`);
  expect(rows).toHaveLength(0);
});

test("a person's statement that takes too long is cancelled, the engine's is not", async () => {
  const slow = database.withClaims(claims, (tx) => tx`select pg_sleep(5)`, { timeoutMs: 50 });
  await expect(slow).rejects.toMatchObject({ code: "57014" });
  const [row] = await database.asEngine((tx) => tx`select current_setting('statement_timeout') as timeout`);
  expect(row?.timeout).toBe("0");
});

test("a transaction whose program is frozen gives its locks back", async () => {
  const lock = (tx: Transaction) => tx`select pg_advisory_xact_lock(4711)`;
  const frozen = database.withClaims(
    claims,
    async (tx) => {
      await lock(tx);
      await Bun.sleep(1_000);
      return await tx`select 1`;
    },
    { timeoutMs: 50 },
  );
  frozen.catch(() => {});
  await Bun.sleep(300);
  await admin`select pg_advisory_lock(4711), pg_advisory_unlock(4711)`;
  await expect(frozen).rejects.toThrow();
  const [row] = await database.asEngine(
    (tx) => tx`select current_setting('idle_in_transaction_session_timeout') as idle`,
  );
  expect(row?.idle).toBe("30s");
  expect((await database.sql`select current_setting('idle_in_transaction_session_timeout') as idle`)[0]?.idle).toBe(
    "0",
  );
});

describe("a connection that is cut", () => {
  const cutting: Record<string, (tx: Transaction) => Promise<unknown>> = {
    "during a statement": async (tx: Transaction) => {
      const pid = await pidOf(tx);
      const slow = tx`select pg_sleep(10)`.execute();
      slow.catch(() => {});
      await terminate(pid);
      await slow;
    },
    "between two statements": async (tx: Transaction) => {
      await terminate(await pidOf(tx));
      await tx`select 1`;
    },
    "before the commit": async (tx: Transaction) => terminate(await pidOf(tx)),
  };

  test.each(Object.entries(cutting))("%s fails that request and none after it", async (_, cut) => {
    await expect(database.withClaims(claims, cut)).rejects.toMatchObject({ code: "db_unreachable" });
    const after = Array.from({ length: 5 }, () =>
      database.withClaims(claims, (tx) => tx`select * from api.my_teams()`),
    );
    expect((await Promise.all(after)).map((rows) => rows.length)).toEqual([1, 1, 1, 1, 1]);
  });

  test("sends nothing into another transaction", async () => {
    const id = uuidv7();
    let kept = undefined as unknown as Transaction;
    const dead = database.withClaims(claims, async (tx) => {
      kept = tx;
      await terminate(await pidOf(tx));
      await new Promise(() => {});
    });
    await expect(dead).rejects.toMatchObject({ code: "db_unreachable" });
    await database.withClaims(claims, async (tx) => {
      expect(() => kept`select api.ping(${team}, id => ${id})`).toThrow("the connection was lost");
      await tx`select 1`;
    });
    expect(await database.asEngine((tx) => tx`select from app.pings where id = ${id}`)).toHaveLength(0);
  });

  const pidOf = async (tx: Transaction) => {
    const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid ?? 0;
  };
  const terminate = async (pid: number) => {
    await admin`select pg_terminate_backend(${pid}, 5000)`;
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
});

test("a person's request cannot end other connections", async () => {
  const attempt = database.withClaims(claims, (tx) => tx`select pg_terminate_backend(pg_backend_pid())`);
  await expect(attempt).rejects.toMatchObject({ code: "42501" });
});

test("a finished transaction cannot be used", async () => {
  let kept = undefined as unknown as Transaction;
  await database.withClaims(claims, async (tx) => {
    kept = tx;
  });
  expect(() => kept`select 1`).toThrow("this transaction is over");
});

describe("text that jsonb refuses", () => {
  const hostile = { note: "a\0b", "k\0": ["\uD800", { deep: "x\uDC00" }], fine: "😀" };
  const stored = { note: "a\uFFFDb", "k\uFFFD": ["\uFFFD", { deep: "x\uFFFD" }], fine: "😀" };

  test("is sanitized, and the row records it", async () => {
    const { value, changed } = safeJson(hostile);
    const [ping] = await database.withClaims(
      claims,
      (tx) => tx`select note, sanitised from api.ping(${team}, ${tx.json(value)})`,
      { sanitised: changed },
    );
    expect({ ...ping }).toEqual({ note: stored, sanitised: true });
    const [clean] = await database.withClaims(
      claims,
      (tx) => tx`select sanitised from api.ping(${team}, ${tx.json({ a: 1 })})`,
    );
    expect(clean?.sanitised).toBe(false);
    const [repo] = await database.withClaims(
      claims,
      (tx) => tx`select sanitised from api.register_repo(${team}, 'safe')`,
      { sanitised: true },
    );
    expect(repo?.sanitised).toBe(true);
  });

  test("is sanitized at every jsonb argument of the data plane, even if the caller forgot", async () => {
    const entries = await database.sql<{ call: string }[]>`
      select p.oid::regproc::text || '(' || t.place || ')' as call
      from pg_proc p cross join unnest(p.proargtypes::oid[]) with ordinality as t (type, place)
      where p.pronamespace = 'api'::regnamespace and t.type in ('json'::regtype, 'jsonb'::regtype) order by 1`;
    expect(entries.map((one) => one.call)).toEqual(["api.heartbeat(2)", "api.ping(2)", "api.push_records(2)"]);
    const [inferred] = await database.withClaims(
      claims,
      (tx) => tx`select note from api.ping(${team}, ${hostile as never})`,
    );
    const [typed] = await database.withClaims(
      claims,
      (tx) => tx`select note from api.ping(${team}, ${tx.json(hostile)})`,
    );
    expect([inferred?.note, typed?.note]).toEqual([stored, stored]);
    const at = new Date().toISOString();
    const record = { id: uuidv7(), kind: "ping", schema_version: 1, at, payload: { note: hostile } };
    const [pushed] = await database.withClaims(
      claims,
      (tx) => tx`select status, reason from api.push_records(${team}, ${tx.json([record])})`,
    );
    expect({ ...pushed }).toEqual({ status: "stored", reason: null });
    const agent = { id: uuidv7(), host: "claude", session: "a\0b", machine: "laptop" };
    await database.withClaims(claims, (tx) => tx`select api.heartbeat(${team}, ${tx.json(agent)})`);
    const [seen] = await database.withClaims(claims, (tx) => tx`select session from app.agents where id = ${agent.id}`);
    expect(seen?.session).toBe("a\uFFFDb");
  });
});

test("a notification reaches a listener, which is informed whenever listening begins, also after a lost connection", async () => {
  const heard: string[] = [];
  let began = 0;
  let onAgain = () => {};
  let wake = () => {};
  const first = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const listener = await database.listen(
    "devflow_test",
    (text) => {
      heard.push(text);
      wake();
    },
    () => {
      began += 1;
      onAgain();
    },
  );
  await database.asEngine((tx) => tx`select pg_notify('devflow_test', 'seq 7')`);
  await first;
  expect({ heard, began }).toEqual({ heard: ["seq 7"], began: 1 });

  const [listening] = await admin<{ pid: number }[]>`
    select pid from pg_stat_activity where query = 'listen "devflow_test"' and datname = ${name}`;
  const back = new Promise<void>((resolve) => {
    onAgain = resolve;
  });
  await admin`select pg_terminate_backend(${listening?.pid ?? 0}, 5000)`;
  await back;
  const second = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await database.asEngine((tx) => tx`select pg_notify('devflow_test', 'seq 8')`);
  await second;
  expect({ heard, began }).toEqual({ heard: ["seq 7", "seq 8"], began: 2 });
  await listener.stop();
});
