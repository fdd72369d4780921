import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshExecutable } from "../scripts/build/executable.ts";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

const ours = "devflow brain precheck";
const branches = 20;
const commits = 5_000;
const files = 400;

export default defineBenchmark({
  name: "precheck",
  what: "The conflicts of a branch with 20 others, in a repository with 5,000 commits and 400 files; one of the others conflicts. Compared with one `git merge-tree` after the other.",
  unit: "ms",
  rounds: 12,
  warmUp: 2,
  goals: [limitGoal("at most 1 s", ours, 1_000, "ms")],
  prepare: async ({ root }) => {
    const devflow = await freshExecutable(root);
    const folder = mkdtempSync(join(tmpdir(), "bench-precheck-"));
    const clone = prepareRepository(folder);
    const env = { PATH: process.env.PATH ?? "", HOME: folder, DEVFLOW_HOME: join(folder, "home") };
    const run = (words: readonly string[]) => {
      const started = Bun.nanoseconds();
      const { exitCode, stdout, stderr } = Bun.spawnSync([...words], { cwd: clone, env });
      if (exitCode > 1) throw new Error(`${words.join(" ")}: ${stderr}`);
      return { ms: (Bun.nanoseconds() - started) / 1e6, text: stdout.toString() };
    };
    return {
      contenders: [
        {
          name: ours,
          sample: async () => {
            const { ms, text } = run([devflow, "brain", "precheck"]);
            if (!text.includes("exact")) throw new Error(`the conflict was not found: ${text}`);
            return [ms];
          },
        },
        {
          name: "git merge-tree, one by one",
          sample: async () => {
            let sum = 0;
            for (let at = 0; at < branches; at++) {
              sum += run(["git", "merge-tree", "--write-tree", "HEAD", `origin/b${at}`]).ms;
            }
            return [sum];
          },
        },
      ],
      finish: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
});

/** Written by fast-import: 5,000 commits by hand would take minutes. */
function prepareRepository(folder: string): string {
  const clone = join(folder, "clone");
  mkdirSync(clone);
  const git = (words: readonly string[], input?: string) => {
    const stdin = input === undefined ? "ignore" : Buffer.from(input);
    const { exitCode, stderr } = Bun.spawnSync(["git", ...words], { cwd: clone, stdin });
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  };
  const now = Math.floor(Date.now() / 1000);
  const out: string[] = [];
  const commit = (ref: string, name: string, at: number, changes: readonly [string, string][], from?: string) => {
    out.push(
      `commit ${ref}`,
      ...(at === now - 50 * 60 ? ["mark :50"] : []),
      `committer ${name} <${name}@x> ${at} +0000`,
      "data 4",
      "Work",
      ...(from ? [`from ${from}`] : []),
    );
    for (const [path, text] of changes) out.push(`M 100644 inline ${path}`, `data ${Buffer.byteLength(text)}`, text);
    out.push("");
  };
  const text = (file: number, version: number) =>
    Array.from(
      { length: 60 },
      (_, line) => `line ${line} of ${file}${line === version % 60 ? ` version ${version}` : ""}`,
    ).join("\n");
  const path = (file: number) => `src/d${file % 20}/f${file}.txt`;
  commit(
    "refs/heads/main",
    "Ada",
    now - commits * 60,
    Array.from({ length: files }, (_, file) => [path(file), text(file, 0)]),
  );
  for (let at = 1; at < commits; at++)
    commit("refs/heads/main", "Ada", now - (commits - at) * 60, [[path(at % files), text(at % files, at)]]);
  for (let at = 0; at < branches; at++) {
    const changes = Array.from({ length: 10 }, (_, one): [string, string] => [
      path(20 + at * 10 + one),
      `${text(20 + at * 10 + one, at)}\nmore`,
    ]);
    if (at === 7) changes.push([path(1), "theirs"]);
    commit(`refs/remotes/origin/b${at}`, "Grace", now - at, changes, ":50");
  }
  out.push("reset refs/remotes/origin/main", "from refs/heads/main", "");
  commit("refs/heads/mine", "Ada", now, [[path(1), "mine"]], "refs/heads/main");
  git(["init", "-q", "-b", "main"]);
  git(["fast-import", "--quiet", "--force"], `${out.join("\n")}\n`);
  git(["checkout", "-q", "mine"]);
  git(["remote", "add", "origin", "https://example.com/acme/shop.git"]);
  writeFileSync(join(clone, "uncommitted.txt"), "x");
  return clone;
}
