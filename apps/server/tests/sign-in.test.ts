import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CodeIssued, ExchangeAnswer, TokenAnswer } from "@devflow/protocol";
import { createClient } from "@supabase/supabase-js";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { ensureLocalUser, localUserId } from "../src/auth/local-user.ts";
import { audience, issuer, startTestServer, type TestServer } from "./test-server.ts";

let it: TestServer;
let now = Date.now();
beforeAll(async () => {
  it = await startTestServer({ clock: { now: () => now, sleep: (ms) => Bun.sleep(ms) } });
}, 60_000);
afterAll(() => it.stop(), 60_000);

const post = (path: string, token?: string, body?: unknown, base = it.url) =>
  fetch(`${base}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const whoami = async (token: string, base = it.url) => {
  const response = await post("/rest/v1/rpc/whoami", token, {}, base);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const newCode = async () => CodeIssued.parse(await (await post("/auth/code", it.machineToken)).json()).code;

async function signed(
  change: JWTPayload = {},
  options: { key?: string; alg?: string; drop?: string } = {},
): Promise<string> {
  const iat = Math.floor(now / 1000);
  const claims: JWTPayload = {
    sub: localUserId,
    role: "authenticated",
    iss: issuer,
    aud: audience,
    iat,
    exp: iat + 300,
    ...change,
  };
  if (options.drop) delete claims[options.drop];
  return new SignJWT(claims)
    .setProtectedHeader({ alg: options.alg ?? "HS256" })
    .sign(new TextEncoder().encode(options.key ?? it.signingKey));
}

describe("a token", () => {
  test("of this machine, well formed, is its person", async () => {
    expect((await whoami(await signed())).body).toMatchObject({ id: localUserId, name: "Ada" });
    expect((await whoami(it.machineToken)).body).toMatchObject({ id: localUserId, name: "Ada" });
  });

  test("forged, expired or altered in any claim is refused with 401 and an object", async () => {
    const iat = Math.floor(now / 1000);
    const good = await signed();
    const [head, payload, signature] = good.split(".") as [string, string, string];
    const altered = Buffer.from(JSON.stringify({ ...JSON.parse(atob(payload)), sub: it.stranger.id })).toString(
      "base64url",
    );
    const bad: Record<string, string> = {
      "another key": await signed({}, { key: "k".repeat(64) }),
      expired: await signed({ iat: iat - 700, exp: iat - 100 }),
      "alg none": new UnsecuredJWT({
        sub: localUserId,
        role: "authenticated",
        iat,
        exp: iat + 300,
        iss: issuer,
        aud: audience,
      }).encode(),
      "another algorithm": await signed({}, { alg: "HS512" }),
      "another audience": await signed({ aud: "others" }),
      "another issuer": await signed({ iss: "others" }),
      "not yet valid": await signed({ nbf: iat + 1000 }),
      "a stronger role": await signed({ role: "service_role" }),
      "the engine's role": await signed({ role: "devflow_engine" }),
      "no expiry": await signed({}, { drop: "exp" }),
      "no person": await signed({}, { drop: "sub" }),
      "no issue time": await signed({}, { drop: "iat" }),
      "a person that is no id": await signed({ sub: "admin" }),
      "altered content": `${head}.${altered}.${signature}`,
      "no signature": `${head}.${payload}.`,
      "not a token": "x.y.z",
      "far too long": "a".repeat(8000),
    };
    for (const [what, token] of Object.entries(bad)) {
      const { status, body } = await whoami(token);
      expect([what, status, body.code]).toEqual([what, 401, "PGRST301"]);
    }
  });

  test("that was good is refused once it has expired, although it is remembered", async () => {
    const token = await signed({ exp: Math.floor(now / 1000) + 60 });
    expect((await whoami(token)).status).toBe(200);
    now += 61_000;
    expect((await whoami(token)).status).toBe(401);
  });

  test("with the role anon may ask who it is and nothing else", async () => {
    const token = await signed({ role: "anon" });
    expect((await whoami(token)).status).toBe(200);
    const response = await post("/rest/v1/rpc/ping", token, { team_id: it.teamId });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([401, "42501"]);
    for (const path of ["/api/status", "/api/commands", "/sse/global"]) {
      const closed = await fetch(`${it.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      expect([path, closed.status]).toEqual([path, 403]);
    }
    const missing = await post("/rest/v1/rpc/create_teem", token, {});
    expect(((await missing.json()) as { hint: string | null }).hint).toBeNull();
  });

  test("of a member of another team reads and writes nothing of this one, through the real client", async () => {
    const { token } = it.stranger;
    const mallory = createClient(it.url, token, { db: { schema: "api" }, auth: { persistSession: false } });
    for (const [fn, args] of Object.entries({
      ping: { team_id: it.teamId },
      list_repos: { team_id: it.teamId },
      team_members: { team_id: it.teamId },
      changes: { team_id: it.teamId },
      register_repo: { team_id: it.teamId, name: "theirs" },
    })) {
      const { data, error, status } = await mallory.rpc(fn, args);
      expect([fn, data, status, error?.code]).toEqual([fn, null, 403, "42501"]);
    }
    const { data } = await mallory.rpc("my_teams");
    expect(data).toMatchObject([{ slug: "strangers" }]);
  });
});

