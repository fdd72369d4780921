import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findCheckout } from "@devflow/git/checkout";
import { runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { fileHash } from "./blob-hash.ts";
import { changedSince, madeByCommits } from "./changed-since.ts";
import { parseIndex } from "./git-index.ts";
import { linesOfDiff, linesOfPatch, linesOfText } from "./index.ts";
import { loadState, saveState, takeState } from "./worktree-state.ts";

const home = temporaryHome();
const env = home.environment({
  ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "a@x", GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "a@x" },
});

async function shell(cwd: string, command: string): Promise<string> {
  const { code, stdout, stderr } = await runProcess(["sh", "-ec", command], { cwd, env });
  if (code !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout;
}

async function repository(init = "git init -q -b main"): Promise<string> {
  const root = temporaryFolder("repo");
  await shell(
    root,
    `${init}; mkdir -p src gen; for n in a b c; do printf 'one\\ntwo\\n%s\\n' $n > src/$n.ts; done; echo dist > .gitignore; git add -A; git commit -qm Start`,
  );
  return root;
}

/** What a command changed, seen as hooks see it: the state is written to a file and read again. */
async function changedBy(root: string, command: string, known: ReadonlyMap<string, string> = new Map()) {
  const checkout = findCheckout(root);
  if (!checkout) throw new Error("no repository");
  // A file that was written in the same tick of the clock would count.
  await Bun.sleep(25);
  const state = takeState(checkout, Date.now());
  const file = join(temporaryFolder("state"), "deep/state");
  saveState(file, state);
  await shell(root, command);
  const before = loadState(file);
  if (!before) throw new Error("the state was lost");
  const now = findCheckout(root);
  const changed = await changedSince(now ?? checkout, before, { known });
  if (!changed) return undefined;
  return changed
    .map(({ path, isGone, from }) => `${path}${isGone ? " gone" : ""}${from === undefined ? "" : ` from ${from}`}`)
    .sort();
}

describe("a command changed", () => {
  test.each<[string, string, string[]]>([
    ["a file by sed", "sed -i s/two/2/ src/a.ts", ["src/a.ts"]],
    ["a file that was dirty before", "echo more >> src/b.ts", ["src/b.ts"]],
    ["several by a generator, new ones too", "for n in x y; do echo $n > gen/$n.ts; done", ["gen/x.ts", "gen/y.ts"]],
    ["nothing that git ignores", "mkdir -p dist && echo x > dist/x.js", []],
    ["a name by git mv", "git mv src/a.ts src/z.ts", ["src/a.ts gone", "src/z.ts from src/a.ts"]],
    [
      "a folder's name",
      "git mv src lib",
      [
        "lib/a.ts from src/a.ts",
        "lib/b.ts",
        "lib/c.ts from src/c.ts",
        "src/a.ts gone",
        "src/b.ts gone",
        "src/c.ts gone",
      ],
    ],
    ["a file by taking it back", "git checkout -q -- src/b.ts", ["src/b.ts"]],
    ["a file by git restore from a branch", "git restore --source=other src/c.ts", ["src/c.ts"]],
    ["a file by git checkout of another branch's", "git checkout -q other -- src/c.ts", ["src/c.ts"]],
    ["a file that it removed", "rm src/a.ts", ["src/a.ts gone"]],
    ["what git stash took away", "git stash -q", ["src/b.ts"]],
    ["what it committed", "sed -i s/two/2/ src/a.ts && git commit -qam Work", ["src/a.ts"]],
    [
      "what it committed on a new branch",
      "git switch -q -c new && sed -i s/two/2/ src/a.ts && git commit -qm Work src/a.ts",
      ["src/a.ts"],
    ],
    ["nothing by switching branches", "git switch -q other && git switch -q main && git switch -q --detach other", []],
    ["nothing by a merge", "git merge -q other", []],
    ["nothing by git add", "git add -A && git status", []],
    [
      "nothing by touch, chmod or the same content again",
      "touch src/a.ts; chmod 600 src/c.ts; cp src/a.ts t && cat t > src/a.ts && rm t; git status",
      [],
    ],
    ["nothing by sed that finds nothing", "sed -i s/nothing/x/ src/a.ts src/c.ts", []],
    [
      "a folder's name, without git",
      "mv src lib",
      ["lib/a.ts from src/a.ts", "lib/c.ts from src/c.ts", "src/a.ts gone", "src/b.ts gone", "src/c.ts gone"],
    ],
    ["a file with letters of another alphabet", "echo 1 > 'ü ñ.txt'", ["ü ñ.txt"]],
    ["a link", "ln -s src/a.ts link", ["link"]],
  ])("%s", async (_name, command, expected) => {
    const root = await repository();
    await shell(root, "git switch -q -c other && echo o >> src/c.ts && git commit -qam Other && git switch -q main");
    writeFileSync(join(root, "src/b.ts"), "dirty\n");
    expect(await changedBy(root, command)).toEqual(expected);
  });

  test("the same in a worktree, before the first commit, with an index of version 4 and with SHA-256", async () => {
    const root = await repository();
    const tree = join(temporaryFolder("trees"), "t");
    await shell(root, `git worktree add -q -b t ${tree}`);
    expect(await changedBy(tree, "sed -i s/two/2/ src/a.ts")).toEqual(["src/a.ts"]);
    await shell(root, "git update-index --index-version 4");
    expect(await changedBy(root, "sed -i s/two/2/ src/a.ts; echo n > n")).toEqual(["n", "src/a.ts"]);
    const bare = temporaryFolder("new");
    await shell(bare, "git init -q");
    expect(await changedBy(bare, "echo 1 > a")).toEqual(["a"]);
    const long = await repository("git init -q -b main --object-format=sha256");
    expect(await changedBy(long, "sed -i s/two/2/ src/a.ts; touch src/b.ts")).toEqual(["src/a.ts"]);
  });

  test("nothing is known where the index takes git to read, or its file was cut", async () => {
    const root = await repository();
    await shell(root, "git update-index --split-index && echo 1 > new && git add new");
    expect(await changedBy(root, "echo 2 >> src/a.ts")).toBeUndefined();
    const index = readFileSync(join(await repository(), ".git/index"));
    expect(parseIndex(index, 20)?.length).toBe(4);
    for (const cut of [0, 11, 20, 80, 200]) expect(parseIndex(index.subarray(0, cut), 20)).toBeUndefined();
    expect(loadState(join(root, "none"))).toBeUndefined();
  });

  test("a dirty file that is written again with the same content, if its content is known", async () => {
    const root = await repository();
    writeFileSync(join(root, "src/b.ts"), "dirty\n");
    const again = "cp src/b.ts t && cat t > src/b.ts && rm t";
    expect(await changedBy(root, again)).toEqual(["src/b.ts"]);
    expect(await changedBy(root, again, new Map([["src/b.ts", fileHash(join(root, "src/b.ts")) ?? ""]]))).toEqual([]);
  });
});

test("the index is read as git reads it", async () => {
  const root = temporaryFolder("repo");
  await shell(root, "git init -q");
  const names = ["a", "ab", "abc/d", "ü/é", "x".repeat(200), `${"y".repeat(90)}/${"z".repeat(90)}`, "sp ace", "t\tab"];
  for (const name of names) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), name);
  }
  symlinkSync("a", join(root, "link"));
  chmodSync(join(root, "ab"), 0o755);
  await shell(root, "git add -A");
  for (const version of [2, 3, 4]) {
    await shell(root, `git update-index --index-version ${version}`);
    const listed = (await shell(root, "git ls-files -s -z")).split("\0").filter(Boolean);
    const expected = listed.map((line) => [line.split("\t").slice(1).join("\t"), line.split(" ")[1] ?? ""]);
    const found = parseIndex(readFileSync(join(root, ".git/index")), 20)?.map(({ path, object }) => [path, object]);
    expect(found).toEqual(expected);
  }
  expect(fileHash(join(root, "a"))).toBe((await shell(root, "git hash-object a")).trim());
});

