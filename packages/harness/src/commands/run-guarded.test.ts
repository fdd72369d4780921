import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GuardedCommand, runGuarded } from "./run-guarded.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "devflow-guarded-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (argv: string[], options: Partial<GuardedCommand> = {}) =>
  runGuarded({
    argv,
    cwd: folder,
    timeoutMs: 90_000,
    graceMs: 300,
    stdoutPath: join(folder, "logs", "out.log"),
    stderrPath: join(folder, "logs", "err.log"),
    ...options,
  });
const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
const pidIn = async (name: string) => {
  while (!existsSync(join(folder, name)) || readFileSync(join(folder, name), "utf8").trim() === "") await Bun.sleep(5);
  return Number(readFileSync(join(folder, name), "utf8"));
};
/** A zombie that was not reaped yet no longer counts as a process. */
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("running a command", () => {
  test("exit code, both logs with their hashes, and both tails", async () => {
    const result = await run(["sh", "-c", "echo out; echo err >&2; exit 3"]);
    expect(result).toMatchObject({ ending: "exit", exitCode: 3, stdoutTail: "out\n", stderrTail: "err\n" });
    expect(readFileSync(result.stdout.path, "utf8")).toBe("out\n");
    expect(result.stdout).toMatchObject({ bytes: 4, isCut: false, hash: sha256(result.stdout.path) });
    expect(result.stderr).toMatchObject({ bytes: 4, isCut: false, hash: sha256(result.stderr.path) });
    expect(statSync(result.stdout.path).mode & 0o777).toBe(0o600);
  });

  test("arguments reach the program unchanged, without a shell", async () => {
    const words = ["a b", "$HOME", "*", "; touch canary", "`id`", ""];
    const result = await run(["node", "-p", "JSON.stringify(process.argv.slice(1))", "--", ...words]);
    expect(JSON.parse(result.stdoutTail)).toEqual(words);
    expect(existsSync(join(folder, "canary"))).toBe(false);
  });

  test("a program in the folder itself can be run by its path", async () => {
    writeFileSync(join(folder, "check.sh"), "#!/bin/sh\npwd\n");
    chmodSync(join(folder, "check.sh"), 0o755);
    expect((await run(["./check.sh"])).exitCode).toBe(0);
  });

  test("a refused command is not started, and the error says why", async () => {
    writeFileSync(join(folder, "kept.txt"), "kept\n");
    await expect(run(["rm", "-rf", folder])).rejects.toMatchObject({
      code: "destructive_command_blocked",
      message: expect.stringContaining("it deletes folders"),
    });
    await expect(run(["cat", ".env"])).rejects.toMatchObject({ code: "secret_access_blocked" });
    expect(existsSync(join(folder, "kept.txt"))).toBe(true);
    writeFileSync(join(folder, ".env"), "A=1\n");
    expect((await run(["cat", ".env"], { allowSecrets: [".env"] })).stdoutTail).toBe("A=1\n");
  });

  test("a missing program or folder is named", async () => {
    await expect(run(["no-such-program-here"])).rejects.toMatchObject({
      code: "not_found",
      message: "The program no-such-program-here was not found.",
    });
    await expect(run(["ls"], { cwd: join(folder, "gone") })).rejects.toMatchObject({ code: "not_found" });
    writeFileSync(join(folder, "plain.txt"), "no program\n");
    await expect(run(["./plain.txt"])).rejects.toMatchObject({ code: "permission_denied" });
  });

  test("the environment has the usual variables and those added by name, and nothing else", async () => {
    const env = {
      PATH: `.:${process.env.PATH}`,
      HOME: folder,
      DEVFLOW_DATABASE_URL: "postgres://u:p@h/d",
      DEVFLOW_SESSION_TOKEN: "t",
      GITHUB_TOKEN: "t",
      NPM_TOKEN: "needed",
      AWS_SECRET_ACCESS_KEY: "t",
      OPENAI_API_KEY: "t",
      SOMETHING_ELSE: "t",
      GIT_DIR: "/elsewhere",
      TOKENIZERS_PARALLELISM: "false",
    };
    const result = await run(["node", "-p", "JSON.stringify(process.env)"], {
      env,
      addVariables: { person: ["NPM_TOKEN"], repository: ["TOKENIZERS_PARALLELISM"] },
    });
    const seen = JSON.parse(result.stdoutTail);
    expect(Object.keys(seen).sort()).toEqual([
      "DEVFLOW_COMMAND_MARK",
      "HOME",
      "NPM_TOKEN",
      "PATH",
      "TOKENIZERS_PARALLELISM",
    ]);
    expect(seen.PATH).toBe(process.env.PATH);
  });
});

