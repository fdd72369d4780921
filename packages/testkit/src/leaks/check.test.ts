/** Each case is a separate test file, run by a real `bun test` with the preload: what it leaves behind must fail it. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expectNoLeaks, runProcess, temporaryFolder, temporaryHome } from "../index.ts";

const home = temporaryHome();
const preload = fileURLToPath(new URL("../preload.ts", import.meta.url));

async function runTestFile(body: string, env: Record<string, string> = {}) {
  const folder = join(temporaryFolder(), "case");
  mkdirSync(folder);
  writeFileSync(join(folder, "case.test.ts"), `import { expect, test } from "bun:test";\n${body}\n`);
  const words = [process.execPath, "test", "--parallel", "--preload", preload];
  const { code, stdout, stderr } = await runProcess(words, { env: home.environment(env), cwd: folder });
  return { code, output: stdout + stderr };
}

describe("a test file fails when it leaves behind", () => {
  test("a process, which is reported and ended", async () => {
    const { code, output } = await runTestFile(`
      import { spawn } from "node:child_process";
      test("leaves a child", () => void spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref());`);
    expect(output).toMatch(/case\.test\.ts left behind:\n\s+process \d+: sleep 1000/);
    expect(code).toBe(1);
    await expectNoLeaks();
  });

  test("a process that moved away from its parent", async () => {
    const { code, output } = await runTestFile(`
      import { spawnSync } from "node:child_process";
      test("leaves a daemon", () => void spawnSync("sh", ["-c", "setsid sleep 1001 >/dev/null 2>&1 </dev/null &"]));`);
    expect(output).toMatch(/process \d+: sleep 1001/);
    expect(code).toBe(1);
    await expectNoLeaks();
  });

  test("a process with another environment", async () => {
    const { code, output } = await runTestFile(`
      import { spawn } from "node:child_process";
      test("leaves a child", () => void spawn("sleep", ["1002"], { env: { PATH: process.env.PATH }, stdio: "ignore" }).unref());`);
    expect(output).toMatch(/process \d+: sleep 1002/);
    expect(code).toBe(1);
  });

  test("an interval, with the line that created it", async () => {
    const { code, output } = await runTestFile(`test("leaves an interval", () => void setInterval(() => {}, 60_000));`);
    expect(output).toMatch(/timer: setInterval of 60000 ms, created at .*case\.test\.ts:2/);
    expect(code).toBe(1);
  });

  test("a long timeout", async () => {
    const { code, output } = await runTestFile(`test("leaves a timeout", () => void setTimeout(() => {}, 60_000));`);
    expect(output).toMatch(/timer: setTimeout of 60000 ms, created at .*case\.test\.ts:2/);
    expect(code).toBe(1);
  });

  test.skipIf(process.platform !== "linux")("a server that listens", async () => {
    const { code, output } = await runTestFile(`
      import { createServer } from "node:http";
      test("leaves a server", () => new Promise((done) => void createServer().listen(0, "127.0.0.1", done)));`);
    expect(output).toMatch(/a server that still listens: tcp port \d+/);
    expect(code).toBe(1);
  });
});

describe("a test file passes when", () => {
  test("everything it started has ended, was cleared or would not keep a process alive", async () => {
    const { code, output } = await runTestFile(`
      import { spawn } from "node:child_process";
      import { createServer } from "node:http";
      import { promisify } from "node:util";
      test("cleans up", async () => {
        const child = spawn("sleep", ["1000"]);
        child.kill();
        clearInterval(setInterval(() => {}, 1000));
        clearTimeout(Number(setTimeout(() => {}, 60_000)));
        setTimeout(() => {}, 60_000).unref();
        setTimeout(() => {}, 50);
        await promisify(setTimeout)(5);
        const server = createServer();
        await new Promise((done) => server.listen(0, "127.0.0.1", done));
        await new Promise((done) => server.close(done));
      });`);
    expect(output).toMatch(/1 pass\n 0 fail/);
    expect(code).toBe(0);
  });
});

test("a test file sees its own home and nothing of the user who runs it", async () => {
  const personal = {
    ANTHROPIC_API_KEY: "k",
    DEVFLOW_PORT: "1",
    DATABASE_URL: "postgres://mine",
    CLAUDECODE: "1",
    BUN_FEATURE_FLAG_NO_ORPHANS: "1",
  };
  const { code, output } = await runTestFile(
    `
      test("is alone", () => {
        const { HOME, DEVFLOW_HOME, DEVFLOW_TEST_USER_HOME, ...rest } = process.env;
        expect(HOME).toMatch(/dft-/);
        expect(DEVFLOW_HOME).toBe(HOME + "/.devflow");
        expect(DEVFLOW_TEST_USER_HOME).toBe(${JSON.stringify(home.path)});
        expect(Object.keys(rest).filter((name) => /ANTHROPIC|DEVFLOW_PORT|DATABASE|CLAUDE|ORPHANS/.test(name))).toEqual([]);
      });`,
    personal,
  );
  expect(output).toMatch(/1 pass\n 0 fail/);
  expect(code).toBe(0);
});
