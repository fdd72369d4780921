/** `npm test -- --changed` in a real repository with three packages that import each other in a row. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git, initRepository } from "@devflow/git";
import { temporaryFolder } from "@devflow/testkit";
import { UsageProblem } from "../arguments.mjs";
import { runTests } from "../run-tests.mjs";

const passing = (body = "") => `import { test } from "bun:test"; ${body} test("holds", () => {});`;
const failing = 'import { test } from "bun:test"; test("breaks", () => { throw new Error("on purpose"); });';
const manifest = (name: string) => JSON.stringify({ name: `@devflow/${name}`, exports: { ".": "./src/index.ts" } });

const project = {
  "packages/core/package.json": manifest("core"),
  "packages/core/src/index.ts": "export const one = 1;",
  "packages/core/src/core.test.ts": passing(),
  "packages/core/README.md": "# Core\n",
  "packages/db/package.json": manifest("db"),
  "packages/db/src/index.ts": 'export { one } from "@devflow/core";',
  "packages/db/src/db.test.ts": passing(),
  "packages/prices/package.json": manifest("prices"),
  "packages/prices/src/index.ts": "export const two = 2;",
  "packages/prices/src/prices.test.ts": passing(),
  "packages/testkit/package.json": manifest("testkit"),
  "packages/testkit/src/index.ts": 'import "@devflow/cli"; export const kit = 1;',
  "packages/testkit/src/kit.test.ts": passing(),
  "apps/cli/package.json": manifest("cli"),
  "apps/cli/src/index.ts": 'await import("@devflow/db");',
  "apps/cli/src/cli.test.ts": passing(),
  "tests/helper.ts": "export {};",
  "tests/whole.test.ts": passing(),
  "tests/chaos/matrix.ts": "export {};",
  "tests/chaos/chaos.test.ts": passing('import "./matrix.ts";'),
  "bench/b.test.ts": passing('import type {} from "@devflow/prices"; import type {} from "@devflow/testkit";'),
  "docs/guide.md": "# Guide\n",
  "package.json": "{}",
  ".gitignore": "node_modules\n.cache\n",
};

async function repository() {
  const root = temporaryFolder("changed");
  await initRepository(root, { files: project, message: "Start" });
  const write = (path: string, content = `// ${crypto.randomUUID()}\n`) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  return {
    root,
    write,
    async commit(message: string) {
      await git(["add", "--all"], { cwd: root });
      const identity = { name: "Ada", email: "ada@example.com" };
      await git(["commit", "--quiet", "--file=-"], { cwd: root, input: message, identity });
    },
    branch: (name: string) => git(["switch", "--quiet", "--create", name], { cwd: root }),
    async changed(...words: string[]) {
      let printed = "";
      const print = (text: string) => {
        printed += text;
      };
      const { CI: _, ...env } = process.env;
      const options = { root, bun: process.execPath, words: ["--changed", ...words], env, print };
      const code = await runTests(options);
      const lines = printed.trimEnd().split("\n");
      const ran = lines.flatMap((line) => /^ {2}(?:ok|FAIL) .* s {2}(\S+)/.exec(line)?.[1] ?? []);
      return { code, said: lines[0]?.replace(/\([0-9a-f]{8}\)/, "(<commit>)"), ran, last: lines.at(-1), printed };
    },
  };
}

describe("the chosen tests", () => {
  test("are none when nothing changed", async () => {
    const { changed } = await repository();
    expect(await changed()).toMatchObject({
      code: 0,
      said: "Nothing has changed since main (<commit>): there is no test to run.",
      last: "0 passed, 0 failed",
    });
  });

  test("are none when only documentation changed", async () => {
    const { changed, write } = await repository();
    write("docs/guide.md");
    write("packages/core/README.md");
    expect(await changed()).toMatchObject({
      code: 0,
      said: "No test depends on what changed since main (<commit>): docs/guide.md, packages/core/README.md.",
      last: "0 passed, 0 failed",
    });
  });

  test("are the package's own tests first, then those of packages that import it, and no others", async () => {
    const { changed, write } = await repository();
    write("packages/core/src/index.ts");
    const { code, said, ran, last } = await changed();
    expect(said).toBe(
      "Changed since main (<commit>): packages/core. Running 1 of its own test files, then 4 that depend on it: " +
        "packages/db, apps/cli, tests/chaos, tests/whole.test.ts.",
    );
    expect(ran[0]).toBe("packages/core/src/core.test.ts");
    expect(ran.toSorted()).toEqual([
      "apps/cli/src/cli.test.ts",
      "packages/core/src/core.test.ts",
      "packages/db/src/db.test.ts",
      "tests/chaos/chaos.test.ts",
      "tests/whole.test.ts",
    ]);
    expect([code, last]).toEqual([0, "5 passed, 0 failed"]);
  });

  test("include committed, uncommitted and untracked changes, and deleted files", async () => {
    const { root, branch, changed, commit, write } = await repository();
    await branch("feature");
    write("apps/cli/src/index.ts");
    await commit("Change the command line");
    write("packages/prices/src/new.ts");
    rmSync(join(root, "packages/testkit/src/index.ts"));
    const { said, ran } = await changed();
    expect(said).toStartWith("Changed since main (<commit>): apps/cli, packages/prices, packages/testkit. Running ");
    expect(ran).toContain("apps/cli/src/cli.test.ts");
    expect(ran).toContain("packages/prices/src/prices.test.ts");
    expect(ran).toContain("packages/testkit/src/kit.test.ts");
    expect(ran).toContain("bench/b.test.ts");
    expect(ran).not.toContain("packages/db/src/db.test.ts");
  });

  test("are only the test itself when a test changed, and those of the folder when test support changed", async () => {
    const { changed, commit, write } = await repository();
    write("packages/core/src/core.test.ts", passing("// changed\n"));
    expect((await changed()).ran).toEqual(["packages/core/src/core.test.ts"]);
    await commit("Change a test");
    write("tests/chaos/matrix.ts");
    expect((await changed()).ran).toEqual(["tests/chaos/chaos.test.ts"]);
  });

  test("are all tests when other packages are installed", async () => {
    const { changed, write } = await repository();
    write("package.json", '{ "version": "1.0.0" }');
    expect((await changed()).last).toBe("8 passed, 0 failed");
  });

  test("are based on another commit when it is named", async () => {
    const { changed, commit, write } = await repository();
    write("packages/prices/src/index.ts");
    await commit("Change the prices");
    expect((await changed()).said).toStartWith("Nothing has changed since main");
    const { said, ran } = await changed("HEAD~1");
    expect(said).toBe(
      "Changed since HEAD~1 (<commit>): packages/prices. Running 1 of its own test files, then 1 that depends on it: " +
        "bench/b.test.ts.",
    );
    expect(ran).toEqual(["packages/prices/src/prices.test.ts", "bench/b.test.ts"]);
    expect(changed("no-such-branch")).rejects.toThrow(
      new UsageProblem("There is no commit called no-such-branch. Name another: npm test -- --changed <commit>"),
    );
  });
});

test("dependent tests are skipped when the package's own tests fail", async () => {
  const { changed, write } = await repository();
  write("packages/db/src/index.ts");
  write("packages/db/src/db.test.ts", failing);
  const { code, ran, last, printed } = await changed();
  expect(ran).toEqual(["packages/db/src/db.test.ts"]);
  expect(printed).toContain("Skipped because tests they depend on failed: 3 test files.");
  expect([code, last]).toEqual([1, "0 passed, 1 failed"]);
});
