import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryLock } from "./exclusive-lock.ts";
import { lockHolder } from "./lock-holder.ts";

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "devflow-lock-")), "lock");
});
afterEach(() => rmSync(join(path, ".."), { recursive: true, force: true }));

describe("tryLock", () => {
  test("only one holder at a time in this process; the next one after a release", () => {
    const first = tryLock(path);
    expect(first).toBeDefined();
    expect(tryLock(path)).toBeUndefined();
    first?.release();
    const second = tryLock(path);
    expect(second).toBeDefined();
    second?.release();
    expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  });

  test("is held until it is released, even when nothing references it", () => {
    tryLock(path);
    Bun.gc(true);
    expect(tryLock(path)).toBeUndefined();
  });

  test("a lock held by another process is free again the moment that process is killed", async () => {
    const program = `
      import { tryLock } from ${JSON.stringify(join(import.meta.dir, "exclusive-lock.ts"))};
      console.log(tryLock(${JSON.stringify(path)}) ? "held" : "refused");
      setInterval(() => {}, 1000);`;
    await using child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("held\n");
    expect(tryLock(path)).toBeUndefined();
    expect(lockHolder(path)).toBe(child.pid);
    child.kill("SIGKILL");
    await child.exited;
    expect(lockHolder(path)).toBeUndefined();
    const mine = tryLock(path);
    expect(mine).toBeDefined();
    mine?.release();
  });
});
