import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePrivateFolder, movePrivateFile, readPrivateFile, writeFileAtomic } from "./atomic-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "devflow-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("writeFileAtomic", () => {
  test("a file is 0600 by default, even when it replaces an open one", async () => {
    const path = join(folder, "state.json");
    writeFileSync(path, "old", { mode: 0o644 });
    await writeFileAtomic(path, "new");
    expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["new", "600"]);
    await writeFileAtomic(path, new Uint8Array([0, 255]), 0o640);
    expect([[...readFileSync(path)], modeOf(path)]).toEqual([[0, 255], "640"]);
    expect(readdirSync(folder)).toEqual(["state.json"]);
  });

  test("a symbolic link is replaced by the file, and its target stays", async () => {
    const target = join(folder, "target");
    writeFileSync(target, "precious");
    symlinkSync(target, join(folder, "state.json"));
    await writeFileAtomic(join(folder, "state.json"), "new");
    expect([readFileSync(target, "utf8"), readFileSync(join(folder, "state.json"), "utf8")]).toEqual([
      "precious",
      "new",
    ]);
  });

  test("of many concurrent writers one wins completely, and no temporary file is left", async () => {
    const path = join(folder, "state.json");
    const contents = Array.from({ length: 40 }, (_, index) => String(index).repeat(50_000));
    await Promise.all(contents.map((content) => writeFileAtomic(path, content)));
    expect(contents).toContain(readFileSync(path, "utf8"));
    expect(readdirSync(folder)).toEqual(["state.json"]);
  });

  test("a write that fails leaves the old content and no temporary file", async () => {
    mkdirSync(join(folder, "taken", "inside"), { recursive: true });
    await expect(writeFileAtomic(join(folder, "taken"), "new")).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(["taken"]);
  });

  test("kill -9 during a write leaves the old content or the new one", async () => {
    const path = join(folder, "state.json");
    const program = `
      import { writeFileAtomic } from ${JSON.stringify(join(import.meta.dir, "atomic-file.ts"))};
      await writeFileAtomic(${JSON.stringify(path)}, "a".repeat(2_000_000));
      console.log("started");
      for (let i = 1; ; i++) await writeFileAtomic(${JSON.stringify(path)}, (i % 2 ? "b" : "a").repeat(2_000_000));`;
    for (let round = 0; round < 8; round++) {
      const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
      await child.stdout.getReader().read();
      await Bun.sleep(round * 7);
      child.kill("SIGKILL");
      await child.exited;
      const content = readFileSync(path, "utf8");
      expect(["a".repeat(2_000_000), "b".repeat(2_000_000)].indexOf(content)).not.toBe(-1);
    }
  });
});

describe("readPrivateFile", () => {
  test("returns the content, and undefined for a missing file", async () => {
    await writeFileAtomic(join(folder, "a"), "text é");
    expect(await readPrivateFile(join(folder, "a"))).toBe("text é");
    expect(await readPrivateFile(join(folder, "b"))).toBeUndefined();
  });

  test("refuses a symbolic link to anything", async () => {
    writeFileSync(join(folder, "target"), "{}");
    symlinkSync(join(folder, "target"), join(folder, "link"));
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
    await expect(readPrivateFile(join(folder, "link"))).rejects.toMatchObject({ code: "home_unusable" });
    await expect(readPrivateFile(join(folder, "dangling"))).rejects.toMatchObject({ code: "home_unusable" });
  });
});

describe("ensurePrivateFolder", () => {
  test("creates a private folder, with its parents, and accepts an existing one", async () => {
    const path = join(folder, "home", "inner");
    await ensurePrivateFolder(path);
    await ensurePrivateFolder(path);
    expect(modeOf(path)).toBe("700");
  });

  test("refuses a link or a file where the folder should be", async () => {
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "link"));
    writeFileSync(join(folder, "file"), "");
    await expect(ensurePrivateFolder(join(folder, "link"))).rejects.toMatchObject({ code: "home_unusable" });
    await expect(ensurePrivateFolder(join(folder, "file"))).rejects.toMatchObject({ code: "home_unusable" });
  });
});

test("a private file is moved once; one that is already in the new place wins", async () => {
  const [from, to] = [join(folder, "old.key"), join(folder, "keys", "new.key")];
  await movePrivateFile(from, to);
  expect(modeOf(join(folder, "keys"))).toBe("700");
  await writeFileAtomic(from, "first");
  await movePrivateFile(from, to);
  await writeFileAtomic(from, "second");
  await movePrivateFile(from, to);
  expect([readFileSync(to, "utf8"), readFileSync(from, "utf8")]).toEqual(["first", "second"]);
});
