/** The README and the page about runs, as somebody follows them: pasted into a terminal, in order, with the executable. */
import { beforeAll, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expectNoLeaks, runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { freshExecutable } from "../scripts/build/executable.ts";

const root = join(import.meta.dir, "..");
const blocksOf = (page: string): string[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
const blocks = blocksOf("README.md");
let built: string;
beforeAll(async () => {
  built = await freshExecutable(root);
}, 300_000);

test("its blocks contain no comments, which zsh would pass on as arguments", () => {
  expect(blocks.join("").match(/(?:^|\s)#.*/gm)).toBeNull();
});

/** `devflow` is on the PATH, and the folder is empty. */
function newMachine() {
  const home = temporaryHome();
  const bin = temporaryFolder("bin");
  cpSync(built, join(bin, "devflow"));
  const folder = temporaryFolder("empty");
  const who = { GIT_AUTHOR_NAME: "Robin", GIT_AUTHOR_EMAIL: "robin@example.com" };
  const committer = { GIT_COMMITTER_NAME: "Robin", GIT_COMMITTER_EMAIL: "robin@example.com" };
  const here = home.environment({ DEVFLOW_PORT: "0", ...who, ...committer });
  const env = { ...here, PATH: `${bin}:${here.PATH}` };
  const paste = (block: string) => runProcess(["sh", "-e", "-c", block], { cwd: folder, env, timeoutMs: 120_000 });
  return { home, bin, paste };
}

test("its blocks work one after the other in an empty folder", async () => {
  const { home, bin, paste } = newMachine();
  // The others are for the clone: `npm start` and `npm run build` have tests of their own.
  const pasted = blocks.filter((block) => !block.startsWith("npm "));
  expect(pasted.length).toBeGreaterThan(8);
  const outputs: string[] = [];
  try {
    for (const block of pasted) {
      const { code, stdout, stderr } = await paste(block);
      expect({ block, code, stderr: code === 0 ? "" : stderr }).toEqual({ block, code: 0, stderr: "" });
      outputs.push(stdout);
    }
  } finally {
    if (existsSync(join(bin, "devflow")))
      await paste("devflow browse stop; devflow down; devflow uninstall --data --yes");
  }
  const all = outputs.join("\n");
  expect(all).toContain("Asks: plan approved?");
  expect(all).toContain("Asks: ship approved?");
  expect(all).toContain("run completed");
  expect(all).toContain("clicked @e");
  expect([join(bin, "devflow"), home.devflowHome].filter((path) => existsSync(path))).toEqual([]);
  await expectNoLeaks();
}, 400_000);

test("the blocks of docs/runs.md lead from a first run to an own template and persona", async () => {
  const { home, paste } = newMachine();
  try {
    const { code, stdout, stderr } = await paste(blocksOf("docs/runs.md").join("\n"));
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    for (const said of [
      "Asks: plan approved?",
      "run completed",
      "Removed 1 worktree",
      "(removed)",
      `${home.devflowHome}/templates/quick@1.yaml: valid, quick@1`,
      "careful-coder@1",
    ])
      expect(stdout).toContain(said);
  } finally {
    await paste("devflow down; devflow uninstall --data --yes");
  }
  await expectNoLeaks();
}, 200_000);

test("a page where nothing listens is reported at once", async () => {
  const home = temporaryHome();
  const folder = temporaryFolder("empty");
  // A port that was free a moment ago; the lowest ones are refused by Chromium itself.
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const place = `127.0.0.1:${probe.port}`;
  await probe.stop(true);
  const browse = (...words: string[]) =>
    runProcess([built, "browse", ...words], { cwd: folder, env: home.environment(), timeoutMs: 60_000 });
  try {
    await browse("goto", "about:blank");
    const started = performance.now();
    const { code, stderr } = await browse("goto", place);
    expect({ code, stderr }).toEqual({
      code: 69,
      stderr: `http://${place} did not open: nothing is listening on ${place}.\nStart the server, then repeat the command.\n`,
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  } finally {
    await browse("stop");
  }
}, 150_000);
