/** Signing in to a team server: the setup link, invites, terminals, refresh tokens, links, browsers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { Failure, Grant, InviteLook, OAuthFailure } from "@devflow/protocol";
import { startTestTeam, type TestTeam } from "./team-server.ts";

let it: TestTeam;
beforeAll(async () => {
  it = await startTestTeam();
}, 60_000);
afterAll(() => it.stop(), 60_000);

const errorOf = async (response: Response) => OAuthFailure.parse(await response.json()).error;
const codeOf = async (response: Response) => Failure.parse(await response.json()).error.code;
const next = async (response: Response) => Grant.parse(await response.json()).refresh_token ?? "";

describe("a new server", () => {
  test("is set up by one person, once, and has no machine user and no demo team", async () => {
    const people = await it.admin<{ name: string }[]>`select name from app.users`;
    expect(people.map((one) => one.name)).toEqual(["Ada"]);
    const teams = await it.admin<{ slug: string }[]>`select slug from app.teams`;
    expect(teams.map((one) => one.slug)).toEqual(["engines"]);
    const again = await it.post("/auth/session/setup", { token: it.setupToken, name: "Eve", team: "Spies" });
    expect([again.status, await codeOf(again)]).toEqual([410, "link_used"]);
  });

  test("offers no setup link once it has a team", async () => {
    const another = await it.startAnother();
    expect(another.setupUrl).toBeUndefined();
    await another.stop();
  });

  test("tells anybody how to sign in, and nothing else", async () => {
    expect(await (await fetch(`${it.url}/auth/ways`)).json()).toEqual({ mode: "team", email: false });
    expect(await (await fetch(`${it.url}/health`)).json()).toEqual({ ok: true });
  });
});

describe("an invite", () => {
  test("shows what it is for, lets one person in, and works once", async () => {
    const { token } = await it.rpc(it.ada.access_token, "create_invite", { team_id: it.teamId, role: "admin" });
    const look = InviteLook.parse(await (await it.post("/auth/invite/look", { token })).json());
    expect(look).toMatchObject({ team: "Engines", role: "admin", invitedBy: "Ada", email: null });
    const takes = await Promise.all(
      ["Bea", "Cid"].map((name) => it.post("/auth/session/invite", { token, name, terminal: "x" })),
    );
    expect(takes.map((one) => one.status).sort()).toEqual([200, 410]);
    expect((await it.post("/auth/invite/look", { token })).status).toBe(410);
    const [known] = await it.admin`select count(*)::int as n from app.users where name in ('Bea', 'Cid')`;
    expect(known?.n).toBe(1);
  });

  test("that was revoked or has expired lets nobody in", async () => {
    const revoked = await it.rpc(it.ada.access_token, "create_invite", { team_id: it.teamId });
    await it.rpc(it.ada.access_token, "revoke_invite", { team_id: it.teamId, invite_id: revoked.id });
    const expired = await it.rpc(it.ada.access_token, "create_invite", { team_id: it.teamId });
    await it.admin`update app.invites set expires_at = now() where id = ${expired.id}`;
    for (const token of [revoked.token, expired.token, `${expired.token}x`, "dfi_0"]) {
      expect(await codeOf(await it.post("/auth/session/invite", { token, name: "Eve" }))).toBe("link_used");
    }
  });

  test("is taken by somebody who has signed in under the name they have", async () => {
    const other = await it.join("Dot");
    const { id } = await it.rpc(other.access_token, "create_team", { name: "Looms" });
    const { token } = await it.rpc(other.access_token, "create_invite", { team_id: id });
    const joined = await it.rpc(it.ada.access_token, "accept_invite", { token });
    expect(joined).toMatchObject({ id, name: "Looms", role: "member" });
    const members = await it.rpc(other.access_token, "team_members", { team_id: id });
    expect(members.map(({ name, role }) => `${name} ${role}`)).toEqual(["Dot owner", "Ada member"]);
  });
});

describe("a terminal", () => {
  test("waits for a person to type its code, and is then signed in as that person", async () => {
    const device = await it.startDevice();
    expect(device.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(device.verification_uri_complete).toBe(`${it.url}/device#user_code=${device.user_code}`);
    expect(await errorOf(await it.poll(device.device_code))).toBe("authorization_pending");
    const typed = device.user_code.toLowerCase().replace("-", " ");
    const look = await it.post("/auth/device/look", { code: typed }, it.bearer(it.ada.access_token));
    expect(await look.json()).toMatchObject({ code: device.user_code, terminal: "grace@laptop" });
    const decided = await it.post(
      "/auth/device/decide",
      { code: typed, decision: "approved" },
      it.bearer(it.ada.access_token),
    );
    expect(decided.status).toBe(200);
    it.pass(6_000);
    const grant = await it.grantOf(await it.poll(device.device_code));
    expect(grant.user).toEqual(it.ada.user);
    expect((await it.rpc(grant.access_token, "whoami", {})).name).toBe("Ada");
    // Handed out once.
    expect(await errorOf(await it.poll(device.device_code))).toBe("invalid_grant");
  });

  test("that polls too fast is told to slow down, each time by more", async () => {
    const { device_code, interval } = await it.startDevice();
    expect(await errorOf(await it.poll(device_code))).toBe("authorization_pending");
    expect(await errorOf(await it.poll(device_code))).toBe("slow_down");
    it.pass((interval + 1) * 1000);
    expect(await errorOf(await it.poll(device_code))).toBe("slow_down");
    it.pass((interval + 10) * 1000);
    expect(await errorOf(await it.poll(device_code))).toBe("authorization_pending");
  });

  test("is refused when the person says no, and when ten minutes have passed", async () => {
    const denied = await it.startDevice();
    await it.post(
      "/auth/device/decide",
      { code: denied.user_code, decision: "denied" },
      it.bearer(it.ada.access_token),
    );
    expect(await errorOf(await it.poll(denied.device_code))).toBe("access_denied");
    const late = await it.startDevice();
    it.pass(late.expires_in * 1000);
    const fresh = Grant.parse(await (await it.refresh(it.ada.refresh_token ?? "")).json());
    Object.assign(it.ada, fresh);
    const decided = await it.post(
      "/auth/device/decide",
      { code: late.user_code, decision: "approved" },
      it.bearer(it.ada.access_token),
    );
    expect(decided.status).toBe(404);
    expect(await errorOf(await it.poll(late.device_code))).toBe("expired_token");
  });

  test("gets nothing for a code that was guessed, and a person cannot guess many", async () => {
    for (const guess of ["", "dfd_", "x".repeat(60)]) expect(await errorOf(await it.poll(guess))).toBe("invalid_grant");
    const { device_code } = await it.startDevice();
    expect(await errorOf(await it.poll(`${device_code.slice(0, -1)}${device_code.endsWith("A") ? "B" : "A"}`))).toBe(
      "invalid_grant",
    );
    const guesser = await it.join("Guesser");
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const code = `BCDFGHJ${"KLMNPQRSTVWX"[n]}`;
      statuses.push((await it.post("/auth/device/look", { code }, it.bearer(guesser.access_token))).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 404), 429, 429]);
  });

  test("cannot approve itself: approving needs a person who has signed in", async () => {
    const { user_code } = await it.startDevice();
    expect((await it.post("/auth/device/decide", { code: user_code, decision: "approved" })).status).toBe(401);
    const ci = await it.rpc(it.ada.access_token, "create_token", { team_id: it.teamId, name: "ci", scopes: ["write"] });
    const exchanged = await exchange(ci.token);
    const decided = await it.post(
      "/auth/device/decide",
      { code: user_code, decision: "approved" },
      it.bearer(exchanged.access_token),
    );
    expect([decided.status, await codeOf(decided)]).toEqual([403, "forbidden"]);
  });

  test("waits its turn in a flood: requests that nobody asks about give way, those that are asked about stay", async () => {
    const flood = (polled: boolean) => it.admin`
      insert into app.device_requests (device_hash, user_code, label, created_at, expires_at, interval_s, polled_at)
      select sha256(n::text::bytea),
        translate(lpad(n::text, 8, '0'), '0123456789', 'BCDFGHJKLM'), 'flood', at, at + interval '10 minutes', 5,
        case when ${polled} then at + interval '5 seconds' end
      from generate_series(1, 1000) n, (select ${new Date(it.now() - 60_000).toISOString()}::timestamptz as at) t`;
    await flood(false);
    const device = await it.startDevice();
    expect(await errorOf(await it.poll(device.device_code))).toBe("authorization_pending");
    expect(await it.admin`select from app.device_requests where label = 'flood'`).toHaveLength(0);
    await flood(true);
    const refused = await it.form("/auth/oauth/device", { terminal: "grace@laptop" });
    expect([refused.status, await errorOf(refused)]).toEqual([503, "temporarily_unavailable"]);
    await it.admin`delete from app.device_requests where label = 'flood'`;
  });
});

describe("a refresh token", () => {
  test("is replaced by each use, and the answer stands for the same person", async () => {
    const { refresh_token: first = "", user } = await it.join("Rose");
    const second = await it.grantOf(await it.refresh(first));
    expect(second.user).toEqual(user);
    expect(second.refresh_token).not.toBe(first);
    const third = await it.grantOf(await it.refresh(second.refresh_token ?? ""));
    expect((await it.rpc(third.access_token, "whoami", {})).name).toBe("Rose");
  });

  test("whose answer was lost works again, and the lost answer does not", async () => {
    const { refresh_token: first = "" } = await it.join("Lost");
    const lost = await next(await it.refresh(first));
    const again = await next(await it.refresh(first));
    expect(again).not.toBe(lost);
    const third = await next(await it.refresh(again));
    expect(third).toBeString();
    // The lost one turns up after all: somebody has a copy.
    expect(await errorOf(await it.refresh(lost))).toBe("invalid_grant");
    expect(await errorOf(await it.refresh(third))).toBe("invalid_grant");
  });

  test("that was stolen and used twice ends the sign-in for both", async () => {
    const { refresh_token: stolen = "" } = await it.join("Victim");
    const victim = await next(await it.refresh(stolen));
    const later = await next(await it.refresh(victim));
    // The thief comes with the copy.
    expect(await errorOf(await it.refresh(stolen))).toBe("invalid_grant");
    for (const token of [stolen, victim, later]) expect(await errorOf(await it.refresh(token))).toBe("invalid_grant");
    const [row] = await it.admin`
      select revoked_because from app.sign_ins s join app.users u on u.id = s.user_id where u.name = 'Victim'`;
    expect(row?.revoked_because).toBe("token reused");
    expect(it.logged()).toContain("a replaced refresh token was used");
  });

  test("that nobody issued ends nobody's sign-in", async () => {
    const { refresh_token: good = "" } = await it.join("Calm");
    const [id] = good.split(".");
    for (const forged of [`${id}.AAAA.BBBB`, good.slice(0, -2), "dfr_", "", good.replace(/^dfr_/, "dft_")]) {
      expect(await errorOf(await it.refresh(forged))).toBe("invalid_grant");
    }
    expect((await it.refresh(good)).status).toBe(200);
  });

  test("used by eight processes at once leaves one that works", async () => {
    const { refresh_token: first = "" } = await it.join("Many");
    const answers = await Promise.all(Array.from({ length: 8 }, () => it.refresh(first)));
    expect(answers.map((one) => one.status)).toEqual(Array.from({ length: 8 }, () => 200));
    const tokens = await Promise.all(answers.map(next));
    const [row] = await it.admin<{ hash: string }[]>`
      select encode(current_hash, 'hex') as hash from app.sign_ins s join app.users u on u.id = s.user_id where u.name = 'Many'`;
    const newest = tokens.find((one) => new Bun.CryptoHasher("sha256").update(one).digest("hex") === row?.hash) ?? "";
    expect((await it.refresh(newest)).status).toBe(200);
  });

  test("that was not used for 30 days is worth nothing", async () => {
    const { refresh_token = "" } = await it.join("Idle");
    it.pass(30 * 24 * 3600 * 1000);
    expect(await errorOf(await it.refresh(refresh_token))).toBe("invalid_grant");
    it.pass(-30 * 24 * 3600 * 1000);
  });

  test("is stored nowhere, nor is any other secret", async () => {
    const rows = await it.admin`
      select s::text as text from app.sign_ins s union all select i::text from app.invites i
      union all select t::text from app.access_tokens t union all select d::text from app.device_requests d`;
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.map((row) => row.text).join("\n")).not.toMatch(/df[a-z]_/);
    expect(it.logged()).not.toMatch(/df[a-z]_/);
  });
});

const exchange = async (token: string) =>
  it.grantOf(
    await it.form("/auth/oauth/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: token,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    }),
  );
const exchangeFails = (token: string) =>
  exchange(token).then(
    () => "exchanged",
    (error: Error) => error.message,
  );

describe("a personal access token", () => {
  test("is exchanged for ten minutes with its scopes, in its team only", async () => {
    const owner = await it.join("Owner of tokens");
    const reader = await it.rpc(owner.access_token, "create_token", { team_id: it.teamId, name: "reader" });
    expect(reader.token).toMatch(/^dft_[0-9a-f]{64}$/);
    const grant = await exchange(reader.token);
    expect([grant.scope, grant.expires_in, grant.refresh_token]).toEqual(["read", 600, undefined]);
    await it.rpc(grant.access_token, "list_repos", { team_id: it.teamId });
    const refused = await it.rpc(grant.access_token, "ping", { team_id: it.teamId }).catch((error) => error);
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([403, "42501", "scope_missing"]);

    const { id: other } = await it.rpc(owner.access_token, "create_team", { name: "Another" });
    const outside = await it.rpc(grant.access_token, "list_repos", { team_id: other }).catch((error) => error);
    // Nothing about the membership of its person, or a machine would delete its copy of the other team.
    expect([outside.status, outside.body.details]).toEqual([403, "scope_missing"]);
    expect((await it.rpc(grant.access_token, "my_teams", {})).map((one) => one.name)).toEqual(["Engines"]);
  });

  test("with the scope write can write, and can manage nothing", async () => {
    const writer = await it.rpc(it.ada.access_token, "create_token", {
      team_id: it.teamId,
      name: "w",
      scopes: ["write"],
    });
    const { access_token, scope } = await exchange(writer.token);
    expect(scope).toBe("read write");
    await it.rpc(access_token, "ping", { team_id: it.teamId });
    const attempts = [
      it.rpc(access_token, "create_invite", { team_id: it.teamId }),
      it.rpc(access_token, "create_token", { team_id: it.teamId, name: "more" }),
      it.rpc(access_token, "list_tokens", { team_id: it.teamId }),
      it.rpc(access_token, "create_team", { name: "Mine" }),
      it.rpc(access_token, "remove_member", { team_id: it.teamId, user_id: it.ada.user.id }),
    ];
    const results = await Promise.allSettled(attempts);
    expect(results.map((one) => (one.status === "rejected" ? one.reason.body.code : "ok"))).toEqual(
      attempts.map(() => "42501"),
    );
  });

  test("decides no gate: that is for people, whatever else is in the batch", async () => {
    const { token } = await it.rpc(it.ada.access_token, "create_token", {
      team_id: it.teamId,
      name: "d",
      scopes: ["write"],
    });
    const record = (kind: string, payload: object) => ({
      ...{ id: randomUUID(), kind, schema_version: 1, at: new Date().toISOString(), repo: null, payload },
    });
    const verdict = { run_id: randomUUID(), request_id: randomUUID(), action: "approve", epoch: 1, diff_hash: null };
    const push = async (bearer: string) => {
      const records = [record("ship_log", { version: "1", branch: "main" }), record("verdict", verdict)];
      const answers = await it.rpc(bearer, "push_records", { team_id: it.teamId, records });
      return records.map(({ id }) => answers.find((one) => one.id === id)).map((one) => [one?.status, one?.reason]);
    };
    expect(await push((await exchange(token)).access_token)).toEqual([
      ["stored", null],
      ["rejected", "invalid: a gate is decided by a person, not by a token"],
    ]);
    expect((await push(it.ada.access_token)).map(([status]) => status)).toEqual(["stored", "stored"]);
  });

  test("is worth nothing once it is revoked, has expired, or its maker has left", async () => {
    const maker = await it.join("Maker");
    const make = (name: string) => it.rpc(maker.access_token, "create_token", { team_id: it.teamId, name });
    const [revoked, expired, orphan] = [await make("a"), await make("b"), await make("c")];
    await it.rpc(maker.access_token, "revoke_token", { team_id: it.teamId, token_id: revoked.id });
    await it.admin`update app.access_tokens set expires_at = now() where id = ${expired.id}`;
    await it.rpc(it.ada.access_token, "remove_member", { team_id: it.teamId, user_id: maker.user.id });
    for (const { token } of [revoked, expired, orphan, { token: "dft_0" }]) {
      expect(await exchangeFails(token)).toContain("invalid_grant");
    }
  });
});

describe("a member who was removed", () => {
  test("sees nothing at once, and cannot refresh", async () => {
    const gone = await it.join("Gone");
    await it.rpc(gone.access_token, "list_repos", { team_id: it.teamId });
    await it.rpc(it.ada.access_token, "remove_member", { team_id: it.teamId, user_id: gone.user.id });
    const refused = await it.rpc(gone.access_token, "list_repos", { team_id: it.teamId }).catch((error) => error);
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([403, "42501", "not_a_member"]);
    expect(await errorOf(await it.refresh(gone.refresh_token ?? ""))).toBe("invalid_grant");
  });
});

describe("a link for another device", () => {
  test("signs its person in once, within ten minutes", async () => {
    const ask = async () => {
      const answer = await it.post("/auth/link", {}, it.bearer(it.ada.access_token));
      const { url } = (await answer.json()) as { url: string };
      expect(url).toStartWith(`${it.url}/sign-in#token=`);
      return url.split("#token=")[1] ?? "";
    };
    const token = await ask();
    const grant = await it.grantOf(await it.post("/auth/session/link", { token, terminal: "phone" }));
    expect(grant.user.name).toBe("Ada");
    expect(await codeOf(await it.post("/auth/session/link", { token }))).toBe("link_used");
    const late = await ask();
    it.pass(10 * 60_000);
    expect(await codeOf(await it.post("/auth/session/link", { token: late }))).toBe("link_used");
    it.pass(-10 * 60_000);
  });
});

describe("a member who was erased", () => {
  test("leaves no name, no address and no token anywhere", async () => {
    const { token } = await it.rpc(it.ada.access_token, "create_invite", { team_id: it.teamId });
    const email = "residue@example.com";
    const grant = await it.grantOf(
      await it.post("/auth/session/invite", { token, name: "Resi Due", email, terminal: "resi@laptop" }),
    );
    await it.rpc(grant.access_token, "ping", { team_id: it.teamId, note: { by: "Resi Due" } });
    await it.rpc(grant.access_token, "create_token", { team_id: it.teamId, name: "resi's ci" });
    await it.post("/auth/link", {}, it.bearer(grant.access_token));
    await it.rpc(it.ada.access_token, "erase_member", { team_id: it.teamId, user_id: grant.user.id });

    const tables = await it.admin<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'app'::regnamespace and relkind in ('r', 'p')`;
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await it.admin.unsafe(
        `select t::text as row from app.${name} t where t::text ~* 'resi( due|@|''s|due@)'`,
      );
      found.push(...rows.map(({ row }) => `${name}: ${row}`));
    }
    expect(found).toEqual([]);
    expect(await errorOf(await it.refresh(grant.refresh_token ?? ""))).toBe("invalid_grant");
    const [user] =
      await it.admin`select name, email, erased_at is not null as erased from app.users where id = ${grant.user.id}`;
    expect({ ...user }).toEqual({ name: "Erased member", email: null, erased: true });
  });
});
