import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli, runProcess, startProcess, type TemporaryHome, temporaryFolder, temporaryHome } from "@devflow/testkit";

const main = join(import.meta.dir, "../main.ts");
const line = (name: string) => `${JSON.stringify({ name, passed: true })}\n`;

async function storedRuns(home: TemporaryHome): Promise<number> {
  return JSON.parse((await runCli(["eval", "list", "--json"], { home })).stdout).matching;
}

describe("eval push - as a process", () => {
  const start = (home: TemporaryHome, temporary: string) =>
    startProcess([process.execPath, main, "eval", "push", "-"], {
      env: home.environment({ TMPDIR: temporary }),
      cwd: home.path,
    });
  const spooled = (temporary: string) => readdirSync(temporary).filter((name) => name.startsWith("devflow-import-"));
  const untilSpooled = async (temporary: string) => {
    while (spooled(temporary).length === 0) await Bun.sleep(20);
  };

  test("interrupted while it reads, it stops, stores nothing and leaves nothing behind", async () => {
    const [home, temporary] = [temporaryHome(), temporaryFolder()];
    await using push = start(home, temporary);
    push.write(line("a").repeat(3));
    await untilSpooled(temporary);
    push.signal("SIGINT");
    const { code, stderr } = await push.ended;
    expect([code, stderr]).toEqual([130, "Interrupted: nothing was stored.\n"]);
    expect([spooled(temporary), await storedRuns(home)]).toEqual([[], 0]);
  });

  test("what a killed one left behind is removed by the next", async () => {
    const [home, temporary] = [temporaryHome(), temporaryFolder()];
    const killed = start(home, temporary);
    killed.write(line("a"));
    await untilSpooled(temporary);
    killed.signal("SIGKILL");
    await killed.ended;
    expect(spooled(temporary)).toHaveLength(1);
    const argv = [process.execPath, main, "eval", "push", "-"];
    const env = home.environment({ TMPDIR: temporary });
    expect((await runProcess(argv, { env, cwd: home.path, stdin: line("a") })).code).toBe(0);
    expect([spooled(temporary), await storedRuns(home)]).toEqual([[], 1]);
  });

  test("a stream of something else is refused from its first bytes, without waiting for its end", async () => {
    const [home, temporary] = [temporaryHome(), temporaryFolder()];
    await using push = start(home, temporary);
    push.write("yes\n".repeat(20_000));
    const { code, stderr } = await push.ended;
    expect([code, stderr]).toEqual([65, expect.stringContaining("standard input is text, but neither JSON")]);
    expect(spooled(temporary)).toEqual([]);
  });
});

describe("eval push refuses with words", () => {
  const pushed = async (path: string, home: TemporaryHome) => {
    const { code, stderr } = await runCli(["eval", "push", path], { home });
    return [code, stderr.replaceAll(home.path, "~")];
  };

  test("a loop of links, a named pipe, a folder, a path through a file", async () => {
    const home = temporaryHome();
    const at = (name: string) => join(home.path, name);
    symlinkSync("loop.json", at("loop.json"));
    await runProcess(["mkfifo", at("pipe")], { env: home.environment() });
    mkdirSync(at("folder"));
    writeFileSync(at("file"), "{}");
    expect(await pushed(at("loop.json"), home)).toEqual([
      65,
      "~/loop.json is a loop of symbolic links.\nGive a result file: devflow eval push <file>\n",
    ]);
    expect(await pushed(at("pipe"), home)).toEqual([
      65,
      "~/pipe is a named pipe.\nRead it as a stream: devflow eval push - < ~/pipe\n",
    ]);
    expect(await pushed(at("folder"), home)).toEqual([
      65,
      "~/folder is a folder.\nGive a result file: devflow eval push <file>\n",
    ]);
    expect(await pushed(at("file/x.json"), home)).toEqual([66, "~/file/x.json was not found.\nCheck the path.\n"]);
    expect(await pushed("/dev/null", home)).toEqual([
      65,
      "/dev/null is a device.\nGive a result file: devflow eval push <file>\n",
    ]);
    expect(await pushed(at("x".repeat(5000)), home)).toEqual([65, expect.stringContaining("is too long for a path")]);
  });

  const file = (home: TemporaryHome, content: object) => {
    const path = join(home.path, "results.json");
    writeFileSync(path, JSON.stringify(content));
    return path;
  };

  test("a file without results", async () => {
    const home = temporaryHome();
    const path = file(home, { suite: "s", results: [] });
    expect(await pushed(path, home)).toEqual([
      65,
      "results.json (s) has no results; nothing was stored.\nCheck that the tool finished: an empty run would count as a success.\n",
    ]);
    expect(await storedRuns(home)).toBe(0);
  });

  test("a time in the far future, which would be the newest run forever; a clock that is a little fast is accepted", async () => {
    const home = temporaryHome();
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const results = [{ name: "a", passed: true }];
    const [code, stderr] = await pushed(file(home, { suite: "s", timestamp: at(400), results }), home);
    expect([code, stderr]).toEqual([
      65,
      expect.stringMatching(
        /^The run is dated 20\d\d-.*, which is in the future\.\nFix the timestamp, or store it with the present time: devflow eval push --lenient <file>\n$/,
      ),
    ]);
    expect((await pushed(file(home, { suite: "s", run_id: "near", timestamp: at(0.5), results }), home))[0]).toBe(0);
    const lenient = await runCli(
      ["eval", "push", "--lenient", file(home, { suite: "s", timestamp: at(400), results })],
      { home },
    );
    expect([lenient.code, lenient.stderr]).toEqual([
      0,
      expect.stringContaining("is in the future; stored with the present time"),
    ]);
  });
});

test("a run that ended early is stored as partial, is marked in lists, and is nobody's baseline", async () => {
  const home = temporaryHome();
  const push = (name: string, content: string, ...words: string[]) => {
    writeFileSync(join(home.path, name), content);
    return runCli(["eval", "push", ...words, join(home.path, name)], { home });
  };
  const header = (id: string, day: number) =>
    `${JSON.stringify({ suite: "s", run_id: id, total: 3, timestamp: `2026-03-${day}T00:00:00Z` })}\n`;
  const { stderr } = await push("a.jsonl", `${header("cut", 10)}${line("a")}${line("b")}`);
  expect(stderr).toContain("s: The run is partial: 2 of 3 results.");
  const { stdout } = await runCli(["eval", "list"], { home });
  expect(stdout).toContain("s partial");
  const whole = await push("b.jsonl", `${header("whole", 11)}${line("a")}${line("b")}${line("c")}`);
  expect(whole.stdout).toContain("no earlier run to compare");
  const broken = await push("c.jsonl", `${header("broken", 12)}${line("a")}{"name":"b","pas`, "--lenient");
  expect(broken.stderr).toContain("The run is partial");
});