describe("the output", () => {
  test("a log past its limit keeps its beginning and end and notes what is omitted", async () => {
    const code = "for (let i = 0; i < 20000; i++) console.log('line ' + i)";
    const result = await run(["node", "-e", code], { maxLogBytes: 1000, tailBytes: 100 });
    const text = readFileSync(result.stdout.path, "utf8");
    expect(result.stdout).toMatchObject({ isCut: true, bytes: 208_890, hash: sha256(result.stdout.path) });
    expect(text).toStartWith("line 0\nline 1\n");
    expect(text).toContain(`[devflow: ${208_890 - 1000 - 100} bytes omitted]`);
    expect(text).toEndWith("line 19999\n");
    expect(text.length).toBeLessThan(1300);
    expect(result.stdoutTail).toEndWith("line 19998\nline 19999\n");
    expect(Buffer.byteLength(result.stdoutTail)).toBeLessThanOrEqual(100);
  });

  test("known secrets are redacted from the tails, even where the tail begins within one", async () => {
    const secret = "hunter2-hunter2-hunter2";
    const code = `process.stdout.write('${secret}'.repeat(4) + 'x'.repeat(90) + '\\n'); console.error('key: ${secret}')`;
    const result = await run(["node", "-e", code], { knownSecrets: [secret], tailBytes: 100 });
    expect(result.stdoutTail).not.toContain("hunter2");
    expect(result.stdoutTail).toEndWith("x\n");
    expect(result.stderrTail).toBe("key: [redacted:known]\n");
  });

  test("a key of a known shape is in neither log nor tail, even when it arrives in two pieces", async () => {
    const key = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
    const code = `process.stdout.write('key ${key.slice(0, 20)}'); setTimeout(() => console.log('${key.slice(20)} end'), 30)`;
    const result = await run(["node", "-e", code]);
    expect(readFileSync(result.stdout.path, "utf8")).toBe("key [redacted:github] end\n");
    expect(result.stdoutTail).toBe("key [redacted:github] end\n");
    expect(result.stdout.hash).toBe(sha256(result.stdout.path));
  });

  test("known secrets are in neither log, even when one arrives in two pieces", async () => {
    const secret = "hunter2-hunter2-hunter2";
    const halves = `process.stdout.write('a hunter2-hunt'); setTimeout(() => process.stdout.write('er2-hunter2 b hunter2-'), 30)`;
    const whole = `console.error('${secret}${secret}|${secret.slice(0, -1)}')`;
    const result = await run(["node", "-e", `${halves}; ${whole}`], { knownSecrets: [secret, "hunter"] });
    expect(readFileSync(result.stdout.path, "utf8")).toBe("a [redacted:known] b [redacted:known]2-");
    expect(readFileSync(result.stderr.path, "utf8")).toBe(
      "[redacted:known][redacted:known]|[redacted:known]2-[redacted:known]2-[redacted:known]\n",
    );
    expect(result.stdout.hash).toBe(createHash("sha256").update(readFileSync(result.stdout.path)).digest("hex"));
  });

  test("tails can be stored in a database: no colors, no zero bytes, no broken characters", async () => {
    const code = "process.stdout.write(Buffer.from('\\x1b[31mred\\x1b[0m \\0 \\xff é\\n', 'latin1'))";
    const { stdoutTail } = await run(["node", "-e", code]);
    expect(stdoutTail).toStartWith("red  \uFFFD");
    expect(stdoutTail.isWellFormed()).toBe(true);
  });

  test("an old log is replaced, and a link at its path is refused", async () => {
    const path = join(folder, "again.log");
    writeFileSync(path, "a much longer text of an earlier attempt\n", { mode: 0o644 });
    await run(["echo", "new"], { stdoutPath: path });
    expect(readFileSync(path, "utf8")).toBe("new\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const victim = join(folder, "victim.txt");
    writeFileSync(victim, "precious\n");
    symlinkSync(victim, join(folder, "link.log"));
    await expect(run(["echo", "x"], { stdoutPath: join(folder, "link.log") })).rejects.toThrow();
    expect(readFileSync(victim, "utf8")).toBe("precious\n");
  });
});

describe("the end", () => {
  const family = "sleep 300 & echo $! > child.pid; trap '' TERM; while true; do sleep 1; done";

  test("at the time limit the command ends with everything it started, even if it ignores SIGTERM", async () => {
    const result = await run(["sh", "-c", family], { timeoutMs: 4_000 });
    expect(result).toMatchObject({ ending: "timeout", exitCode: undefined, endedBySignal: "SIGKILL" });
    expect(isAlive(await pidIn("child.pid"))).toBe(false);
  });

  test("so does an abort, and a command can exit cleanly", async () => {
    const stop = new AbortController();
    const running = run(
      ["sh", "-c", "trap 'echo bye; exit 7' TERM; echo $$ > own.pid; while true; do sleep 0.05; done"],
      {
        signal: stop.signal,
        graceMs: 60_000,
      },
    );
    const pid = await pidIn("own.pid");
    stop.abort();
    expect(await running).toMatchObject({ ending: "abort", exitCode: 7, stdoutTail: "bye\n" });
    expect(isAlive(pid)).toBe(false);
    await expect(run(["ls"], { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow("too late");
  });

  test("background processes of a command end with it", async () => {
    const result = await run(["sh", "-c", "sleep 300 & echo $! > child.pid; echo done"]);
    expect(result).toMatchObject({ ending: "exit", exitCode: 0, stdoutTail: "done\n" });
    expect(isAlive(await pidIn("child.pid"))).toBe(false);
  });

  test.if(process.platform === "linux")("a daemon that left the group is ended too", async () => {
    const code = `require('child_process').spawn('sh', ['-c', 'echo $$ > daemon.pid; exec sleep 300'], { detached: true, stdio: 'ignore' }).unref();
      while (!require('fs').existsSync('daemon.pid')) {}`;
    const result = await run(["node", "-e", code]);
    expect(result.exitCode).toBe(0);
    expect(isAlive(await pidIn("daemon.pid"))).toBe(false);
  });

  test.if(process.platform === "linux")("a process that escaped cannot block the call", async () => {
    const hide =
      "env -i setsid sh -c 'echo $$ > hidden.pid; exec sleep 300' & while ! test -s hidden.pid; do :; done; echo ok";
    const result = await run(["sh", "-c", hide]);
    expect(result).toMatchObject({ ending: "exit", exitCode: 0, stdoutTail: "ok\n" });
    process.kill(await pidIn("hidden.pid"), "SIGKILL");
  });
});
