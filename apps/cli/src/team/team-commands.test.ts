/** A team, from its first link to its last member, by the commands that people type. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { initRepository } from "@devflow/git";
import { Grant, InviteLook } from "@devflow/protocol";
import {
  type CliResult,
  devflowCommand,
  killAt,
  runCli,
  runProcess,
  startProcess,
  type TemporaryHome,
  temporaryHome,
} from "@devflow/testkit";
import { startTeam } from "../../testing/start-team.ts";

type Team = Awaited<ReturnType<typeof startTeam>>;
let team: Team;
const ada = temporaryHome();
const grace = temporaryHome();
const shop = join(ada.path, "shop");

beforeAll(async () => {
  team = await startTeam();
  await initRepository(shop, {
    files: { ".devflow.json": '{ "test": [["true"]] }\n' },
    message: "x",
    env: ada.environment(),
  });
}, 60_000);
afterAll(() => team.stop(), 60_000);

const cli = (
  home: TemporaryHome,
  words: string[],
  options: { cwd?: string; stdin?: string; env?: Record<string, string> } = {},
) => runCli(words, { home, ...options });
/** What differs from run to run is named. */
const shown = ({ code, stdout, stderr }: CliResult): string =>
  `${code}\n${stdout}${stderr}`
    .replaceAll(team.url, "<server>")
    .replaceAll(ada.path, "<home>")
    .replaceAll(grace.path, "<home>")
    .replace(/\/tmp\/df-\w+/g, "<folder>")
    .replace(/df[a-z]_[\w-]+/g, "<secret>")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
    .replace(/^[0-9a-f]{8}\b/gm, "<id>     ".slice(0, 8))
    .replace(/\d{4}-\d\d-\d\d/g, "<day>");
const authOf = (home: TemporaryHome) =>
  JSON.parse(readFileSync(homeAt(home.devflowHome).authFile, "utf8"))[team.url] as Record<string, unknown>;
const linkIn = (result: CliResult) => /http\S+#token=\S+/.exec(result.stdout)?.[0] ?? "";

describe("starting a team", () => {
  test("something that is no setup link is refused with what one looks like", async () => {
    expect(shown(await cli(ada, ["sync", "init"], { cwd: shop, stdin: "hello\n" }))).toMatchInlineSnapshot(`
      "65
      Paste the setup link that \`devflow serve\` printed on the server:
      This is not a setup, invite or sign-in link.
      It looks like https://devflow.example.com/setup#token=… (put it in quotes)
      "
    `);
    expect(
      shown(await cli(ada, ["sync", "init", `${team.url}/setup#token=wrong`], { cwd: shop })),
    ).toMatchInlineSnapshot(`
      "66
      This setup link was used before, was revoked, or has expired.
      Restart the server: it prints a new one while there is no team.
      "
    `);
    expect(existsSync(homeAt(ada.devflowHome).authFile)).toBe(false);
  });

  test("the setup link that is pasted makes the team, and .devflow.json keeps what it had", async () => {
    const words = ["sync", "init", "--name", "Ada", "--team", "Engines"];
    const made = await cli(ada, words, { cwd: shop, stdin: `${team.setupUrl}\n` });
    expect(shown(made)).toMatchInlineSnapshot(`
      "0
      Engines (engines) is on <server>; you are its owner.
      Wrote <home>/shop/.devflow.json. Commit it, so that everybody who clones the repository finds the team.
      Invite somebody: devflow team invite
      Paste the setup link that \`devflow serve\` printed on the server:
      "
    `);
    expect(JSON.parse(readFileSync(join(shop, ".devflow.json"), "utf8"))).toEqual({
      test: [["true"]],
      server: team.url,
      team: "engines",
    });
  });

  test("the sign-in is in a file that only its owner can read", async () => {
    const { authFile } = homeAt(ada.devflowHome);
    expect((statSync(authFile).mode & 0o777).toString(8)).toBe("600");
    expect(authOf(ada)).toMatchObject({ name: "Ada", teams: { engines: expect.any(String) } });
  });

  test("in a repository that has its team, it says so and asks for nothing", async () => {
    expect(shown(await cli(ada, ["sync", "init"], { cwd: shop }))).toMatchInlineSnapshot(`
      "0
      Engines (engines) is on <server>; you are its owner.
      Wrote <home>/shop/.devflow.json. Commit it, so that everybody who clones the repository finds the team.
      Invite somebody: devflow team invite
      "
    `);
  });

  test("who has not signed in is told which team the repository has, and how to get in", async () => {
    const status = await cli(grace, ["sync", "status"], { cwd: shop });
    expect(status.stdout.replaceAll(team.url, "<server>").split("\n").slice(0, 3).join("\n")).toMatchInlineSnapshot(`
      "Team   engines on <server>; not signed in. Sign in: devflow sync setup
      Sync   on, transcripts off
      Queue  empty"
    `);
    expect(shown(await cli(grace, ["sync", "pull"], { cwd: shop }))).toMatchInlineSnapshot(`
      "77
      You are not signed in to <server>: nobody has signed in on this machine.
      Sign in: devflow sync setup
      "
    `);
  });

  test("the same link does not work again", async () => {
    const again = await cli(grace, ["sync", "init", team.setupUrl, "--name", "Eve"]);
    expect(shown(again)).toMatchInlineSnapshot(`
      "66
      This setup link was used before, was revoked, or has expired.
      Restart the server: it prints a new one while there is no team.
      "
    `);
  });
});

