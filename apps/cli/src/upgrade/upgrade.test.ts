import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { inspectConfig, loadConfig } from "@devflow/core/config";
import { hashBytes } from "@devflow/core/hash";
import { version as current } from "@devflow/core/version";
import { install } from "../skills/install.ts";
import { archiveName, judgeUpgrade, newestFor, parseChecksums } from "./release.ts";
import { uninstallAt } from "./uninstall.ts";
import { uninstallParts } from "./uninstall-parts.ts";
import { type UpgradeInput, upgradeExecutable } from "./upgrade.ts";

const target = `${process.platform}-${process.arch}`;
let scratch: string;
let executable: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "devflow-upgrade-"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));
beforeEach(async () => {
  const folder = await mkdtemp(join(scratch, "bin-"));
  executable = join(folder, "devflow");
  await writeProgram(executable, current);
});

const programOf = (version: string) => `#!/bin/sh\necho ${version}\n`;
async function writeProgram(path: string, version: string) {
  await writeFile(path, programOf(version));
  await chmod(path, 0o755);
}

async function releaseOf(version: string, { content = programOf(version), sum = "" } = {}): Promise<string> {
  const folder = await mkdtemp(join(scratch, "release-"));
  const name = archiveName(version, target);
  const archive = new Bun.Archive({ [`devflow-${version}-${target}/devflow`]: content }, { compress: "gzip" });
  const bytes = await archive.bytes();
  await writeFile(join(folder, name), bytes);
  await writeFile(join(folder, "SHA256SUMS"), `${sum || hashBytes(bytes)}  ${name}\n`);
  return folder;
}

function contextFor(env: Record<string, string> = { HOME: "/nowhere" }) {
  const results: unknown[] = [];
  const context: CommandContext = {
    cwd: scratch,
    env,
    config: () => loadConfig({ env }),
    inspectConfig: () => inspectConfig({ env }),
    output: {
      json: true,
      isTerminal: false,
      columns: 80,
      result: (value) => results.push(value),
      item: () => {},
      note: () => {},
    },
    signal: new AbortController().signal,
    readStdin: async () => "",
    stdinBytes: async function* () {},
  };
  return { context, results };
}

const input = (given: Partial<UpgradeInput>): UpgradeInput => ({
  check: false,
  rollback: false,
  allowDowngrade: false,
  ...given,
});
const run = async (given: Partial<UpgradeInput>) => {
  const { context, results } = contextFor();
  await upgradeExecutable(executable, input(given), context);
  return results[0];
};

describe("versions", () => {
  test("decide what an upgrade does", () => {
    const judge = (offered: string, allowDowngrade: boolean) =>
      judgeUpgrade({ current: "1.0.0", offered, allowDowngrade });
    expect(judge("1.0.1", false)).toBe("install");
    expect(judge("1.0.0", true)).toBe("current");
    expect(judge("0.9.0", false)).toBe("downgrade");
    expect(judge("0.9.0", true)).toBe("install");
  });

  test("of other platforms in the same release are ignored", () => {
    const sums = parseChecksums(
      [
        `${"a".repeat(64)}  devflow-2.0.0-darwin-arm64.tar.gz`,
        `${"b".repeat(64)}  devflow-1.0.0-linux-x64.tar.gz`,
      ].join("\n"),
    );
    expect(newestFor(sums, "linux-x64")?.version).toBe("1.0.0");
    expect(newestFor(sums, "linux-arm64")).toBeUndefined();
  });
});