describe("a one-time code", () => {
  test("becomes a tab's token once, and the token is good after a restart", async () => {
    const code = await newCode();
    const answer = ExchangeAnswer.parse(await (await post("/auth/exchange", undefined, { code })).json());
    expect(answer.user).toEqual({ id: localUserId, name: "Ada" });
    expect(Date.parse(answer.expiresAt) - now).toBeGreaterThan(29 * 24 * 3600_000);
    expect((await post("/auth/exchange", undefined, { code })).status).toBe(401);
    const restarted = await it.startAnother();
    expect((await whoami(answer.token, restarted.url)).body).toMatchObject({ name: "Ada" });
  });

  test("is good for a minute", async () => {
    const code = await newCode();
    now += 61_000;
    const late = await post("/auth/exchange", undefined, { code });
    expect([late.status, ((await late.json()) as { error: { code: string } }).error.code]).toEqual([
      401,
      "unauthenticated",
    ]);
  });

  test("is given to this machine's token only", async () => {
    const tab = ExchangeAnswer.parse(
      await (await post("/auth/exchange", undefined, { code: await newCode() })).json(),
    ).token;
    for (const token of [tab, await signed(), it.stranger.token]) {
      const refused = await post("/auth/code", token);
      expect(refused.status).toBe(403);
    }
  });

  test("cannot be guessed at leisure", async () => {
    now += 120_000;
    const statuses = new Set<number>();
    for (let index = 0; index < 31; index++)
      statuses.add((await post("/auth/exchange", undefined, { code: `guess-${index}` })).status);
    expect([...statuses]).toEqual([401, 429]);
    expect((await post("/auth/exchange", undefined, { code: await newCode() })).status).toBe(429);
    now += 61_000;
    expect((await post("/auth/exchange", undefined, { code: await newCode() })).status).toBe(200);
    for (const body of [undefined, {}, { code: "" }, { code: 5 }, [], { code: "x".repeat(300) }]) {
      expect((await post("/auth/exchange", undefined, body)).status).toBe(400);
    }
  });
});

test("a data-plane token lasts ten minutes, works in supabase-js, and cannot renew itself", async () => {
  const answer = TokenAnswer.parse(await (await post("/auth/token", it.machineToken)).json());
  expect(answer.expires_in).toBe(600);
  const client = createClient(it.url, answer.access_token, { db: { schema: "api" }, auth: { persistSession: false } });
  const { data } = await client.rpc("my_teams");
  expect(data).toMatchObject([{ slug: "demo", name: "Demo", role: "owner" }]);
  expect((await post("/auth/token", answer.access_token)).status).toBe(403);
  now += 601_000;
  expect((await client.rpc("my_teams")).status).toBe(401);
});

test("the local user and the demo team are made once, however many processes make them", async () => {
  await it.admin`delete from app.team_members where user_id = ${localUserId}`;
  await it.admin`delete from app.teams where slug = 'demo'`;
  await it.admin`delete from app.users where id = ${localUserId}`;
  const made = await Promise.all(
    Array.from({ length: 4 }, () => ensureLocalUser(it.database.database, { name: "Ada" })),
  );
  expect(new Set(made.map((one) => one.teams.map((team) => team.slug).join())).size).toBe(1);
  expect(made[0]?.teams).toMatchObject([{ slug: "demo", name: "Demo", role: "owner" }]);
  expect(await it.admin`select count(*)::int as n from app.team_members where user_id = ${localUserId}`).toMatchObject([
    { n: 1 },
  ]);
});
