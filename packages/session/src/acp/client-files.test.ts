import { expect, test } from "bun:test";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { clientFiles, OutOfReach } from "./client-files.ts";
import { isInside } from "./inside-folders.ts";

const cwd = temporaryFolder("worktree");
const outside = temporaryFolder("outside");
writeFileSync(join(cwd, "a.txt"), "one\ntwo\nthree\nfour");
writeFileSync(join(outside, "key"), "secret");
symlinkSync(outside, join(cwd, "out"));
const files = clientFiles({ readable: [cwd], mayWrite: (path) => isInside(path, [cwd]) });
const sessionId = "s";

test("an agent reads a file, whole or some of its lines", async () => {
  const path = join(cwd, "a.txt");
  expect(await files.read({ sessionId, path })).toBe("one\ntwo\nthree\nfour");
  expect(await files.read({ sessionId, path, line: 2, limit: 2 })).toBe("two\nthree");
  expect(await files.read({ sessionId, path, line: 4 })).toBe("four");
});

test("an agent writes a file in a new folder", async () => {
  const path = join(cwd, "new/deep/b.txt");
  await files.write({ sessionId, path, content: "b" });
  expect(readFileSync(path, "utf8")).toBe("b");
});

test("nothing outside is read or written, not even through a link", async () => {
  for (const path of [join(outside, "key"), join(cwd, "out/key"), `${cwd}/../${outside.split("/").at(-1)}/key`]) {
    expect(files.read({ sessionId, path })).rejects.toBeInstanceOf(OutOfReach);
    expect(files.write({ sessionId, path, content: "x" })).rejects.toBeInstanceOf(OutOfReach);
  }
  expect(files.write({ sessionId, path: join(cwd, "out/new"), content: "x" })).rejects.toBeInstanceOf(OutOfReach);
  expect([readFileSync(join(outside, "key"), "utf8"), existsSync(join(outside, "new"))]).toEqual(["secret", false]);
});
