import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkBoundaries, checkExports } from "./boundaries.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "devflow-boundaries-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A small project that respects every boundary. */
const sound = {
  "packages/core/src/config.ts": "export const env = process.env;",
  "packages/core/src/errors.ts": 'import { join } from "node:path"; export { join };',
  "packages/git/src/index.ts": 'export * from "./git.ts";',
  "packages/git/src/git.ts": 'import { env } from "@devflow/core/config"; export { env };',
  "packages/redact/src/index.ts": 'export * from "@devflow/core/errors";',
  "packages/db/src/index.ts": 'import "@devflow/redact"; import "@devflow/core/errors";',
  "packages/protocol/src/index.ts": 'import { z } from "zod"; export { z };',
  "packages/session/src/index.ts": 'import "@devflow/git";',
  "packages/runs/src/index.ts": 'import "@devflow/session"; import "./phases/index.ts";',
  "packages/runs/src/phases/index.ts": 'export * from "./next.ts";',
  "packages/runs/src/phases/next.ts": "export const next = 1;",
  "packages/evals/src/index.ts": 'import "@devflow/db";',
  "packages/browse/src/client/main.ts": 'import "node:net"; import "@devflow/core/errors"; import "./send.ts";',
  "packages/browse/src/client/send.ts": "export {};",
  "packages/testkit/src/index.ts": 'import "@devflow/db"; export const x = Bun.env ?? process.env;',
  "apps/cli/src/main.ts": 'import "@devflow/runs"; import "@devflow/server"; Bun.gc(true); await import("./later.ts");',
  "apps/cli/src/later.ts": "export {};",
  "apps/server/src/index.ts": 'import "@devflow/protocol";',
  "apps/web/src/main.tsx": 'import "@devflow/protocol"; export const view = <p>Bun and process.env are words here</p>;',
  "packages/git/src/git.test.ts":
    'import { test } from "bun:test"; import "@devflow/testkit"; import "@devflow/db"; Bun.sleep(process.env ? 1 : 2);',
  "scripts/check.ts": 'import "@devflow/cli/main"; console.log(Bun.version, process.env.CI);',
};

const packageNames: Record<string, string> = {};
for (const path of Object.keys(sound)) {
  const unit = /^(?:apps|packages)\/([^/]+)/.exec(path);
  if (unit?.[1]) packageNames[unit[0]] = `@devflow/${unit[1]}`;
}