describe("upgrade", () => {
  test("from a folder installs the new executable and keeps the previous one", async () => {
    const answer = await run({ from: await releaseOf("9.9.9") });
    expect(answer).toEqual({ from: current, to: "9.9.9", path: executable, previous: `${executable}.previous` });
    expect(await readFile(executable, "utf8")).toBe(programOf("9.9.9"));
    expect((await stat(executable)).mode & 0o777).toBe(0o755);
    expect(await readFile(`${executable}.previous`, "utf8")).toBe(programOf(current));
  });

  test("--rollback swaps the two, and back again", async () => {
    await run({ from: await releaseOf("9.9.9") });
    expect(await run({ rollback: true })).toMatchObject({ to: current });
    expect(await readFile(executable, "utf8")).toBe(programOf(current));
    expect(await run({ rollback: true })).toMatchObject({ to: "9.9.9" });
  });

  test("from a URL fetches the same files", async () => {
    const folder = await releaseOf("9.9.9");
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => new Response(Bun.file(join(folder, new URL(request.url).pathname.split("/").at(-1) ?? ""))),
    });
    try {
      expect(await run({ from: `http://127.0.0.1:${server.port}/releases` })).toMatchObject({ to: "9.9.9" });
    } finally {
      await server.stop(true);
    }
  });

  test("--check changes nothing", async () => {
    expect(await run({ from: await releaseOf("9.9.9"), check: true })).toMatchObject({ to: "9.9.9" });
    expect(await readFile(executable, "utf8")).toBe(programOf(current));
  });

  const refusals = {
    "an archive that does not match SHA256SUMS": [() => releaseOf("9.9.9", { sum: "0".repeat(64) }), /SHA-256/],
    "an executable that does not start here": [
      () => releaseOf("9.9.9", { content: "#!/bin/sh\nexit 3\n" }),
      /does not start on this machine/,
    ],
    "an executable whose version differs from its name": [
      () => releaseOf("9.9.9", { content: programOf("9.9.8") }),
      /is version 9\.9\.8/,
    ],
    "an older release": [() => releaseOf("0.0.1"), /is older than this/],
    "a folder without a release": [async () => scratch, /SHA256SUMS.*was not found/],
    "a URL that is not https": [async () => "http://releases.example/devflow", /only over https/],
  } as const;
  for (const [what, [source, message]] of Object.entries(refusals)) {
    test(`refuses ${what} and changes nothing`, async () => {
      const from = await source();
      expect(run({ from })).rejects.toThrow(message);
      await run({ from }).catch(() => {});
      expect(await readdir(join(executable, ".."))).toEqual(["devflow"]);
      expect(await readFile(executable, "utf8")).toBe(programOf(current));
    });
  }

  test("installs an older release with --allow-downgrade", async () => {
    expect(await run({ from: await releaseOf("0.0.1"), allowDowngrade: true })).toMatchObject({ to: "0.0.1" });
  });

  test("fails without a configured release source, and uses the configured one", async () => {
    expect(run({})).rejects.toThrow("No release source is configured.");
    const { context, results } = contextFor({ HOME: "/nowhere", DEVFLOW_RELEASE_SOURCE: await releaseOf("9.9.9") });
    await upgradeExecutable(executable, input({}), context);
    expect(results).toMatchObject([{ to: "9.9.9" }]);
  });
});

describe("uninstall", () => {
  async function uninstall(given: { data?: boolean; yes?: boolean }, home: string) {
    const { context, results } = contextFor({ DEVFLOW_HOME: home, HOME: scratch });
    let stopped = 0;
    const parts = {
      stop: async () => {
        stopped += 1;
      },
      dataOutside: async () => [],
      removeSkills: uninstallParts.removeSkills,
    };
    const at = { executable, how: "executable" as const };
    await uninstallAt(at, { data: false, yes: false, ...given }, context, parts);
    return { result: results[0], stopped };
  }
  const homeWith = async (...names: string[]) => {
    const home = await mkdtemp(join(scratch, "home-"));
    for (const name of names) await mkdir(join(home, name));
    return home;
  };

  test("removes the skills from the agents", async () => {
    const home = await homeWith("log");
    const { context } = contextFor({ DEVFLOW_HOME: home, HOME: scratch });
    await install({ host: "claude", project: false, force: false }, context);
    const link = join(scratch, ".claude/skills/browse");
    expect(existsSync(link)).toBe(true);
    expect((await uninstall({}, home)).result).toMatchObject({ removed: expect.arrayContaining([link]) });
    expect(existsSync(link)).toBe(false);
  });

  test("stops the server, removes the executable and keeps the data", async () => {
    const home = await homeWith("pg", "log");
    expect(await uninstall({}, home)).toEqual({ result: { removed: [executable], kept: [home] }, stopped: 1 });
    expect([existsSync(executable), existsSync(home)]).toEqual([false, true]);
  });

  test("with --data alone changes nothing and says what would be lost", async () => {
    const home = await homeWith("pg");
    expect(uninstall({ data: true }, home)).rejects.toThrow(`permanently removes: ${home}`);
    expect([existsSync(executable), existsSync(home)]).toEqual([true, true]);
  });

  test("with --data --yes removes the home too", async () => {
    const home = await homeWith("pg");
    await uninstall({ data: true, yes: true }, home);
    expect([existsSync(executable), existsSync(home)]).toEqual([false, false]);
  });

  test("never removes a folder that Devflow did not create, or that has other files", async () => {
    const foreign = await homeWith("photos");
    expect(uninstall({ data: true, yes: true }, foreign)).rejects.toThrow("does not look like a home");
    expect(uninstall({ data: true, yes: true }, process.cwd())).rejects.toThrow("holds more");
    expect([existsSync(executable), existsSync(foreign)]).toEqual([true, true]);
  });
});
