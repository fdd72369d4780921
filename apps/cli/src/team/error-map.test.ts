/**
 * What can go wrong with signing in, row by row of the map that the team store was designed with, and the threats that concern
 * sign-in. Rows about pushing and pulling are with the spool.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { initRepository } from "@devflow/git";
import { devflowCommand, runCli, runProcess, startProcess, type TemporaryHome, temporaryHome } from "@devflow/testkit";
import { startTeam } from "../../testing/start-team.ts";

let team: Awaited<ReturnType<typeof startTeam>>;
const ada = temporaryHome();
beforeAll(async () => {
  team = await startTeam();
  const made = await runCli(["sync", "init", team.setupUrl, "--name", "Ada", "--team", "Engines"], { home: ada });
  expect(made.code).toBe(0);
}, 60_000);
afterAll(() => team.stop(), 60_000);

const members = (home: TemporaryHome, options: { cwd?: string; env?: Record<string, string> } = {}) =>
  runCli(["team", "members", "--json"], { home, ...options });
const authFile = (home: TemporaryHome) => homeAt(home.devflowHome).authFile;
async function repository(home: TemporaryHome, content: string): Promise<string> {
  const folder = join(home.path, `repo-${crypto.randomUUID().slice(0, 8)}`);
  await initRepository(folder, { files: { ".devflow.json": content }, message: "x", env: home.environment() });
  return folder;
}

describe("the repository's file", () => {
  test("missing: the only sign-in of this machine is used, and without one there is no team", async () => {
    expect((await members(ada)).code).toBe(0);
    expect((await members(temporaryHome())).code).toBe(66);
  });

  test("names a team, and nobody has signed in: nothing is collected, and nothing fails", async () => {
    const home = temporaryHome();
    const cwd = await repository(home, JSON.stringify({ server: team.url, team: "engines" }));
    const file = join(home.path, "ship.json");
    writeFileSync(file, '{ "version": "1", "branch": "main" }');
    const { code, stdout, stderr } = await runCli(["sync", "push-ship", file], { home, cwd });
    expect([code, stdout, stderr, existsSync(join(home.devflowHome, "spool/new"))]).toEqual([0, "", "", false]);
  });

  test("malformed: says which file, and nothing is sent", async () => {
    const refused = await members(ada, { cwd: await repository(ada, "{ not json") });
    expect([refused.code, refused.stdout.includes(".devflow.json")]).toEqual([78, true]);
  });

  test("names a server without TLS: refused before anything is sent there", async () => {
    const cwd = await repository(ada, '{ "server": "http://devflow.example.com", "team": "engines" }');
    const refused = await runCli(["sync", "setup"], { home: ada, cwd });
    expect([refused.code, refused.stderr.split("\n")[0]]).toEqual([
      65,
      '"http://devflow.example.com" is not the address of a team server.',
    ]);
  });

  test("names another server than the sign-in is for: no token of one server goes to another", async () => {
    const seen: string[] = [];
    const other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        seen.push(request.headers.get("authorization") ?? "");
        return new Response("{}", { status: 500 });
      },
    });
    const cwd = await repository(ada, JSON.stringify({ server: `http://127.0.0.1:${other.port}`, team: "engines" }));
    const refused = await members(ada, { cwd });
    await other.stop(true);
    expect([refused.code, seen]).toEqual([77, []]);
  });
});

describe("refreshing the token", () => {
  const expire = (home: TemporaryHome) => {
    const all = JSON.parse(readFileSync(authFile(home), "utf8"));
    all[team.url].expires_at = 0;
    writeFileSync(authFile(home), JSON.stringify(all));
  };

  test("the server is down or breaks: recoverable, and the sign-in stays", async () => {
    expire(ada);
    const before = readFileSync(authFile(ada), "utf8");
    await team.disconnect();
    const down = await members(ada);
    const port = Number(new URL(team.url).port);
    const broken = Bun.serve({
      port,
      hostname: "127.0.0.1",
      fetch: () => new Response("<html>502</html>", { status: 502 }),
    });
    const breaks = await members(ada);
    await broken.stop(true);
    const proxy = Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response("denied", { status: 403 }) });
    const denies = await members(ada);
    await proxy.stop(true);
    await team.reconnect();
    expect([down.code, breaks.code, denies.code]).toEqual([69, 69, 69]);
    expect(readFileSync(authFile(ada), "utf8")).toBe(before);
    expect((await members(ada)).code).toBe(0);
  });

  test("the token expired: refreshed once, and the command goes on without a word", async () => {
    expire(ada);
    const { code, stderr } = await members(ada);
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("the sign-in was revoked: the tokens are cleared, whose they were stays, and the person is told what to do", async () => {
    const home = temporaryHome();
    const { url } = (await runCli(["team", "invite", "--json"], { home: ada })).json<{ url: string }>();
    await runCli(["sync", "setup", url, "--name", "Bob"], { home });
    const { user_id } = JSON.parse(readFileSync(authFile(home), "utf8"))[team.url];
    await team.admin`update app.sign_ins set revoked_at = now(), revoked_because = 'removed' where user_id = ${user_id}`;
    expire(home);
    const refused = await members(home);
    expect([refused.code, refused.json<{ error: { hint: string } }>().error.hint]).toEqual([
      77,
      "Sign in: devflow sync setup",
    ]);
    const { access_token, refresh_token, ...rest } = JSON.parse(readFileSync(authFile(home), "utf8"))[team.url];
    expect([access_token, refresh_token, rest.user_id, rest.name]).toEqual([undefined, undefined, user_id, "Bob"]);
  });

  test("the access token is damaged: the person signs in again, and is told so", async () => {
    const home = temporaryHome();
    mkdirSync(home.devflowHome, { mode: 0o700 });
    const all = JSON.parse(readFileSync(authFile(ada), "utf8"));
    all[team.url] = { ...all[team.url], access_token: "x.y.z", refresh_token: "dfr_x" };
    writeFileSync(authFile(home), JSON.stringify(all), { mode: 0o600 });
    const refused = await members(home);
    expect([refused.code, refused.json<{ error: { code: string; hint: string } }>().error]).toMatchObject([
      77,
      { code: "unauthenticated", hint: "Sign in: devflow sync setup" },
    ]);
  });
});

describe("devflow sync setup", () => {
  const codeOf = async (running: ReturnType<typeof startProcess>) =>
    (await running.waitForOutput(/#user_code=([A-Z-]+)/))[1] ?? "";
  const start = (home: TemporaryHome) =>
    startProcess([...devflowCommand(), "sync", "setup", "--server", team.url], {
      env: home.environment(),
      cwd: home.path,
    });

  test("nobody confirms the code in time: a clear error, and nothing is stored", async () => {
    const home = temporaryHome();
    await using running = start(home);
    await codeOf(running);
    await team.admin`update app.device_requests set expires_at = now() - interval '1 second'`;
    const { code, stderr } = await running.ended;
    expect([code, stderr.split("\n").slice(-3)]).toEqual([
      77,
      ["Signing in failed: nobody confirmed the code within ten minutes.", "Try again: devflow sync setup", ""],
    ]);
    expect(existsSync(authFile(home))).toBe(false);
  });

  test("Ctrl-C while the code waits: it says so, and nothing is stored", async () => {
    const home = temporaryHome();
    await using running = start(home);
    await codeOf(running);
    process.kill(running.pid, "SIGINT");
    const { code, stderr } = await running.ended;
    expect([code, stderr.split("\n").slice(-3)]).toEqual([
      77,
      ["Signing in failed: it was interrupted before the code was confirmed.", "Try again: devflow sync setup", ""],
    ]);
    expect(existsSync(authFile(home))).toBe(false);
  });

  test("somebody denies it: a clear error", async () => {
    const home = temporaryHome();
    await using running = start(home);
    const code = (await codeOf(running)).replace("-", "");
    await team.admin`
      update app.device_requests set decision = 'denied', decided_by = (select id from app.users limit 1) where user_code = ${code}`;
    const { code: exit, stderr } = await running.ended;
    expect([exit, stderr.includes("somebody denied it in the browser")]).toEqual([77, true]);
  });

  test("no port is needed on this machine, so none can be in use", async () => {
    const home = temporaryHome();
    await using running = start(home);
    await codeOf(running);
    const listening = readFileSync(`/proc/${running.pid}/net/tcp`, "utf8")
      .split("\n")
      .filter((line) => / 0A /.test(line));
    const own = await Bun.$`ls -l /proc/${running.pid}/fd`.text();
    expect(listening.filter((line) => own.includes(`socket:[${line.trim().split(/\s+/)[9]}]`))).toEqual([]);
    await running.stop();
  });

  test("the home cannot be written: says so, and the code is not lost to a half-written file", async () => {
    const home = temporaryHome();
    mkdirSync(home.devflowHome, { mode: 0o700 });
    writeFileSync(authFile(home), "{}", { mode: 0o600 });
    chmodSync(home.devflowHome, 0o500);
    const { url } = (await runCli(["team", "invite", "--json"], { home: ada })).json<{ url: string }>();
    const refused = await runCli(["sync", "setup", url, "--name", "Zoe"], { home });
    chmodSync(home.devflowHome, 0o700);
    // Root may write anywhere; everybody else is told.
    expect(process.getuid?.() === 0 ? 0 : 77).toBe(refused.code);
  });
});

describe("threats", () => {
  test("a stolen auth.json: only its owner can read it, and a copy that is used ends the sign-in", async () => {
    const home = temporaryHome();
    const { url } = (await runCli(["team", "invite", "--json"], { home: ada })).json<{ url: string }>();
    await runCli(["sync", "setup", url, "--name", "Victim"], { home });
    const thief = temporaryHome();
    mkdirSync(thief.devflowHome, { mode: 0o700 });
    const expired = (text: string) => text.replace(/"expires_at": \d+/, '"expires_at": 0');
    writeFileSync(authFile(thief), expired(readFileSync(authFile(home), "utf8")), { mode: 0o600 });
    const again = async (who: TemporaryHome) => {
      writeFileSync(authFile(who), expired(readFileSync(authFile(who), "utf8")));
      return (await members(who)).code;
    };
    expect([await again(home), await again(home), await again(thief), await again(home)]).toEqual([0, 0, 77, 77]);
  });

  test("somebody in between with a certificate of their own: nothing is sent to them", async () => {
    const folder = temporaryHome().path;
    const words =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost";
    const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
    expect((await runProcess([...words.split(" "), ...files], { env: { PATH: process.env.PATH ?? "" } })).code).toBe(0);
    let asked = 0;
    const between = Bun.serve({
      ...{ port: 0, hostname: "127.0.0.1" },
      tls: { key: readFileSync(join(folder, "key.pem"), "utf8"), cert: readFileSync(join(folder, "cert.pem"), "utf8") },
      fetch() {
        asked += 1;
        return new Response("{}");
      },
    });
    const refused = await runCli(["sync", "setup", "--server", `https://localhost:${between.port}`], {
      home: temporaryHome(),
    });
    await between.stop(true);
    expect([refused.code, asked, /certificate/i.test(refused.stderr)]).toEqual([69, 0, true]);
  });

  test("a setup link in the shell's history: it worked once, and is worth nothing after", async () => {
    const again = await runCli(["sync", "init", team.setupUrl, "--name", "Eve", "--team", "Spies"], {
      home: temporaryHome(),
    });
    expect(again.code).toBe(66);
  });
});
