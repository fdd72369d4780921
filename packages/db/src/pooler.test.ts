/** Postgres behind a real PgBouncer in transaction mode, where each transaction may use another connection. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { quietLog, testClone } from "@devflow/testkit";
import { type Pooler, startPooler } from "../testing/start-pooler.ts";
import { type Database, openDatabase } from "./index.ts";

let clone: Awaited<ReturnType<typeof testClone>>;
let pooler: Pooler;
let database: Database;
beforeAll(async () => {
  clone = await testClone({ migrated: false });
  pooler = await startPooler({ target: clone.target, knows: "everyone" });
  database = await openDatabase({ target: pooler.url(clone.name), poolSize: 8, log: quietLog });
}, 60_000);
afterAll(async () => {
  await database?.close();
  await pooler?.stop();
  await clone?.drop();
});

test("it is migrated and serves people at once, each with their own claims", async () => {
  const people = Array.from({ length: 12 }, () => uuidv7());
  await Promise.all(
    people.map((id, index) => database.asEngine((tx) => tx`select app.ensure_user(${id}, ${`Person ${index}`})`)),
  );
  for (let round = 0; round < 5; round++) {
    const seen = await Promise.all(
      people.map(async (sub) => {
        const [me] = await database.withClaims({ sub, role: "authenticated" }, (tx) => tx`select id from api.whoami()`);
        return me?.id;
      }),
    );
    expect(seen).toEqual(people);
  }
});

test("followers are told again and again to read on, because nothing is heard through a pooler", async () => {
  let reads = 0;
  const listening = await database.listen(
    "changes",
    () => undefined,
    () => {
      reads += 1;
    },
  );
  expect(reads).toBe(1);
  while (reads < 2) await Bun.sleep(50);
  await listening.stop();
});

test("a pooler that does not know the role of the server is refused with what to do", async () => {
  const strict = await startPooler({ target: clone.target, knows: "administrator" });
  try {
    const refused = await openDatabase({ target: strict.url(clone.name), log: quietLog }).catch((error) => error);
    expect(refused.message).toBe(
      "The database role devflow_server lacks privileges that Devflow needs: the connection pooler does not let it log in.",
    );
    expect(refused.hint).toContain("auth_query");
  } finally {
    await strict.stop();
  }
});