function faultsOf(changes: Record<string, string> = {}): string[] {
  const manifests: [string, string][] = Object.entries(packageNames).map(([unit, name]) => {
    const entryPoints =
      unit === "packages/core" || unit === "apps/cli" ? { "./*": "./src/*.ts" } : { ".": "./src/index.ts" };
    return [`${unit}/package.json`, JSON.stringify({ name, exports: entryPoints })];
  });
  for (const [path, text] of Object.entries({ ...sound, ...Object.fromEntries(manifests), ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkBoundaries(root);
}

test("a project that respects all boundaries has no error", () => {
  expect(faultsOf()).toEqual([]);
});

test("a project without files is an error, not a success", () => {
  expect(checkBoundaries(root)).toEqual([expect.stringContaining("no source files were seen")]);
  mkdirSync(join(root, "packages/core/src"), { recursive: true });
  writeFileSync(join(root, "packages/core/src/readme.txt"), "");
  expect(checkBoundaries(root)).toHaveLength(1);
});

describe("each of these is one error, with its file and line", () => {
  test.each([
    [
      "core imports nothing above it",
      "packages/core/src/errors.ts",
      '\nimport "@devflow/db";',
      2,
      "may not import packages/db",
    ],
    [
      "a leaf imports core only",
      "packages/git/src/git.ts",
      'import "@devflow/protocol";',
      1,
      "may not import packages/protocol",
    ],
    [
      "a leaf imports no system",
      "packages/redact/src/index.ts",
      'export * from "@devflow/runs";',
      1,
      "may not import packages/runs",
    ],
    [
      "systems never import one another",
      "packages/evals/src/index.ts",
      'import "@devflow/runs";',
      1,
      "a system never imports another",
    ],
    ["only runs uses session", "packages/evals/src/index.ts", 'import "@devflow/session";', 1, "only packages/runs"],
    [
      "no package imports an app",
      "packages/runs/src/index.ts",
      'import "@devflow/server";',
      1,
      "may not import apps/server",
    ],
    [
      "the server does not import the executable",
      "apps/server/src/index.ts",
      'import "@devflow/cli/main";',
      1,
      "may not import apps/cli",
    ],
    [
      "web imports only protocol",
      "apps/web/src/main.tsx",
      'import "@devflow/core/errors";',
      1,
      "web imports only protocol",
    ],
    [
      "protocol stays safe in a browser",
      "packages/protocol/src/index.ts",
      'import "@devflow/core/errors";',
      1,
      "runs in a browser",
    ],
    ["testkit is for tests", "packages/git/src/git.ts", 'import "@devflow/testkit";', 1, "testkit is for tests"],
    [
      "a type is an import too",
      "packages/evals/src/index.ts",
      'export type R = import("@devflow/runs").Run;',
      1,
      "a system never",
    ],
    [
      "so is a lazy import",
      "packages/evals/src/index.ts",
      'export const f = () => import("@devflow/runs");',
      1,
      "a system never",
    ],
    ["so is a require", "packages/evals/src/index.ts", 'require("@devflow/runs");', 1, "a system never"],
    [
      "so is a type-only import",
      "packages/evals/src/index.ts",
      'import type { Run } from "@devflow/runs";',
      1,
      "a system never",
    ],
    [
      "a package is imported through its entry point",
      "apps/cli/src/later.ts",
      'import "../../../packages/git/src/git.ts";',
      1,
      "import the entry point",
    ],
    ["also from scripts", "scripts/check.ts", 'import "../packages/git/src/git.ts";', 1, "import the entry point"],
    ["also from tests", "packages/git/src/git.test.ts", 'import "../../db/src/pool.ts";', 1, "import the entry point"],
    [
      "a subpath of a package must be exported",
      "apps/cli/src/later.ts",
      'import "@devflow/git/git";',
      1,
      "has no such entry point",
    ],
    [
      "a folder with an index is imported through it",
      "packages/runs/src/index.ts",
      'import "./phases/next.ts";',
      1,
      "packages/runs/src/phases has an entry point",
    ],
    [
      "product code imports no scripts",
      "apps/cli/src/later.ts",
      'import "../../../scripts/check.ts";',
      1,
      "nothing of scripts",
    ],
    [
      "Bun stays out of packages",
      "packages/git/src/git.ts",
      "\n\nexport const v = Bun.version;",
      3,
      "uses Bun: Bun only where",
    ],
    ["also as globalThis.Bun", "packages/git/src/git.ts", "export const v = globalThis.Bun;", 1, "uses Bun"],
    ["also as a module", "packages/git/src/git.ts", 'import { sql } from "bun";', 1, "uses bun"],
    ["also out of the web", "apps/web/src/main.tsx", "Bun.gc();", 1, "uses Bun"],
    [
      "the environment is read in one place",
      "packages/git/src/git.ts",
      "export const h = process.env.HOME;",
      1,
      "reads process.env",
    ],
    ["also in apps", "apps/cli/src/later.ts", "const { env } = process;", 1, "reads process.env"],
    ["also by its module", "apps/cli/src/later.ts", 'import { env as e } from "node:process";', 1, "reads process.env"],
    ["also by brackets", "apps/cli/src/later.ts", 'process["env"];', 1, "reads process.env"],
    [
      "the browse client starts fast",
      "packages/browse/src/client/send.ts",
      'import "zod";',
      1,
      "core and built-ins only",
    ],
    [
      "also within its own package",
      "packages/browse/src/client/send.ts",
      'import "../daemon.ts";',
      1,
      "core and built-ins only",
    ],
    ["hooks start fast", "packages/skills/src/hooks/run.ts", 'import "@devflow/db";', 1, "core and built-ins only"],
  ])("%s", (_rule, path, text, line, reason) => {
    expect(faultsOf({ [path]: text })).toEqual([
      expect.stringMatching(new RegExp(`^${path}:${line} .*${escaped(reason)}`)),
    ]);
  });

  test("a new package must be assigned to a layer", () => {
    const manifest = JSON.stringify({ name: "@devflow/extras", exports: {} });
    expect(faultsOf({ "packages/extras/package.json": manifest })).toEqual([
      expect.stringContaining("add packages/extras to a layer in scripts/boundaries/layers.ts"),
    ]);
  });
});

test("text in comments, strings and members of other objects does not count", () => {
  const text = [
    '// import "@devflow/runs"; Bun.version; process.env',
    'export const text = `import "@devflow/runs" from process.env by Bun.`;',
    "export const runtime = { Bun: 1 }; export const one = runtime.Bun;",
    "export const other = { process: { env: 1 } }; export const two = other.process.env;",
  ].join("\n");
  expect(faultsOf({ "packages/evals/src/index.ts": text })).toEqual([]);
});

test("installed packages and build results are ignored", () => {
  const bad = 'import "@devflow/runs"; Bun.version;';
  const places = ["node_modules/x/a.ts", "dist/a.ts"].map((path) => [`packages/core/${path}`, bad]);
  expect(faultsOf(Object.fromEntries(places))).toEqual([]);
});

describe("test support is separate from the product", () => {
  const helper = "export const helper = 1;";

  test("a file that only tests import is reported, and so are files that only it imports", () => {
    const faults = faultsOf({
      "packages/git/src/helper.ts": 'import "./deeper.ts"; export const helper = 1;',
      "packages/git/src/deeper.ts": "export {};",
      "packages/git/src/git.test.ts": 'import "./helper.ts";',
    });
    expect(faults).toEqual([
      expect.stringMatching(/^packages\/git\/src\/deeper.ts is imported by tests only: move it/),
      expect.stringMatching(/^packages\/git\/src\/helper.ts is imported by tests only: move it/),
    ]);
  });

  test("a benchmark counts as a test", () => {
    const files = { "packages/git/src/helper.ts": helper, "bench/git.bench.ts": 'import "@devflow/git/helper";' };
    const entryPoints = { ".": "./src/index.ts", "./helper": "./src/helper.ts" };
    const manifest = JSON.stringify({ name: "@devflow/git", exports: entryPoints });
    // An exported file is covered by the check for dead exports.
    expect(faultsOf({ ...files, "packages/git/package.json": manifest })).toEqual([]);
    expect(faultsOf({ ...files, "packages/git/src/git.bench.test.ts": 'import "./helper.ts";' })).toHaveLength(2);
  });

  test.each(["testing/bench.ts", "tests/bench.ts", "worktree/fixtures/bench.ts"])("src/%s is reported", (path) => {
    expect(faultsOf({ [`packages/git/src/${path}`]: helper })).toEqual([
      `packages/git/src/${path} is test support under src/: move it to the tests/ or testing/ folder of its package`,
    ]);
  });

  test("product code imports none, by path or by entry point", () => {
    const support = { "packages/git/testing/helper.ts": helper, "packages/git/src/git.test.ts": "" };
    expect(faultsOf({ ...support, "packages/git/src/git.ts": 'import "../testing/helper.ts";' })).toEqual([
      "packages/git/src/git.ts:1 imports ../testing/helper.ts: test support is for tests",
    ]);
    const entryPoints = { ".": "./src/index.ts", "./testing": "./testing/helper.ts" };
    const manifest = JSON.stringify({ name: "@devflow/git", exports: entryPoints });
    const user = { "packages/session/src/index.ts": 'import "@devflow/git/testing";' };
    expect(
      faultsOf({ ...support, "packages/git/src/git.ts": "", ...user, "packages/git/package.json": manifest }),
    ).toEqual(["packages/session/src/index.ts:1 imports @devflow/git/testing: test support is for tests"]);
  });

  test("a program of package.json may be imported by tests alone", () => {
    const program = { "apps/cli/src/start.ts": "export {};", "apps/cli/src/start.test.ts": 'import "./start.ts";' };
    expect(faultsOf(program)).toHaveLength(1);
    const manifest = JSON.stringify({
      name: "@devflow/cli",
      exports: { "./*": "./src/*.ts" },
      bin: { a: "src/start.ts" },
    });
    expect(faultsOf({ ...program, "apps/cli/package.json": manifest })).toEqual([]);
  });
});

describe("unused exports of entry points are reported", () => {
  const index = "packages/evals/src/index.ts";
  const deadOf = (changes: Record<string, string>): string[] => {
    faultsOf(changes);
    return checkExports(root).filter((line) => line.startsWith("packages/evals/") && !line.includes("exports .,"));
  };
  const fact = {
    "packages/evals/src/fact.ts": "export const fact = 1;\nexport const other = 2;",
  };
  const used = { "apps/cli/src/later.ts": 'import { fact } from "@devflow/evals";' };

  test("a name that nobody outside imports, with the place of its declaration", () => {
    expect(deadOf({ ...fact, ...used, [index]: 'export { fact, other } from "./fact.ts";' })).toEqual([
      `${index} exports other (packages/evals/src/fact.ts:2), but nothing outside uses it`,
    ]);
  });

  test.each([
    ["a named import", 'import { other } from "@devflow/evals";'],
    ["a re-export that is used", 'export { other } from "@devflow/evals";'],
    ["a lazy import", 'const { other } = await import("@devflow/evals");'],
    ["a member of a lazy import", 'export const later = async () => (await import("@devflow/evals")).other;'],
    ["a lazy import with then", 'export const p = import("@devflow/evals").then((module) => module.other);'],
    ["a namespace", 'import * as evals from "@devflow/evals"; export const x = evals.other;'],
    ["a type of it", 'export type T = typeof import("@devflow/evals").other;'],
  ])("%s is a use", (_what, text) => {
    const more = { "apps/cli/src/more.ts": text, "apps/cli/src/main.ts": 'import { other } from "./more.ts";' };
    expect(deadOf({ ...fact, ...used, ...more, [index]: 'export * from "./fact.ts";' })).toEqual([]);
  });

  test.each([
    ["a test", "apps/cli/src/more.test.ts", 'import { other } from "@devflow/evals";'],
    ["a benchmark", "bench/more.bench.ts", 'import { other } from "@devflow/evals";'],
    ["a file of the same package", "packages/evals/src/more.ts", 'import { other } from "./index.ts";'],
    ["a namespace that uses another name", "apps/cli/src/more.ts", 'import * as e from "@devflow/evals"; e.fact;'],
  ])("%s does not count as a use", (_what, path, text) => {
    expect(
      deadOf({ ...fact, ...used, [path]: text, [index]: 'export { fact, other } from "./fact.ts";' }),
    ).toHaveLength(1);
  });

  test("the entry point of a folder needs a use outside the folder", () => {
    const folder = {
      "packages/evals/src/compare/index.ts": 'export { pair, side } from "./pair.ts";',
      "packages/evals/src/compare/pair.ts": "export const pair = 1; export const side = 2;",
      "packages/evals/src/compare/user.ts": 'import { side } from "./index.ts"; side;',
      [index]: 'import { pair } from "./compare/index.ts"; pair;',
    };
    expect(deadOf(folder)).toEqual([
      expect.stringContaining("compare/index.ts exports side (packages/evals/src/compare/pair.ts:1)"),
    ]);
  });

  test("a type next to its function needs no import, but one that is listed by name does", () => {
    const shape = {
      "packages/evals/src/fact.ts": "export interface Kind {}\nexport const fact = (kind: Kind) => kind;",
    };
    expect(deadOf({ ...shape, ...used, [index]: 'export * from "./fact.ts";' })).toEqual([]);
    expect(deadOf({ ...shape, ...used, [index]: 'export { type Kind, fact } from "./fact.ts";' })).toEqual([
      expect.stringContaining("exports Kind"),
    ]);
    const lone = { "packages/evals/src/fact.ts": "export interface Lone {}\nexport const fact = 1;" };
    expect(deadOf({ ...lone, ...used, [index]: 'export * from "./fact.ts";' })).toEqual([
      expect.stringContaining("exports Lone"),
    ]);
  });

  test("an entry point for tests is used by tests", () => {
    const entryPoints = { ".": "./src/index.ts", "./testing": "./testing/index.ts" };
    const support = {
      "packages/evals/package.json": JSON.stringify({ name: "@devflow/evals", exports: entryPoints }),
      "packages/evals/testing/index.ts": "export const made = 1; export const spare = 2;",
      "apps/cli/src/more.test.ts": 'import { made } from "@devflow/evals/testing";',
    };
    expect(deadOf(support)).toEqual([expect.stringContaining("exports spare")]);
  });

  test("an entry point of package.json that nothing outside imports is reported", () => {
    const entryPoints = { ".": "./src/index.ts", "./fact": "./src/fact.ts" };
    const manifest = JSON.stringify({ name: "@devflow/evals", exports: entryPoints });
    const inside = {
      ...fact,
      [index]: 'import { fact, other } from "./fact.ts"; export const all = [fact, other];',
    };
    const user = { "apps/cli/src/later.ts": 'import { all } from "@devflow/evals";' };
    expect(deadOf({ ...inside, ...user, "packages/evals/package.json": manifest })).toEqual([
      "packages/evals/package.json exports ./fact, but nothing outside packages/evals imports it",
    ]);
  });
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