describe("joining a team", () => {
  test("an invite is a link, and the person who uses it is welcomed", async () => {
    const invited = await cli(ada, ["team", "invite"], { cwd: shop });
    expect(shown(invited)).toMatchInlineSnapshot(`
      "0
      This link lets one person into Engines as member, once, until <day>:

        <server>/invite#token=<secret>

      They open it in a browser, or run: devflow sync setup <link>
      "
    `);
    expect(shown(await cli(ada, ["team", "invites"], { cwd: shop }))).toMatchInlineSnapshot(`
      "0
      ID        ROLE    E-MAIL  INVITED BY  VALID UNTIL
      <id>      member          Ada         <day>
      "
    `);
    const joined = await cli(grace, [
      "sync",
      "setup",
      linkIn(invited),
      "--name",
      "Grace Hopper",
      "--email",
      "grace@example.com",
    ]);
    expect(shown(joined)).toMatchInlineSnapshot(`
      "0
      Signed in to <server> as Grace Hopper.
      Engines: 2 members, 0 eval runs this week, nothing shipped yet.
      "
    `);
    expect(shown(await cli(grace, ["sync", "setup", linkIn(invited), "--again"]))).toMatchInlineSnapshot(`
      "65
      this invite was used or revoked, or it has expired
      Ask for another one.
      "
    `);
    expect(shown(await cli(ada, ["team", "members"], { cwd: shop }))).toMatchInlineSnapshot(`
      "0
      NAME          ROLE    E-MAIL             SINCE
      Ada           owner                      <day>
      Grace Hopper  member  grace@example.com  <day>
      "
    `);
  });

  test("an invite to what is no address is refused", async () => {
    expect(shown(await cli(ada, ["team", "invite", "grace"], { cwd: shop }))).toMatchInlineSnapshot(`
      "64
      email: Invalid email address.
      See: devflow team invite --help
      "
    `);
  });

  test("an invite that was revoked lets nobody in", async () => {
    const invited = await cli(ada, ["team", "invite", "--role", "admin", "--json"], { cwd: shop });
    const { id, url } = invited.json<{ id: string; url: string }>();
    expect(shown(await cli(ada, ["team", "uninvite", id], { cwd: shop }))).toMatchInlineSnapshot(`
      "0
      The invite was revoked; its link no longer works.
      "
    `);
    const look = await fetch(`${team.url}/auth/invite/look`, {
      method: "POST",
      body: JSON.stringify({ token: url.split("#token=")[1] }),
    });
    expect(look.status).toBe(410);
    expect(InviteLook.safeParse(await look.json()).success).toBe(false);
  });

  test("who has signed in already is told so, and keeps the sign-in", async () => {
    const before = authOf(grace);
    expect(shown(await cli(grace, ["sync", "setup", "--server", team.url]))).toMatchInlineSnapshot(`
      "0
      Signed in to <server> as Grace Hopper.
      Engines: 2 members, 0 eval runs this week, nothing shipped yet.
      You have already signed in to <server> as Grace Hopper. To sign in again: devflow sync setup --again
      "
    `);
    expect(authOf(grace)).toEqual(before);
  });

  test("a folder without a team says how to get one", async () => {
    expect(shown(await cli(temporaryHome(), ["sync", "setup"]))).toMatchInlineSnapshot(`
      "66
      <folder> belongs to no team yet.
      Join one by its invite: devflow sync setup <link>, or start one: devflow sync init
      "
    `);
    expect(shown(await cli(temporaryHome(), ["team", "members"]))).toMatchInlineSnapshot(`
      "66
      <folder> belongs to no team yet.
      Join one: devflow sync setup <invite link>, or start one: devflow sync init
      "
    `);
  });

  test("a second machine is signed in by a code that is confirmed in a browser", async () => {
    const laptop = temporaryHome();
    await initRepository(join(laptop.path, "shop"), {
      files: { ".devflow.json": readFileSync(join(shop, ".devflow.json"), "utf8") },
      message: "x",
      env: laptop.environment(),
    });
    await using terminal = startProcess([...devflowCommand(), "sync", "setup"], {
      env: laptop.environment(),
      cwd: join(laptop.path, "shop"),
    });
    const [, code] = await terminal.waitForOutput(/#user_code=([A-Z]{4}-[A-Z]{4})/);
    const decided = await fetch(`${team.url}/auth/device/decide`, {
      method: "POST",
      headers: { authorization: `Bearer ${authOf(ada).access_token}` },
      body: JSON.stringify({ code, decision: "approved" }),
    });
    expect(decided.status).toBe(200);
    const { code: exit, stdout } = await terminal.ended;
    expect([exit, stdout.replaceAll(team.url, "<server>")]).toMatchInlineSnapshot(`
      [
        0,
        
      "Signed in to <server> as Ada.
      Engines: 2 members, 0 eval runs this week, nothing shipped yet.
      "
      ,
      ]
    `);
    expect(authOf(laptop).user_id).toBe(authOf(ada).user_id as string);
  });
});

describe("members", () => {
  test("roles are changed by admins, and the last owner stays", async () => {
    expect(shown(await cli(grace, ["team", "role", "ada", "member"]))).toMatchInlineSnapshot(`
      "77
      only an admin or owner of the team may do this
      See who they are: devflow team members
      "
    `);
    expect(shown(await cli(ada, ["team", "role", "grace", "admin"], { cwd: shop }))).toMatchInlineSnapshot(`
      "0
      Grace Hopper is now an admin of Engines.
      "
    `);
    expect(shown(await cli(grace, ["team", "role", "ada", "member"]))).toMatchInlineSnapshot(`
      "77
      only an owner may make or unmake an owner
      "
    `);
    expect(shown(await cli(ada, ["team", "role", "ada", "admin"], { cwd: shop }))).toMatchInlineSnapshot(`
      "75
      this is the last owner of the team
      Make somebody else an owner first: devflow team role <member> owner
      "
    `);
    expect(shown(await cli(ada, ["team", "role", "nobody", "admin"], { cwd: shop }))).toMatchInlineSnapshot(`
      "66
      A member "nobody" was not found.
      List them: devflow team members
      "
    `);
  });

  test("who was removed is told so by the status, and how to come back", async () => {
    const invited = await cli(ada, ["team", "invite"], { cwd: shop });
    const alan = temporaryHome();
    await cli(alan, ["sync", "setup", linkIn(invited), "--name", "Alan"], { cwd: shop });
    await cli(ada, ["team", "remove", "Alan"], { cwd: shop });
    // His last team: his sign-in has ended, and his token still works for minutes.
    const [line] = (await cli(alan, ["sync", "status"], { cwd: shop })).stdout.split("\n");
    expect(line?.replaceAll(team.url, "<server>")).toMatchInlineSnapshot(
      `"Team        engines on <server>; Alan is not a member. Ask one of its admins for an invite, then: devflow sync setup <link>"`,
    );
  });

  test("who was removed and comes back after their token has expired loses the local copy of the team, not their records", async () => {
    const alan = temporaryHome();
    const signUp = async () => {
      const link = linkIn(await cli(ada, ["team", "invite"], { cwd: shop }));
      return await cli(alan, ["sync", "setup", link, "--name", "Alan Perlis"], { cwd: shop });
    };
    await signUp();
    expect((await cli(alan, ["sync", "pull"], { cwd: shop })).code).toBe(0);
    const copies = join(homeAt(alan.devflowHome).root, "teams", encodeURIComponent(team.url));
    expect(readdirSync(copies)).toHaveLength(1);
    await cli(ada, ["team", "remove", "Alan Perlis"], { cwd: shop });
    const { authFile } = homeAt(alan.devflowHome);
    const auth = JSON.parse(readFileSync(authFile, "utf8"));
    auth[team.url].expires_at = 0;
    writeFileSync(authFile, JSON.stringify(auth));
    const file = join(alan.devflowHome, "ship.json");
    writeFileSync(file, JSON.stringify({ version: "1.0.0", branch: "main" }));
    await cli(alan, ["sync", "push-ship", file], { cwd: shop });
    expect((await cli(alan, ["sync", "pull"], { cwd: shop })).code).toBe(77);
    expect(readdirSync(copies, { recursive: true })).toEqual([]);

    // A new member: what waits is of the person before.
    await signUp();
    const drained = await cli(alan, ["sync", "drain"], { cwd: shop });
    expect(shown(drained)).toMatchInlineSnapshot(`
      "75
      0 records sent, 1 left.
      <server>: they were written by somebody who is not signed in there now; that person signs in with: devflow sync setup --again
      "
    `);
    await cli(ada, ["team", "remove", "Alan Perlis"], { cwd: shop });
  });

  test("who was removed and is invited again stays signed in", async () => {
    const alan = temporaryHome();
    const join = async () => {
      const link = linkIn(await cli(ada, ["team", "invite"], { cwd: shop }));
      return await cli(alan, ["sync", "setup", link, "--name", "Alan Kay"], { cwd: shop });
    };
    expect((await join()).code).toBe(0);
    await cli(ada, ["team", "remove", "Alan Kay"], { cwd: shop });
    expect((await join()).code).toBe(0);
    const { authFile } = homeAt(alan.devflowHome);
    const auth = JSON.parse(readFileSync(authFile, "utf8"));
    auth[team.url].expires_at = 0;
    writeFileSync(authFile, JSON.stringify(auth));
    expect((await cli(alan, ["sync", "pull"], { cwd: shop })).code).toBe(0);
    await cli(ada, ["team", "remove", "Alan Kay"], { cwd: shop });
    auth[team.url].refresh_token = "dfr_none";
    writeFileSync(authFile, JSON.stringify(auth));
    expect(shown(await cli(alan, ["sync", "pull"], { cwd: shop }))).toMatchInlineSnapshot(`
      "77
      You are not signed in to <server>: this machine was signed out.
      Sign in: devflow sync setup
      "
    `);
  });

  test("another team is made by a member, who then has to choose", async () => {
    expect(shown(await cli(grace, ["team", "create", "Compilers"]))).toMatchInlineSnapshot(`
      "0
      Created the team Compilers (compilers). Invite somebody: devflow team invite --team compilers
      "
    `);
    expect(shown(await cli(grace, ["team", "members"]))).toMatchInlineSnapshot(`
      "64
      You are in 2 teams on <server>.
      Choose one: --team compilers or --team engines
      "
    `);
    expect(shown(await cli(grace, ["team", "members", "--team", "compilers"]))).toMatchInlineSnapshot(`
      "0
      NAME          ROLE   E-MAIL             SINCE
      Grace Hopper  owner  grace@example.com  <day>
      "
    `);
  });
});

describe("a token for CI", () => {
  test("is shown once, works with its server only, and ends when it is revoked", async () => {
    const made = await cli(ada, ["team", "token", "create", "ci", "--scope", "write"], { cwd: shop });
    expect(shown(made)).toMatchInlineSnapshot(`
      "0
      Created the token ci for Engines (read, write), valid until <day>.
      It is shown only now. Store both as secrets of your CI:

        DEVFLOW_SERVER=<server>
        DEVFLOW_ACCESS_TOKEN=<secret>
      "
    `);
    const token = /DEVFLOW_ACCESS_TOKEN=(\S+)/.exec(made.stdout)?.[1] ?? "";
    const ci = temporaryHome();
    const env = { DEVFLOW_ACCESS_TOKEN: token, DEVFLOW_SERVER: team.url };
    const members = await cli(ci, ["team", "members", "--json"], { cwd: shop, env });
    expect(members.json<{ name: string }[]>().map(({ name }) => name)).toEqual(["Ada", "Grace Hopper"]);
    expect(existsSync(homeAt(ci.devflowHome).authFile)).toBe(false);
    // A machine of CI begins with an empty home.
    expect(existsSync(ci.devflowHome)).toBe(false);
    writeFileSync(join(ci.path, "ship.json"), '{ "version": "1.0", "branch": "main" }');
    expect(
      shown(await cli(ci, ["sync", "push-ship", join(ci.path, "ship.json")], { cwd: shop, env })),
    ).toMatchInlineSnapshot(`
      "0
      Synced to team ✓
      "
    `);
    // It needs no sign-in, and asks nobody to confirm one.
    expect(shown(await cli(ci, ["sync", "setup"], { cwd: shop, env }))).toMatchInlineSnapshot(`
      "0
      <server> accepts the token of Ada.
      Engines: 2 members, 0 eval runs this week, last ship just now.
      DEVFLOW_ACCESS_TOKEN is set, and is used instead of a sign-in. To sign in as a person, unset it.
      "
    `);
    expect(existsSync(homeAt(ci.devflowHome).authFile)).toBe(false);
    expect(shown(await cli(ci, ["team", "invite"], { cwd: shop, env }))).toMatchInlineSnapshot(`
      "77
      this token does not have the scope manage
      Sign in as a person: devflow sync setup
      "
    `);
    expect(shown(await cli(ada, ["team", "token", "list"], { cwd: shop }))).toMatchInlineSnapshot(`
      "0
      ID        NAME  SCOPES       OF   LAST USED   VALID UNTIL
      <id>      ci    read, write  Ada  <day>  <day>
      "
    `);

    // A pull request that names another server gets nothing.
    const elsewhere = await cli(ci, ["team", "members", "--server", "https://evil.example"], { env });
    expect(shown(elsewhere)).toMatchInlineSnapshot(`
      "77
      Signing in failed: DEVFLOW_ACCESS_TOKEN is for <server>, and the server asked for is https://evil.example.
      Check the server in .devflow.json; the token was not sent.
      "
    `);
    expect(
      shown(await cli(ci, ["team", "members"], { cwd: shop, env: { DEVFLOW_ACCESS_TOKEN: token } })),
    ).toMatchInlineSnapshot(`
      "77
      Signing in failed: DEVFLOW_SERVER is not set.
      Set it to the team server that DEVFLOW_ACCESS_TOKEN is for.
      "
    `);

    expect(shown(await cli(ada, ["team", "token", "revoke", "ci"], { cwd: shop }))).toMatchInlineSnapshot(`
      "0
      The token ci was revoked.
      "
    `);
    const late = await runProcess([...devflowCommand(), "team", "members"], { env: ci.environment(env), cwd: shop });
    expect([late.code, late.stderr.replaceAll(team.url, "<server>")]).toMatchInlineSnapshot(`
      [
        77,
        
      "Signing in failed: <server> does not accept the token in DEVFLOW_ACCESS_TOKEN; it was revoked or has expired.
      Create another one: devflow team token create <name>
      "
      ,
      ]
    `);
  });
});

describe("the sign-in of a machine", () => {
  const expire = (home: TemporaryHome, change: Record<string, unknown> = {}) => {
    const { authFile } = homeAt(home.devflowHome);
    const all = JSON.parse(readFileSync(authFile, "utf8"));
    all[team.url] = { ...all[team.url], expires_at: 0, ...change };
    writeFileSync(authFile, JSON.stringify(all));
  };

  test("is refreshed once by eight processes at the same moment, and keeps what a later version wrote", async () => {
    expire(grace, { invented_later: { kept: true } });
    const runs = await Promise.all(
      Array.from({ length: 8 }, () =>
        runProcess([...devflowCommand(), "team", "members", "--team", "engines", "--json"], {
          env: grace.environment(),
          cwd: grace.path,
        }),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(authOf(grace).invented_later).toEqual({ kept: true });
    const [row] = await team.admin`
      select count(*)::int as n from app.sign_ins s join app.users u on u.id = s.user_id
      where u.name = 'Grace Hopper' and s.revoked_at is null`;
    expect(row?.n).toBe(1);
  });

  test.each(["beforeAuthSaved"])("survives a kill -9 at %s: the old token works again", async (point) => {
    expire(grace);
    const before = authOf(grace);
    const killed = await runProcess([...devflowCommand(), "team", "members", "--team", "engines"], {
      env: { ...grace.environment(), ...killAt(point) },
      cwd: grace.path,
    });
    expect(killed.killedBy).toBe("SIGKILL");
    expect(authOf(grace)).toEqual(before);
    const after = await cli(grace, ["team", "members", "--team", "engines", "--json"]);
    expect(after.code).toBe(0);
    expect(authOf(grace).refresh_token).not.toBe(before.refresh_token);
    // And once more, with the new one.
    expire(grace);
    expect((await cli(grace, ["team", "members", "--team", "engines"])).code).toBe(0);
  });

  test("survives a server that cannot be reached", async () => {
    expire(grace);
    const before = authOf(grace);
    await team.disconnect();
    const failed = await cli(grace, ["team", "members"]);
    await team.reconnect();
    expect([
      failed.code,
      failed.stderr.replaceAll(team.url, "<server>").split("\n")[0]?.slice(0, 55),
    ]).toMatchInlineSnapshot(`
      [
        69,
        "Cannot reach the team server <server>: nobody listens t",
      ]
    `);
    expect(authOf(grace)).toEqual(before);
    expect((await cli(grace, ["team", "members", "--team", "engines"])).code).toBe(0);
  });

  test("that the server has ended says so, and keeps whose it was", async () => {
    const thief = authOf(grace).refresh_token as string;
    expire(grace);
    await cli(grace, ["team", "members", "--team", "engines"]);
    expire(grace);
    await cli(grace, ["team", "members", "--team", "engines"]);
    const stolen = await fetch(`${team.url}/auth/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: thief }),
    });
    expect(Grant.safeParse(await stolen.json()).success).toBe(false);
    expire(grace);
    expect(shown(await cli(grace, ["team", "members"]))).toMatchInlineSnapshot(`
      "77
      You are not signed in to <server>: this machine was signed out.
      Sign in: devflow sync setup
      "
    `);
    const status = await cli(grace, ["sync", "status"], { cwd: shop });
    expect(status.stdout.replaceAll(team.url, "<server>").split("\n")[0]).toMatchInlineSnapshot(
      `"Team        engines on <server>, as Grace Hopper; not connected: you are not signed in there; sign in: devflow sync setup"`,
    );
    expect(Object.keys(authOf(grace)).sort()).toEqual(["invented_later", "name", "teams", "user_id"]);
  });

  test("in a damaged file is never overwritten", async () => {
    const broken = temporaryHome();
    await cli(broken, ["config", "set", "port", "0"]);
    writeFileSync(homeAt(broken.devflowHome).authFile, "{ half", { mode: 0o600 });
    const refused = await cli(broken, ["team", "members", "--server", team.url]);
    expect([refused.code, refused.stderr.includes("is damaged")]).toEqual([65, true]);
    expect(readFileSync(homeAt(broken.devflowHome).authFile, "utf8")).toBe("{ half");
  });

  test("ends with sign-out, here and on the server", async () => {
    const { refresh_token } = authOf(ada);
    expect(shown(await cli(ada, ["team", "sign-out"], { cwd: shop }))).toMatchInlineSnapshot(`
      "0
      Signed out of <server>.
      "
    `);
    const answer = await fetch(`${team.url}/auth/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: String(refresh_token) }),
    });
    expect(await answer.json()).toEqual({ error: "invalid_grant" });
    expect(shown(await cli(ada, ["team", "members"], { cwd: shop }))).toMatchInlineSnapshot(`
      "77
      You are not signed in to <server>: this machine was signed out.
      Sign in: devflow sync setup
      "
    `);
  });
});
