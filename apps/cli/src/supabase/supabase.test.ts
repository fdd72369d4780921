/** A team in a Supabase project, without a Devflow server. The project is a stand-in over a real Postgres that is shaped like Supabase's. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { type Database, openDatabase } from "@devflow/db";
import { type SupabaseCluster, startSupabaseCluster } from "@devflow/db/testing";
import { initRepository } from "@devflow/git";
import { startSupabaseStandIn } from "@devflow/server/testing";
import {
  type CliResult,
  devflowCommand,
  quietLog,
  runCli,
  runProcess,
  startProcess,
  type TemporaryHome,
  temporaryHome,
} from "@devflow/testkit";

let cluster: SupabaseCluster;
let database: Promise<Database> | undefined;
let project: Awaited<ReturnType<typeof startSupabaseStandIn>>;
const ada = temporaryHome();
const grace = temporaryHome();

beforeAll(async () => {
  cluster = await startSupabaseCluster();
  project = await startSupabaseStandIn({ database: open });
  for (const home of [ada, grace]) {
    const env = home.environment();
    await initRepository(repo(home), { files: { "a.txt": "a" }, message: "x", env });
    await runProcess(["git", "remote", "add", "origin", "https://github.com/acme/shop.git"], { cwd: repo(home), env });
  }
}, 120_000);
afterAll(async () => {
  await project?.stop();
  await (await database)?.close();
  await cluster?.stop();
}, 60_000);

/** Only after `sync init` has brought the schema. */
const open = (): Promise<Database> => {
  database ??= openDatabase({ target: cluster.platform, database: cluster.database, migrate: false, log: quietLog });
  return database;
};
const repo = (home: TemporaryHome) => join(home.path, "shop");
const mailsTo = (email: string) => project.mails.filter(({ to }) => to === email);

