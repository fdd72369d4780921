/**
 * A small file system of its own, which can be filled to the last byte.
 *
 * - `lackOfSmallDisk()` why this machine cannot have one, or undefined.
 * - `openSmallDisk(like)` `path` is its folder, as long as the path `like`: agents count the tokens of paths. `fillDisk(path)` and `freeDisk(path)` are for any process.
 */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ballast = "ballast";

export function openSmallDisk(like = ""): { readonly path: string; close(): void } {
  // mkdtemp adds six characters.
  const path = mkdtempSync(join(tmpdir(), "disk-").padEnd(like.length - 6, "-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m,mode=0700", "tmpfs", path], { stdio: "ignore" });
  } catch (error) {
    rmdirSync(path);
    throw error;
  }
  return {
    path,
    close() {
      execFileSync("umount", ["--lazy", path]);
      rmdirSync(path);
    },
  };
}

export async function lackOfSmallDisk(): Promise<string | undefined> {
  if (process.platform !== "linux") return "it needs Linux";
  try {
    openSmallDisk().close();
    return undefined;
  } catch {
    return "it may not mount a file system; run the tests as root";
  }
}

export function fillDisk(path: string): void {
  const file = openSync(join(path, ballast), "w");
  try {
    for (let size = 1 << 20; size > 0; ) {
      try {
        if (writeSync(file, Buffer.alloc(size)) < size) size >>= 1;
      } catch (error) {
        if ((error as { code?: string }).code !== "ENOSPC") throw error;
        size >>= 1;
      }
    }
  } finally {
    closeSync(file);
  }
}

export function freeDisk(path: string): void {
  rmSync(join(path, ballast), { force: true });
}
