import { expect, test } from "bun:test";
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tarOf } from "./tar.ts";

const deep = `${"folder/".repeat(16)}deep.txt`;
const entries = [
  { path: "bin/run", mode: 0o755, content: "#!/bin/sh\n" },
  { path: deep, content: "x".repeat(1000) },
  { path: "lib.so", linkTo: "lib.so.1" },
  { path: "lib.so.1", content: new Uint8Array([0, 1, 2]) },
];

test("an archive has the same bytes for any order and time of its creation", () => {
  expect(Buffer.from(tarOf(entries)).equals(Buffer.from(tarOf([...entries].reverse())))).toBe(true);
});

for (const reader of ["tar", "Bun"] as const) {
  test(`${reader} reads it back with modes, links and long names`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "devflow-tar-"));
    try {
      const archive = tarOf(entries);
      if (reader === "Bun") await new Bun.Archive(archive).extract(folder);
      else expect(Bun.spawnSync(["tar", "x", "-C", folder], { stdin: archive }).exitCode).toBe(0);
      expect(lstatSync(join(folder, "bin/run")).mode & 0o100).toBe(0o100);
      expect(readFileSync(join(folder, deep), "utf8")).toBe("x".repeat(1000));
      expect(readlinkSync(join(folder, "lib.so"))).toBe("lib.so.1");
      expect(readFileSync(join(folder, "lib.so.1"))).toEqual(Buffer.from([0, 1, 2]));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