/** Types what is expected, and the code once it has come by mail. */
const cli = (
  home: TemporaryHome,
  words: string[],
  given: { email?: string; first?: string; env?: Record<string, string> } = {},
) => {
  const { email = "", first = "", env = {} } = given;
  const before = mailsTo(email).length;
  return runCli(words, {
    home,
    cwd: repo(home),
    env,
    types: async function* () {
      if (first) yield `${first}\n`;
      while (email && mailsTo(email).length === before) await Bun.sleep(5);
      if (email) yield `${mailsTo(email).at(-1)?.code}\n`;
    },
  });
};
const shown = ({ code, stdout, stderr }: CliResult): string =>
  `${code}\n${stdout}${stderr}`
    .replaceAll(project.url, "<project>")
    .replaceAll(project.anonKey, "<anon key>")
    .replace(/\/\S*\/shop\//g, "<repository>/")
    .replace(/#token=\S+/g, "#token=<secret>")
    .replace(/\d{4}-\d\d-\d\d/g, "<day>");
const authOf = (home: TemporaryHome) =>
  JSON.parse(readFileSync(homeAt(home.devflowHome).authFile, "utf8"))[project.url];
const change = (home: TemporaryHome, to: object) => {
  const { authFile } = homeAt(home.devflowHome);
  const all = JSON.parse(readFileSync(authFile, "utf8"));
  writeFileSync(authFile, JSON.stringify({ ...all, [project.url]: { ...all[project.url], ...to } }));
};

describe("starting a team", () => {
  const init = (first: string) =>
    cli(
      ada,
      [
        "sync",
        "init",
        "--server",
        project.url,
        "--anon-key",
        project.anonKey,
        "--email",
        "ada@example.org",
        "--name",
        "Ada",
      ],
      {
        email: first.startsWith("postgres") && !first.includes("not-the") ? "ada@example.org" : "",
        first,
      },
    );

  test("something that is no database is refused before anything is asked of the project", async () => {
    expect(shown(await init("my password"))).toMatchInlineSnapshot(`
      "64
      Paste the connection string of the project's database (Project settings, Database). It is used once, and not stored:
      This is not the URL of a database.
      It begins with postgresql://; it can also be in the environment: DEVFLOW_DATABASE_URL
      "
    `);
    expect(project.seen).toEqual([]);
  });

  test("a wrong password of the database is said clearly, and nothing is stored", async () => {
    const refused = await init(cluster.url.replace("pg-password", "not-the-password"));
    expect([refused.code, refused.stderr.includes("not-the-password"), refused.stderr.split("\n")[1]]).toEqual([
      69,
      false,
      expect.stringContaining("password authentication failed"),
    ]);
    expect(project.seen).toEqual([]);
  });

  test("the database is migrated, its first person signs in by a code of a mail, and .devflow.json has what others need", async () => {
    expect(shown(await init(cluster.url))).toMatchInlineSnapshot(`
      "0
      shop (shop) is on <project>; you are its owner.
      Wrote <repository>/.devflow.json. Commit it, so that everybody who clones the repository finds the team.
      Invite somebody: devflow team invite
      Paste the connection string of the project's database (Project settings, Database). It is used once, and not stored:
      <project> has sent a code to ada@example.org. Type it here:
      "
    `);
    expect(JSON.parse(readFileSync(join(repo(ada), ".devflow.json"), "utf8"))).toEqual({
      server: project.url,
      team: "shop",
      anonKey: project.anonKey,
    });
    expect(statSync(homeAt(ada.devflowHome).authFile).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(authOf(ada))).not.toContain("pg-password");
  });

  test("twice is once: the same team, and no second mail", async () => {
    const before = project.mails.length;
    const again = await cli(ada, ["sync", "init", "--server", project.url, "--anon-key", project.anonKey, "--json"], {
      first: cluster.url,
    });
    expect([again.code, again.json<{ team: string }>().team, project.mails.length]).toEqual([0, "shop", before]);
  });
});

describe("joining", () => {
  test("with an invite, in the repository: signed in by mail, and a member", async () => {
    writeFileSync(join(repo(grace), ".devflow.json"), readFileSync(join(repo(ada), ".devflow.json")));
    const invite = await cli(ada, ["team", "invite"]);
    expect(shown(invite)).toMatchInlineSnapshot(`
      "0
      This link lets one person into shop as member, once, until <day>:

        <project>/invite#token=<secret>

      They run, in the repository: devflow sync setup <link>
      "
    `);
    const link = /http\S+#token=\S+/.exec(invite.stdout)?.[0] ?? "";
    const joined = await cli(grace, ["sync", "setup", link, "--email", "grace@example.org", "--name", "Grace"], {
      email: "grace@example.org",
    });
    expect(shown(joined)).toMatchInlineSnapshot(`
      "0
      Signed in to <project> as Grace.
      shop: 2 members, 0 eval runs this week, nothing shipped yet.
      <project> has sent a code to grace@example.org. Type it here:
      "
    `);
  });

  test("a wrong code is refused, and the sign-in that was there stays", async () => {
    const before = authOf(grace);
    const refused = await cli(grace, ["sync", "setup", "--again", "--email", "grace@example.org"], { first: "000000" });
    expect(shown(refused)).toMatchInlineSnapshot(`
      "77
      <project> has sent a code to grace@example.org. Type it here:
      Signing in failed: the code is wrong or has expired.
      Try again: devflow sync setup
      "
    `);
    expect(authOf(grace)).toEqual(before);
  });

  test("in a browser with a provider: PKCE, on a free port of this machine", async () => {
    const home = temporaryHome();
    await using running = startProcess(
      [
        ...devflowCommand(),
        "sync",
        "setup",
        "--server",
        project.url,
        "--anon-key",
        project.anonKey,
        "--provider",
        "github",
      ],
      { env: home.environment(), cwd: home.path },
    );
    const [, url = ""] = await running.waitForOutput(/(http\S+authorize\S+)/);
    expect(await (await fetch(url)).text()).toBe("Signed in. You can close this page.\n");
    const { code, stderr } = await running.ended;
    // Octo has no invite yet.
    expect([code, stderr.includes("Octo")]).toEqual([66, true]);
    expect(authOf(home)).toMatchObject({ name: "Octo", anon_key: project.anonKey });
  });
});

describe("the same calls as on a Devflow server", () => {
  test("a ship is pushed by one, and pulled by the other; verify finds nothing missing", async () => {
    const file = join(ada.path, "ship.json");
    writeFileSync(file, JSON.stringify({ version: "1.2.3", branch: "main" }));
    expect((await cli(ada, ["sync", "push-ship", file])).stdout).toBe("Synced to team ✓\n");
    expect((await cli(grace, ["sync", "pull", "--json"])).json()).toMatchObject({ rows: 1 });
    expect((await cli(grace, ["sync", "show", "ship_log"])).stdout).toContain("1.2.3");
    expect((await cli(ada, ["sync", "verify", "--json"])).json()).toMatchObject({ checked: 1, missing: [] });
    expect(
      (await cli(ada, ["team", "members", "--json"]))
        .json<{ name: string }[]>()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["Ada", "Grace"]);
    expect((await cli(ada, ["sync", "test"])).code).toBe(0);
  });

  test("the anon key that everybody can read in the repository opens nothing by itself", async () => {
    const ask = async (fn: string, args: object) => {
      const answer = await fetch(`${project.url}/rest/v1/rpc/${fn}`, {
        method: "POST",
        headers: {
          apikey: project.anonKey,
          authorization: `Bearer ${project.anonKey}`,
          "content-profile": "api",
          "content-type": "application/json",
        },
        body: JSON.stringify(args),
      });
      return answer.status;
    };
    const [team] = (await cli(ada, ["team", "members", "--json"])).json<{ user_id: string }[]>();
    expect([await ask("my_teams", {}), await ask("team_overview", { team_id: team?.user_id })]).toEqual([401, 401]);
  });

  test("CI: an access token of the project goes with DEVFLOW_ANON_KEY, and only to DEVFLOW_SERVER", async () => {
    const env = { DEVFLOW_ACCESS_TOKEN: authOf(ada).access_token, DEVFLOW_ANON_KEY: project.anonKey };
    const home = temporaryHome();
    const ask = (server: string) =>
      runCli(["team", "members", "--json"], { home, cwd: repo(ada), env: { ...env, DEVFLOW_SERVER: server } });
    expect([(await ask(project.url)).code, (await ask("https://elsewhere.example.org")).code]).toEqual([0, 77]);
  });
});

describe("devflow dashboard", () => {
  test("serves the screens on this machine: a page signs in by its code, and never sees the person's token", async () => {
    await using running = startProcess([...devflowCommand(), "dashboard", "--print"], {
      env: ada.environment(),
      cwd: repo(ada),
    });
    const [, url = "", code = ""] = await running.waitForOutput(/(http:\S+)\/team\/pulse#code=(\S+)/);
    const exchange = () =>
      fetch(`${url}/auth/exchange`, {
        method: "POST",
        body: JSON.stringify({ code }),
        headers: { "content-type": "application/json" },
      });
    const { token } = (await (await exchange()).json()) as { token: string };
    expect((await exchange()).status).toBe(401);
    const ask = (path: string, body?: object, bearer = token) =>
      fetch(url + path, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const status = (await (await ask("/api/status")).json()) as { mode: string; teams: { id: string; slug: string }[] };
    expect([status.mode, status.teams.map(({ slug }) => slug)]).toEqual(["team", ["shop"]]);
    const pulse = await ask("/rest/v1/rpc/team_overview", { team_id: status.teams[0]?.id });
    expect([pulse.status, ((await pulse.json()) as { ships: { now: number } }).ships.now]).toEqual([200, 1]);
    const text = JSON.stringify(status) + token;
    expect([text.includes(authOf(ada).access_token), (await ask("/api/status", undefined, "x")).status]).toEqual([
      false,
      401,
    ]);
    expect((await ask("/api/runs")).status).toBe(404);
    expect((await fetch(`${url}/api/status`, { headers: { host: "evil.example" } })).status).toBe(403);
    await running.stop();
  });
});

describe("the sign-in", () => {
  test("that has expired is renewed once, without a word", async () => {
    change(ada, { expires_at: 0 });
    const before = authOf(ada).refresh_token;
    const { code, stderr } = await cli(ada, ["team", "members"]);
    expect([code, stderr, authOf(ada).refresh_token === before, authOf(ada).anon_key]).toEqual([
      0,
      "",
      false,
      project.anonKey,
    ]);
  });

  test("stays when Auth is down, and ends when the project revoked it; what was written waits", async () => {
    change(grace, { expires_at: 0 });
    project.breakDown(503);
    expect((await cli(grace, ["team", "members"])).code).toBe(69);
    project.breakDown();
    project.revoke("grace@example.org");
    const refused = await cli(grace, ["team", "members"]);
    expect([refused.code, refused.stderr.split("\n").at(-2)]).toEqual([77, "Sign in: devflow sync setup"]);
    const file = join(grace.path, "ship.json");
    writeFileSync(file, JSON.stringify({ version: "1.3.0", branch: "main" }));
    expect((await cli(grace, ["sync", "push-ship", file])).stdout).toBe("Queued (offline)\n");
    await cli(grace, ["sync", "setup", "--email", "grace@example.org"], { email: "grace@example.org" });
    expect((await cli(grace, ["sync", "drain", "--json"])).json()).toMatchObject({ sent: 1 });
  });

  test("ends by signing out, there and here", async () => {
    const { refresh_token } = authOf(grace);
    expect((await cli(grace, ["team", "sign-out"])).code).toBe(0);
    expect(authOf(grace).refresh_token).toBeUndefined();
    const answer = await fetch(`${project.url}/auth/v1/token?grant_type=refresh_token`, {
      method: "POST",
      headers: { apikey: project.anonKey },
      body: JSON.stringify({ refresh_token }),
    });
    expect(answer.status).toBe(400);
  });
});

describe("a project that is not set up", () => {
  test.each([
    ["with another anon key", "x.y.z", "does not accept the anon key"],
    ["that lets nobody new in", undefined, "lets nobody new in"],
  ])("%s says so", async (_, anonKey, words) => {
    project.closeSignUp();
    const args = ["--server", project.url, "--anon-key", anonKey ?? project.anonKey, "--email", "new@example.org"];
    const refused = await runCli(["sync", "setup", ...args], { home: temporaryHome() });
    expect([refused.code, refused.stderr.includes(words)]).toEqual([77, true]);
  });

  test("that does not expose the schema says where to", async () => {
    const bare = await startSupabaseStandIn({ database: open, exposes: ["public"] });
    const home = temporaryHome();
    const refused = await runCli(
      ["sync", "setup", "--server", bare.url, "--anon-key", bare.anonKey, "--email", "new@example.org"],
      {
        home,
        types: async function* () {
          while (bare.mails.length === 0) await Bun.sleep(5);
          yield `${bare.mails[0]?.code}\n`;
        },
      },
    );
    await bare.stop();
    expect([refused.code, refused.stderr.split("\n").at(-2)]).toEqual([
      65,
      "Expose the schema api: in the API settings of the Supabase project, add it to the exposed schemas.",
    ]);
  });
});
