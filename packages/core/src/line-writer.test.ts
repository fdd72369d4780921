import { expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bestEffort } from "./best-effort.ts";
import { lineWriter } from "./line-writer.ts";
import { createLog } from "./log.ts";

/** A disk with this many free bytes; it takes what fits, as a real one does. */
function smallDisk(room: number) {
  const disk = { text: "", room };
  const write = (_fd: number, bytes: Uint8Array): number => {
    if (disk.room === 0) throw Object.assign(new Error("no space left on device, write"), { code: "ENOSPC" });
    const taken = bytes.subarray(0, disk.room);
    disk.text += Buffer.from(taken).toString();
    disk.room -= taken.length;
    return taken.length;
  };
  return { disk, writer: lineWriter(1, write) };
}

test("on a full disk lines are dropped without an error, and the log says later how many are missing", () => {
  const { disk, writer } = smallDisk(8);
  writer.write("one\n");
  writer.write("two is cut\n");
  writer.write("three\n");
  expect(disk.text).toBe("one\ntwo ");
  disk.room = 1_000;
  writer.write("four\n");
  writer.write("five\n");
  const [one, cut, gap, ...rest] = disk.text.split("\n");
  expect([one, cut, ...rest]).toEqual(["one", "two ", "four", "five", ""]);
  expect(JSON.parse(gap ?? "")).toMatchObject({ level: "warn", lines: 2, msg: "log lines were lost" });
});

test("a reader that is slow for a moment loses nothing", () => {
  let refusals = 3;
  const lines: string[] = [];
  const writer = lineWriter(1, (_fd, bytes) => {
    if (refusals-- > 0) throw Object.assign(new Error("try again"), { code: "EAGAIN" });
    lines.push(Buffer.from(bytes).toString());
    return bytes.length;
  });
  writer.write("one\n");
  expect(lines).toEqual(["one\n"]);
});

test("a log on the device that is always full disturbs nobody", async () => {
  const full = openSync("/dev/full", "a");
  const log = createLog({ level: "info", module: "test", destination: lineWriter(full) });
  log.info("one");
  expect(await bestEffort("fail", log, () => Promise.reject(new Error("offline")))).toBeUndefined();
  closeSync(full);
});

test("best-effort work whose failure cannot be logged still does not fail its caller", async () => {
  const destination = {
    write() {
      throw new Error("no space left on device");
    },
  };
  const log = createLog({ level: "info", module: "test", destination });
  expect(await bestEffort("fail", log, () => Promise.reject(new Error("offline")))).toBeUndefined();
});

test("bytes reach the file", () => {
  const folder = mkdtempSync(join(tmpdir(), "devflow-lines-"));
  const fd = openSync(join(folder, "log"), "a", 0o600);
  lineWriter(fd).write("one\n");
  expect(readFileSync(join(folder, "log"), "utf8")).toBe("one\n");
  closeSync(fd);
  rmSync(folder, { recursive: true });
});
