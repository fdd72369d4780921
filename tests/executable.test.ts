/** The compiled `devflow`, as somebody has it who downloaded it: no Node, no clone, any folder. */
import { beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "@devflow/core/version";
import { expectNoLeaks, runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { freshExecutable } from "../scripts/build/executable.ts";

const root = join(import.meta.dir, "..");
const buildLimitMs = 300_000;
const upLimitMs = 120_000;
const path = programsWithoutNode();
let built: string;
beforeAll(async () => {
  built = await freshExecutable(root);
}, buildLimitMs);

/** A PATH with the ordinary tools of a machine, and neither Node nor Bun nor Postgres. */
function programsWithoutNode(): string {
  const folder = temporaryFolder("bin");
  for (const name of ["git", "sh", "id", "ps", "uname"]) {
    const found = Bun.which(name);
    if (found) symlinkSync(found, join(folder, name));
  }
  return folder;
}

function machine() {
  const home = temporaryHome();
  const env = home.environment({ PATH: path, DEVFLOW_PORT: "0" });
  const run = (words: string[], cwd: string, executable = built) =>
    runProcess([executable, ...words], { env, cwd, timeoutMs: upLimitMs });
  return { home, run };
}

describe("the executable", () => {
  test("has at most 145 MB", () => {
    expect(statSync(built).size).toBeLessThanOrEqual(145_000_000);
  });

  test("tells its version in an empty folder on a machine without Node, and leaves the folder empty", async () => {
    const { run } = machine();
    const folder = temporaryFolder("empty");
    const { code, stdout, stderr } = await run(["--version"], folder);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect(readdirSync(folder)).toEqual([]);
  });

  test(
    "brings its own Postgres and web app: up, a page, down, and uninstalled without a trace",
    async () => {
      const { home, run } = machine();
      const folder = temporaryFolder("empty");
      const own = join(temporaryFolder("own"), "devflow");
      cpSync(built, own);
      const up = await run(["up", "-d"], folder, own);
      expect({ code: up.code, stderr: up.stderr }).toMatchObject({ code: 0 });
      try {
        const status = (await run(["status", "--json"], folder, own)).json<{
          url: string;
          status: { postgres: { kind: string } };
        }>();
        expect(status.status.postgres.kind).toBe("embedded");
        const page = await fetch(status.url, { headers: { accept: "text/html" } });
        const html = await page.text();
        expect(html).toContain("<title>");
        const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? "the page names no script";
        expect((await fetch(new URL(script, status.url))).status).toBe(200);
      } finally {
        expect((await run(["down"], folder, own)).code).toBe(0);
      }
      const gone = await run(["uninstall", "--data", "--yes", "--json"], folder, own);
      expect(gone.code).toBe(0);
      const { removed } = gone.json<{ removed: string[] }>();
      expect(removed).toContain(home.devflowHome);
      for (const one of [own, home.devflowHome, ...removed]) expect(existsSync(one)).toBe(false);
      expect(readdirSync(folder)).toEqual([]);
    },
    3 * upLimitMs,
  );
});

describe("the demo of the executable", () => {
  test(
    "its run asks, is approved in the terminal, completes and verifies, with agents out of the executable itself",
    async () => {
      const { home, run } = machine();
      const folder = temporaryFolder("empty");
      const own = join(temporaryFolder("own"), "devflow");
      cpSync(built, own);
      const devflow = (...words: string[]) => run(words, folder, own);
      const up = await devflow("up", "-d", "--demo", "--json");
      expect({ code: up.code, stderr: up.stderr }).toMatchObject({ code: 0 });
      try {
        const { demo } = up.json<{ demo: { run: { id: string; gate: string } } }>();
        expect(demo.run.gate).toBe("plan_approved");
        const agents = (await devflow("run", "show", demo.run.id, "--json")).json<{ sessions: unknown[] }>().sessions;
        expect(agents.length).toBeGreaterThan(0);
        for (const gate of ["plan approved", "ship approved"]) {
          expect((await devflow("run", "watch", "--until-gate")).stdout).toContain(`Asks: ${gate}?`);
          expect((await devflow("run", "approve")).stdout).toContain(`Approved: ${gate.replace(" approved", "")} of`);
        }
        const watched = await devflow("run", "watch");
        expect({ code: watched.code, stdout: watched.stdout }).toMatchObject({ code: 0 });
        expect(watched.stdout).toContain("run completed");
        expect((await devflow("run", "verify")).code).toBe(0);
        expect((await devflow("run", "report")).stdout).toStartWith("# Greet in several languages");
        // A worktree without a run, as a restored backup would leave it.
        const lost = join(home.devflowHome, "workspaces", "lost", "main");
        mkdirSync(lost, { recursive: true });
        writeFileSync(join(lost, ".git"), "gitdir: /nowhere\n");
        expect((await devflow("doctor", "--list-orphans")).stdout).toContain(`${lost}  belongs to no run`);
      } finally {
        expect((await devflow("down")).code).toBe(0);
        await expectNoLeaks();
        await devflow("uninstall", "--data", "--yes");
      }
      expect(readdirSync(folder)).toEqual([]);
    },
    5 * upLimitMs,
  );
});

describe("in a folder that wants to run code or change settings", () => {
  const words = [["--version"], ["--help"], ["config", "list", "--json"], ["doctor", "--json"], ["status", "--json"]];
  const packages = ["zod", "hono", "postgres", "pino", "yaml", "jose", "@devflow/core", "@devflow/db"];

  function hostileFolder(): string {
    const folder = temporaryFolder("hostile");
    const write = (name: string, content: string) => {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), content);
    };
    const canary = (name: string) =>
      `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "canary-"))} + ${JSON.stringify(name)}, "");`;
    write("evil.ts", canary("preload"));
    write("evil.cjs", canary("cjs"));
    write("bunfig.toml", 'preload = ["./evil.ts"]\nlogLevel = "debug"\n[test]\npreload = ["./evil.ts"]\n');
    for (const name of [".env", ".env.local", ".env.production", ".env.development"]) {
      write(
        name,
        "DEVFLOW_LOG_LEVEL=trace\nDEVFLOW_HOME=./stolen\nNODE_OPTIONS=--require=./evil.cjs\nBUN_OPTIONS=--preload=./evil.ts\n",
      );
    }
    write(
      "package.json",
      '{ "type": "module", "imports": { "#x": "./evil.cjs" }, "bun": { "preload": ["./evil.ts"] } }',
    );
    write("tsconfig.json", '{ "compilerOptions": { "paths": { "*": ["./evil.ts"] }, "jsxImportSource": "./evil" } }');
    write("main.ts", canary("main"));
    write("index.ts", canary("index"));
    for (const name of packages) {
      write(`node_modules/${name}/package.json`, `{ "name": "${name}", "version": "99.0.0", "main": "index.cjs" }`);
      write(`node_modules/${name}/index.cjs`, canary(name.replace("/", "-")));
    }
    return folder;
  }

  test("none of its files is executed, and none of its settings is taken", async () => {
    const { home, run } = machine();
    const folder = hostileFolder();
    const before = readdirSync(folder).sort();
    for (const one of words) {
      const { code, stdout } = await run(one, folder);
      expect(code).toBeLessThanOrEqual(2);
      expect(stdout).not.toContain("stolen");
    }
    const listed = (await run(["config", "get", "log_level", "--json"], folder)).stdout;
    expect(listed).not.toContain("trace");
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(existsSync(join(home.path, "stolen"))).toBe(false);
  });

  test(
    "a server that is started there is not touched by it either",
    async () => {
      const { home, run } = machine();
      const folder = hostileFolder();
      const before = readdirSync(folder).sort();
      const up = await run(["up", "-d"], folder);
      try {
        expect({ code: up.code, stderr: up.stderr }).toMatchObject({ code: 0 });
        expect((await run(["status", "--json"], folder)).json<{ home: string }>().home).toBe(home.devflowHome);
      } finally {
        await run(["down"], folder);
        const own = join(temporaryFolder("own"), "devflow");
        cpSync(built, own);
        await run(["uninstall", "--data", "--yes"], folder, own);
      }
      expect(readdirSync(folder).sort()).toEqual(before);
    },
    3 * upLimitMs,
  );

  test("its settings files are not even opened", async () => {
    const { run } = machine();
    const folder = mkdtempSync(join(temporaryFolder("pipes"), "f-"));
    // Whoever opens a pipe that nobody writes to waits for ever, and runProcess would end in a timeout.
    const pipes = ["bunfig.toml", ".env", ".env.local", ".env.production", "package.json", "tsconfig.json"];
    for (const name of pipes) execFileSync("mkfifo", [join(folder, name)]);
    for (const one of [["--version"], ["--help"], ["config", "list"]]) {
      expect((await run(one, folder)).code).toBe(0);
    }
  });
});