test("which commits were made is told by the log of HEAD", () => {
  const [a, b, c] = ["a", "b", "c"].map((one) => one.repeat(40)) as [string, string, string];
  const line = (from: string, to: string, message: string) => `${from} ${to} Ada <a@x> 1 +0000\t${message}`;
  expect(madeByCommits([line(a, b, "commit: Work"), line(b, c, "commit (amend): Work")])).toEqual({
    isMoved: false,
    commits: [
      [a, b],
      [b, c],
    ],
  });
  expect(
    madeByCommits([line(a, b, "checkout: moving from x to y"), line(b, b, "checkout: moving"), "garbage"]),
  ).toEqual({
    isMoved: true,
    commits: [],
  });
  expect(madeByCommits([line("0".repeat(40), a, "commit (initial): First")]).commits).toEqual([[undefined, a]]);
});

describe("the lines of an edit", () => {
  test("come from a patch: added, changed and removed ones", () => {
    const hunk = { newStart: 3, lines: [" a", "-b", "+B", "+C", " d", "-e", " f"] };
    expect(linesOfPatch([hunk])).toEqual([
      [4, 5],
      [7, 7],
    ]);
    expect(linesOfPatch([{ newStart: 1, lines: [" a", "-b", "+B", " c"] }])).toEqual([[2, 2]]);
    expect(
      linesOfPatch([
        { newStart: 1, lines: ["+a", "+b"] },
        { newStart: 9, lines: ["-x"] },
      ]),
    ).toEqual([
      [1, 2],
      [9, 9],
    ]);
    expect(linesOfPatch("no patch")).toEqual([]);
    expect(linesOfPatch([{ newStart: "1", lines: ["+a"] }, null])).toEqual([]);
  });

  test("come from git, whatever the file is called and holds", async () => {
    const root = await repository();
    writeFileSync(join(root, 'ü "q".txt'), "one\n");
    await shell(root, "git add -A && git commit -qm More");
    writeFileSync(join(root, 'ü "q".txt'), "one\n++ b/fake\n@@ -1 +9 @@\n");
    writeFileSync(join(root, "src/a.ts"), "zero\none\ntwo\n");
    rmSync(join(root, "src/c.ts"));
    const found = linesOfDiff(await shell(root, "git diff -U0 HEAD"));
    expect([...found]).toEqual([
      [
        "src/a.ts",
        [
          [1, 1],
          [3, 3],
        ],
      ],
      ['ü "q".txt', [[2, 3]]],
    ]);
  });

  test("come from the text that was written", () => {
    expect(linesOfText("a\nb\nc\n", "b\nc\n")).toEqual([[2, 3]]);
    expect(linesOfText("a\nb\nc", "c")).toEqual([[3, 3]]);
    expect(linesOfText("a\nb\n")).toEqual([[1, 2]]);
    expect(linesOfText("", undefined)).toEqual([]);
    expect(linesOfText("a\n", "missing")).toEqual([]);
  });

  test("of more than fifty parts are joined at the end, so that none is left out", () => {
    const hunks = Array.from({ length: 80 }, (_, at) => ({ newStart: 1 + 10 * at, lines: ["+x"] }));
    const found = linesOfPatch(hunks);
    expect([found.length, found[0], found.at(-1)]).toEqual([50, [1, 1], [491, 791]]);
  });
});

test("a file that is as old as the command is not taken for an edit", async () => {
  const root = await repository();
  writeFileSync(join(root, "old.txt"), "x");
  utimesSync(join(root, "old.txt"), 1, 1);
  await Bun.sleep(30);
  expect(await changedBy(root, "true")).toEqual([]);
});
