import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { allCommands } from "@devflow/cli/commands";
import { commandLineFaults } from "./command-lines.ts";
import { commandsIn, detailFaultsIn, endsCopyable } from "./error-registry.ts";
import { linkFaults, pathFaults } from "./links.ts";
import { versionFaults } from "./versions.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "devflow-docs-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

describe("command lines in the docs", async () => {
  const commands = await allCommands();
  const faults = (text: string) => commandLineFaults({ path: "page.md", text }, commands, ["start", "check"]);

  test("valid ones are accepted: blocks, text, prompts, comments, placeholders, quotes, variables", () => {
    const text = [
      "Say `devflow up -d`, then `devflow <command> --help` or `devflow --version`; `devflow` alone is the name, `devflow restore` names a command.",
      "```sh\n$ devflow status --json | jq .   # where is it\nDEVFLOW_HOME=/tmp/x ./dist/devflow up --port <port> && echo up\n",
      'devflow config set log_level "debug"\nnpm start -- --once\nnpm run check\nnpm ci\n```',
      "```ts\ndevflow nonsense\n```",
    ].join("\n");
    expect(faults(text)).toEqual([]);
  });

  test.each([
    ["an unknown command", "Type `devflow upp`.", 'page.md:1 devflow upp: There is no command "upp".'],
    [
      "an unknown flag",
      "\n```sh\ndevflow up --prot 1\n```",
      "page.md:3 devflow up --prot 1: devflow up has no flag --prot; did you mean --port?",
    ],
    [
      "an extra argument",
      "```\ndevflow status now\n```",
      'page.md:2 devflow status now: "now" is one argument too many.',
    ],
    ["an unknown script", "Run `npm run chekc`.", 'page.md:1 npm run chekc: package.json has no script "chekc"'],
  ])("%s is an error with its line", (_name, text, fault) => {
    expect(faults(text)).toEqual([fault]);
  });
});

describe("links and paths", () => {
  const page = (text: string, path = "docs/page.md") => ({ path, text });

  test("links to files, headings and anchors that exist are accepted, others are errors", () => {
    put({ "README.md": '# The `one` & only!\n<a id="mark"></a>', "docs/page.md": "# Here", "docs/images/a.png": "" });
    const good =
      "[a](../README.md) [b](../README.md#the-one--only) [c](../README.md#mark) ![d](images/a.png) [e](https://x.y/z) [f](images)";
    expect(linkFaults(page(`# Here\n${good} [g](#here)`), root)).toEqual([]);
    expect(linkFaults(page("[a](gone.md)\n\n[b](../README.md#gone)\n![c](images/b.png)"), root)).toEqual([
      "docs/page.md:1 links to gone.md, but there is no docs/gone.md",
      "docs/page.md:3 links to ../README.md#gone, but README.md has no such heading",
      "docs/page.md:4 links to images/b.png, but there is no docs/images/b.png",
    ]);
    expect(linkFaults(page("```md\n[a](gone.md)\n```"), root)).toEqual([]);
  });

  test("paths in a table exist, and a placeholder matches any name", () => {
    put({ "packages/core/src/errors.ts": "", "apps/cli/src/config/commands.ts": "" });
    const row = (path: string) => page(`| task | \`${path}\` |`, "CONTRIBUTING.md");
    for (const path of [
      "packages/core/src/errors.ts",
      "packages/core/",
      "apps/cli/src/<group>/commands.ts",
      "packages/*/src",
    ]) {
      expect(pathFaults(row(path), root)).toEqual([]);
    }
    expect(pathFaults(row("packages/gone/src"), root)).toEqual([
      "CONTRIBUTING.md:1 names packages/gone/src, which does not exist",
    ]);
    expect(pathFaults(row("apps/<name>/gone.ts"), root)).toHaveLength(1);
  });
});

describe("errors that are raised", () => {
  test("commands are found anywhere in hints", () => {
    expect(commandsIn("Start it: devflow up -d")).toEqual(["devflow up -d"]);
    expect(
      commandsIn("Run the older Devflow's `devflow backup a.devflow-backup`, then: devflow restore a.devflow-backup"),
    ).toEqual(["devflow backup a.devflow-backup", "devflow restore a.devflow-backup"]);
    expect(commandsIn("useradd devflow-postgres; see /var/lib/devflow now")).toEqual([]);
  });

  test("a hint must not end with something to copy and a period", () => {
    const bad = ["See: devflow run list.", "Use {path}.", "Set `copy`.", "Fix schemas/artifacts."];
    const good = ["See: devflow run list", "Repeat the command.", "Ask a teammate to decide.", "Use: {path}"];
    expect([...bad, ...good].filter(endsCopyable)).toEqual(bad);
  });

  test("a missing detail that the message needs is an error", () => {
    const raise = (text: string) => detailFaultsIn("a.ts", text);
    expect(raise('throw new DevflowError("port_in_use", { details: { port, host, other: 1 } });')).toEqual([]);
    expect(raise('throw new DevflowError("conflict", { details: { ...more } });')).toEqual([]);
    expect(raise('throw new DevflowError("conflict", { details });')).toEqual([]);
    expect(raise('\nthrow new DevflowError("port_in_use", { details: { port } });')).toEqual([
      'a.ts:2 raises "port_in_use" without host, other',
    ]);
    expect(raise('throw new DevflowError("disk_full");')).toEqual(['a.ts:1 raises "disk_full" without path']);
    expect(raise('throw new DevflowError("disk_full", { cause });')).toHaveLength(1);
  });
});

describe("versions", () => {
  const sound = {
    "package.json": '{"version": "1.2.3"}',
    "package-lock.json":
      '{"version": "1.2.3", "packages": {"packages/core": {"version": "1.2.3"}, "apps/cli": {"version": "1.2.3"}}}',
    "packages/core/package.json": '{"version": "1.2.3"}',
    "packages/core/src/version.ts": 'export const version = "1.2.3";',
    "apps/cli/package.json": '{"version": "1.2.3", "dependencies": {"@devflow/core": "1.2.3", "zod": "4.0.0"}}',
    "CHANGELOG.md": "# Changelog\n\n## 1.2.3 (unreleased)\n\n## 1.2.2\n",
  };

  test("the same version everywhere is accepted", () => {
    put(sound);
    expect(versionFaults(root)).toEqual([]);
  });

  test.each([
    ["packages/core/package.json", '{"version": "1.2.2"}'],
    ["packages/core/src/version.ts", 'export const version = "1.2.2";'],
    ["apps/cli/package.json", '{"version": "1.2.3", "dependencies": {"@devflow/core": "1.2.2"}}'],
    [
      "package-lock.json",
      sound["package-lock.json"].replace('"apps/cli": {"version": "1.2.3"}', '"apps/cli": {"version": "1.2.2"}'),
    ],
    ["CHANGELOG.md", "# Changelog\n\n## 1.2.2\n"],
  ])("another one in %s is an error", (path, text) => {
    put({ ...sound, [path]: text });
    expect(versionFaults(root)).toEqual([
      expect.stringMatching(new RegExp(`^${path}.* has version 1\\.2\\.2, package\\.json has 1\\.2\\.3`)),
    ]);
  });
});
