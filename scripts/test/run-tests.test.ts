import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runTests } from "./run-tests.mjs";

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "devflow-wrapper-"));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const passing = 'import { test } from "bun:test"; test("holds", () => {});';

async function runProject(files: Record<string, string>, words: string[] = [], env: Record<string, string> = {}) {
  const root = await mkdtemp(join(parent, "project-"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  let printed = "";
  const print = (text: string) => {
    printed += text;
  };
  const { CI: _, ...inherited } = process.env;
  const code = await runTests({ root, bun: process.execPath, words, env: { ...inherited, ...env }, print });
  const lines = printed.trimEnd().split("\n");
  return { root, code, printed, last: lines.at(-1) };
}

describe("a run of all tests", () => {
  test("passes when every file has tests and all pass", async () => {
    const { code, last } = await runProject({ "apps/a.test.ts": passing, "packages/b.test.ts": passing });
    expect([code, last]).toEqual([0, "2 passed, 0 failed"]);
  });

  test("fails when a test fails, and shows only what failed", async () => {
    const failing = `${passing} test("breaks", () => { throw new Error("the reason"); });`;
    const { code, last, printed } = await runProject({ "tests/a.test.ts": failing });
    expect([code, last]).toEqual([1, "1 passed, 1 failed"]);
    expect(printed).toContain("the reason");
    // Already next to the file's line: a log may be truncated.
    expect(printed.slice(0, printed.indexOf("--- tests/a.test.ts"))).toContain("the reason");
    expect(printed).not.toContain("(pass) holds");
  });

  test("fails when a test ends the process with exit code 0", async () => {
    const leaving = `${passing} test("leaves", () => process.exit(0)); test("never runs", () => { throw 1; });`;
    const { code, last, printed } = await runProject({ "tests/leaves.test.ts": leaving, "tests/b.test.ts": passing });
    expect([code, last]).toEqual([1, "1 passed, 1 failed"]);
    expect(printed).toContain("tests/leaves.test.ts ended with exit code 0 but without a report");
  });

  test("fails when a file contains no test", async () => {
    const { code, last } = await runProject({ "tests/empty.test.ts": "export {};", "tests/b.test.ts": passing });
    expect([code, last]).toEqual([1, "1 passed, 1 failed"]);
  });

  test("fails when a file throws while loading", async () => {
    const { code, last, printed } = await runProject({ "tests/a.test.ts": `${passing} throw new Error("at load");` });
    expect(code).toBe(1);
    expect(last).toEndWith("1 failed");
    expect(printed).toContain("at load");
  });

  test("fails when there is no test file at all", async () => {
    const { code, last } = await runProject({ "apps/readme.md": "" });
    expect([code, last]).toEqual([1, "0 passed, 1 failed"]);
  });

  test("fails when a file contains .only", async () => {
    const only = 'import { test } from "bun:test"; \n    test.only("a", () => {});\n    test("b", () => {});';
    const { code, last } = await runProject({ "tests/a.test.ts": only });
    expect([code, last]).toEqual([1, "1 passed, 1 failed"]);
  });

  test("ends a hanging file with everything it started, and names it", async () => {
    const hanging = `
      import { test } from "bun:test";
      import { spawn } from "node:child_process";
      import { writeFileSync } from "node:fs";
      test("hangs", async () => {
        const child = spawn("sleep", ["600"]);
        writeFileSync("pids", [process.pid, child.pid].join(" "));
        await new Promise(() => setInterval(() => {}, 1000));
      }, 600_000);`;
    const files = { "tests/hangs.test.ts": hanging, "tests/b.test.ts": passing };
    const { root, code, last, printed } = await runProject(files, ["--file-limit", "2"]);
    expect([code, last]).toEqual([1, "1 passed, 1 failed"]);
    expect(printed).toContain("tests/hangs.test.ts did not finish within 2 s and was ended");
    const pids = (await readFile(join(root, "pids"), "utf8")).split(" ").map(Number);
    for (const pid of pids) expect(await isGone(pid)).toBe(true);
  });
});

describe("a skipped test", () => {
  const skipping = (name: string) => `${passing} test.skip(${JSON.stringify(name)}, () => {});`;

  test("is counted separately when its name says why", async () => {
    const { code, last } = await runProject({ "tests/a.test.ts": skipping("drives a phone (skipped: no phone here)") });
    expect([code, last]).toEqual([0, "1 passed, 0 failed, 1 skipped"]);
  });

  test("is a failure when its name does not say why", async () => {
    const { code, last } = await runProject({ "tests/a.test.ts": skipping("drives a phone") });
    expect([code, last]).toEqual([1, "1 passed, 1 failed"]);
  });

  test("is a failure with CI=true, for any reason", async () => {
    const files = { "tests/a.test.ts": skipping("drives a phone (skipped: no phone here)") };
    const { code, last } = await runProject(files, [], { CI: "true" });
    expect([code, last]).toEqual([1, "1 passed, 1 failed"]);
  });

  test("is counted separately when its file printed why", async () => {
    const printed = `import { test } from "bun:test";
      console.error("SKIPPED tests with a phone: there is none");
      test.skip("drives a phone", () => {});`;
    const { code, last, printed: shown } = await runProject({ "tests/a.test.ts": printed });
    expect([code, last]).toEqual([0, "0 passed, 0 failed, 1 skipped"]);
    expect(shown).toContain("tests/a.test.ts: drives a phone (tests with a phone: there is none)");
  });

  test("does not count as a tested file when all of its tests are skipped", async () => {
    const all = 'import { test } from "bun:test"; test.skip("a (skipped: no reason is good enough)", () => {});';
    const { code } = await runProject({ "tests/a.test.ts": all });
    expect(code).toBe(1);
  });
});

describe("a selection", () => {
  const files = { "apps/a/one.test.ts": passing, "apps/b/two.test.ts": passing.replace("holds", "stands") };

  test("by folder runs only what is in it", async () => {
    expect((await runProject(files, ["apps/a"])).last).toBe("1 passed, 0 failed");
  });

  test("by test name runs only the matching tests", async () => {
    const { code, last } = await runProject(files, ["-t", "stands"]);
    expect([code, last]).toEqual([0, "1 passed, 0 failed"]);
  });

  test("that matches nothing fails", async () => {
    expect((await runProject(files, ["apps/c"])).code).toBe(1);
    expect((await runProject(files, ["-t", "falls"])).code).toBe(1);
  });
});

describe("checks", () => {
  const check = (lines: object[], exit: number) =>
    `for (const line of ${JSON.stringify(lines)}) console.log(JSON.stringify(line)); process.exit(${exit});`;

  test("count like tests, and a failed one is shown in full", async () => {
    const lines = [
      { name: "types", ok: true, detail: "", ms: 5 },
      { name: "lint", ok: false, detail: "a.ts: unused variable", ms: 5 },
    ];
    const project = { "scripts/check.ts": check(lines, 1), "tests/a.test.ts": passing };
    const { code, last, printed } = await runProject(project);
    expect([code, last]).toEqual([1, "2 passed, 1 failed"]);
    expect(printed).toContain("a.ts: unused variable");
  });

  test("that break before the first check are a failure", async () => {
    const project = { "scripts/check.ts": "process.exit(0);", "tests/a.test.ts": passing };
    expect((await runProject(project)).last).toBe("1 passed, 1 failed");
  });
});

/** A killed process is a zombie until its parent, perhaps init, reaps it. */
async function isGone(pid: number): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
      if (stat && /\) [ZX] /.test(stat)) return true;
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await Bun.sleep(100);
  }
  return false;
}
