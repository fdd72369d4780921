/** The sandbox without an agent: a shell in its place, started as a holder would start it. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canRun, lackOfProgram, runProcess, temporaryFolder } from "@devflow/testkit";
import { plainLaunch } from "../../testing/index.ts";
import type { HeldStart } from "../holder/held-start.ts";
import { confine } from "./confine.ts";

const insideCommand = [process.execPath, fileURLToPath(new URL("../../testing/inside-program.ts", import.meta.url))];
const hasBwrap =
  process.platform === "linux" &&
  (await canRun("the tests of the sandbox", () =>
    lackOfProgram("bwrap", "--version", "apt-get install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap"),
  ));

function place() {
  const home = temporaryFolder("home");
  const folder = temporaryFolder("run");
  for (const name of ["worktree", "session", "artifacts"]) mkdirSync(join(folder, name));
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude/settings.json"), '{"of":"the person"}');
  writeFileSync(join(home, ".claude/.credentials.json"), "login");
  writeFileSync(join(home, "diary.txt"), "private");
  const start: HeldStart = {
    sessionId: "s",
    runId: "run",
    roleId: "coder",
    wire: "claude",
    command: ["/bin/sh", "-c"],
    insideCommand,
    sandbox: { readable: [], hidden: [], hosts: [], ports: [] },
    cwd: join(folder, "worktree"),
    writableFolders: [join(folder, "artifacts")],
    launch: plainLaunch,
    prelude: "",
  };
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  return { home, folder, start, env };
}

async function run({ folder, start, env }: ReturnType<typeof place>, script: string) {
  const confined = await confine(join(folder, "session"), start, env, { onRefused: () => undefined });
  try {
    return await runProcess([...confined.start.command, script], { cwd: start.cwd, env: confined.env });
  } finally {
    confined.close();
  }
}

test("without rules nothing changes", async () => {
  const { folder, start, env } = place();
  const free = { ...start, sandbox: undefined };
  const confined = await confine(join(folder, "session"), free, env, { onRefused: () => undefined });
  expect([confined.start, confined.env]).toEqual([free, env]);
});

describe.skipIf(!hasBwrap)("in the sandbox", () => {
  test("a program has its worktree, its artifacts and a home of its own", async () => {
    const at = place();
    const { code, stderr } = await run(
      at,
      `echo a > a.txt && echo b > ${at.folder}/artifacts/b.txt && echo c > ~/c.txt`,
    );
    expect([code, stderr]).toEqual([0, ""]);
    const made = ["worktree/a.txt", "artifacts/b.txt", "session/home/c.txt"];
    expect(made.map((name) => existsSync(join(at.folder, name)))).toEqual([true, true, true]);
    expect(existsSync(join(at.home, "c.txt"))).toBeFalse();
  });

  test("it reads a copy of the agent's settings, and renews the person's login", async () => {
    const at = place();
    const changes =
      "cd ~/.claude && cat settings.json && echo mine > settings.json && echo renewed > .credentials.json";
    expect((await run(at, changes)).stdout).toBe('{"of":"the person"}');
    expect(readFileSync(join(at.home, ".claude/settings.json"), "utf8")).toBe('{"of":"the person"}');
    expect(readFileSync(join(at.home, ".claude/.credentials.json"), "utf8")).toBe("renewed\n");
    // The next start keeps what the agent changed.
    expect((await run(at, "cat ~/.claude/settings.json")).stdout).toBe("mine\n");
  });

  test("nothing else of the person's is there, and the rest of the disk is read-only", async () => {
    const at = place();
    const secret = temporaryFolder("secret");
    writeFileSync(join(secret, "key"), "secret");
    const tries = [`cat ${at.home}/diary.txt`, `cat ${secret}/key`, "touch /usr/mine", `touch ${at.folder}/session/x`];
    const { stdout } = await run(at, tries.map((one) => `(${one}) 2>/dev/null && echo "${one}"`).join("; "));
    expect(stdout).toBe("");
  });

  test("of two folders, one inside the other, the inner one decides", async () => {
    const at = place();
    const outer = temporaryFolder("outer");
    mkdirSync(join(outer, "hidden/shown"), { recursive: true });
    for (const name of ["a", "hidden/b", "hidden/shown/c"]) writeFileSync(join(outer, name), name);
    const sandbox = {
      readable: [outer, join(outer, "hidden/shown")],
      hidden: [join(outer, "hidden")],
      hosts: [],
      ports: [],
    };
    const { stdout } = await run({ ...at, start: { ...at.start, sandbox } }, `cd ${outer} && find . -type f | sort`);
    expect(stdout).toBe("./a\n./hidden/shown/c\n");
  });

  test("a program that is not there is reported as by a shell", async () => {
    const at = place();
    const { code, stderr } = await run({ ...at, start: { ...at.start, command: ["/gone/agent"] } }, "");
    expect(code).toBe(127);
    expect(stderr).toContain("/gone/agent");
  });
});
