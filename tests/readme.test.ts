/** The README, as somebody follows it: every block pasted into a terminal, in order, with the executable. */
import { beforeAll, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expectNoLeaks, runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { freshExecutable } from "../scripts/build/executable.ts";

const root = join(import.meta.dir, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
let built: string;
beforeAll(async () => {
  built = await freshExecutable(root);
}, 300_000);

test("its blocks contain no comments, which zsh would pass on as arguments", () => {
  expect(blocks.join("").match(/(?:^|\s)#.*/gm)).toBeNull();
});

test("its blocks work one after the other in an empty folder", async () => {
  const home = temporaryHome();
  const bin = temporaryFolder("bin");
  cpSync(built, join(bin, "devflow"));
  const folder = temporaryFolder("empty");
  const here = home.environment({ DEVFLOW_PORT: "0" });
  const env = { ...here, PATH: `${bin}:${here.PATH}` };
  const paste = (block: string) => runProcess(["sh", "-e", "-c", block], { cwd: folder, env, timeoutMs: 120_000 });
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
