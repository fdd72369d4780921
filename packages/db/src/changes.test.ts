/** A team's ordered log, and the writes that append to it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { testDatabase } from "@devflow/testkit";
import { type Claims, connectAsAdmin } from "./index.ts";

const { database, target, name, close } = await testDatabase({ poolSize: 12 });
const admin = connectAsAdmin(target, name);
afterAll(async () => {
  await admin.end();
  await close();
});

const ann = uuidv7<"user">();
const claims: Claims = { sub: ann, role: "authenticated" };
const as = <T>(fn: Parameters<typeof database.withClaims<T>>[1]) => database.withClaims(claims, fn);
let team = "";

beforeAll(async () => {
  await database.asEngine((tx) => tx`select app.ensure_user(${ann}, 'Ann', 'ann@example.org')`);
});

async function freshTeam(): Promise<string> {
  const [made] = await as(
    (tx) => tx<{ id: string }[]>`select id from api.create_team(${`Team ${uuidv7().slice(-12)}`})`,
  );
  return made?.id ?? "";
}

const seqs = async () =>
  (await as((tx) => tx<{ seq: number }[]>`select seq from api.changes(${team}, 0, 1000)`)).map((one) => one.seq);

describe("many writers in one team", () => {
  test("get seqs without gaps, and a reader that follows misses none", async () => {
    team = await freshTeam();
    const seen: number[] = [];
    let isOver = false;
    // Reads only beyond its cursor, as a pull or a stream does: a seq that commits late would be missed.
    const follower = (async () => {
      for (;;) {
        const wasOver = isOver;
        const rows = await as((tx) => tx<{ seq: number }[]>`select seq from api.changes(${team}, ${seen.at(-1) ?? 0})`);
        seen.push(...rows.map((one) => one.seq));
        if (wasOver && rows.length === 0) return;
      }
    })();
    const writers = Array.from({ length: 10 }, async (_, writer) => {
      for (let count = 0; count < 20; count++) {
        const work = as(async (tx) => {
          await tx`select api.ping(${team})`;
          // Every fifth rolls back after taking its seq; that must leave no gap.
          if ((writer + count) % 5 === 0) throw new Error("gives up");
        });
        await work.catch((error: Error) => {
          if (error.message !== "gives up") throw error;
        });
      }
    });
    await Promise.all(writers);
    isOver = true;
    await follower;
    const expected = Array.from({ length: 1 + 160 }, (_, index) => index + 1);
    expect(await seqs()).toEqual(expected);
    expect(seen).toEqual(expected);
    const [order] = await admin<{ wrong: number }[]>`
      select count(*)::int as wrong from (
        select at < lag(at) over (order by seq) as early from app.changes where team_id = ${team}) as rows where early`;
    expect(order?.wrong).toBe(0);
  });

  test("a batch takes a range in its own order, and teams do not wait for each other", async () => {
    team = await freshTeam();
    const other = await freshTeam();
    const ids = Array.from({ length: 50 }, () => uuidv7());
    await database.asEngine(async (tx) => {
      const [row] = await tx<
        { last: number }[]
      >`select app.append_changes(${team}, 'run', ${tx.array(ids)}::uuid[]) as last`;
      expect(row?.last).toBe(51);
      // This transaction is open and holds the first team's lock.
      const [ping] = await as((inner) => inner`select id from api.ping(${other})`);
      expect(ping?.id).toBeString();
    });
    const rows = await as((tx) => tx<{ entity_id: string }[]>`select entity_id from api.changes(${team}, 1)`);
    expect(rows.map((one) => one.entity_id)).toEqual(ids);
  });
});

describe("a repeated write", () => {
  test("with the same id is done once and answered with the first answer", async () => {
    team = await freshTeam();
    const id = uuidv7();
    const send = (note: Record<string, string>) =>
      as((tx) => tx`select id, note, at from api.ping(${team}, ${tx.json(note)}, ${id})`);
    const answers = await Promise.all([send({ try: "a" }), send({ try: "a" }), send({ try: "a" })]);
    answers.push(await send({ try: "later" }));
    expect(new Set(answers.map((rows) => JSON.stringify(rows[0]))).size).toBe(1);
    expect(await seqs()).toEqual([1, 2]);
    const repo = uuidv7();
    const register = () => as((tx) => tx`select id, name from api.register_repo(${team}, 'site', id => ${repo})`);
    expect([...(await register())]).toEqual([...(await register())]);
    expect(await seqs()).toEqual([1, 2, 3]);
  });

  test("with another id but a taken name is a conflict", async () => {
    const again = as((tx) => tx`select api.register_repo(${team}, 'site')`);
    await expect(again).rejects.toMatchObject({ code: "23505" });
    const [made] = await as((tx) => tx<{ slug: string }[]>`select slug from api.create_team('Taken', 'taken')`);
    expect(made?.slug).toBe("taken");
    const taken = as((tx) => tx`select api.create_team('Taken', 'taken')`);
    await expect(taken).rejects.toMatchObject({ code: "23505", message: "the slug taken is taken" });
  });
});

describe("answers", () => {
  test("a team gets a unique slug from its name", async () => {
    const slugOf = async (text: string) =>
      (await as((tx) => tx<{ slug: string }[]>`select slug from api.create_team(${text})`))[0]?.slug;
    expect(await slugOf("  Blue Ocean & Söhne! ")).toBe("blue-ocean-s-hne");
    expect(await slugOf("Blue Ocean & Söhne")).toMatch(/^blue-ocean-s-hne-[0-9a-f]{8}$/);
    expect(await slugOf("漢字")).toMatch(/^[0-9a-f]{8}$/);
    await expect(as((tx) => tx`select api.create_team('')`)).rejects.toMatchObject({ code: "23514" });
    await expect(as((tx) => tx`select api.create_team('x', 'Not A Slug')`)).rejects.toMatchObject({ code: "23514" });
  });

  test("a person can read their profile, their teams and their teammates", async () => {
    team = await freshTeam();
    const [me] = await as((tx) => tx`select * from api.whoami()`);
    expect({ ...me }).toEqual({ id: ann, name: "Ann", email: "ann@example.org", role: "authenticated" });
    const members = await as((tx) => tx`select user_id, name, role from api.team_members(${team})`);
    expect([...members]).toEqual([{ user_id: ann, name: "Ann", role: "owner" }]);
    const mine = await as((tx) => tx<{ id: string; role: string }[]>`select * from api.my_teams()`);
    expect(mine.find((one) => one.id === team)?.role).toBe("owner");
  });

  test("a person known only to a platform's sign-in is stored with their first team", async () => {
    const bob: Claims = { sub: uuidv7(), role: "authenticated", email: "bob@example.org" };
    const [before] = await database.withClaims(bob, (tx) => tx`select * from api.whoami()`);
    expect({ ...before }).toEqual({ id: bob.sub, name: null, email: "bob@example.org", role: "authenticated" });
    await database.withClaims(bob, (tx) => tx`select api.create_team('Bob''s')`);
    const [after] = await database.withClaims(bob, (tx) => tx`select name from api.whoami()`);
    expect(after?.name).toBe("bob@example.org");
  });

  test("a list has a maximum length", async () => {
    team = await freshTeam();
    const ids = Array.from({ length: 1200 }, () => uuidv7());
    await database.asEngine((tx) => tx`select app.append_changes(${team}, 'run', ${tx.array(ids)}::uuid[])`);
    const rowsOf = async (most: number | null) =>
      (await as((tx) => tx`select seq from api.changes(${team}, 0, ${most})`)).length;
    expect([await rowsOf(100_000), await rowsOf(null), await rowsOf(-5), await rowsOf(7)]).toEqual([1000, 500, 1, 7]);
  });

  test("a note that is too large is refused", async () => {
    const noise = Array.from({ length: 4000 }, () => uuidv7()).join("");
    const large = as((tx) => tx`select api.ping(${team}, ${tx.json({ noise })})`);
    await expect(large).rejects.toMatchObject({ code: "54000" });
  });
});
