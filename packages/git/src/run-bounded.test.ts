import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { runBounded } from "./run-bounded.ts";

const run = (script: string, signal?: AbortSignal) =>
  runBounded("sh", ["-c", script], {
    ...{ cwd: tmpdir(), env: { PATH: process.env.PATH ?? "" }, maxOutput: 1024 * 1024 },
    ...(signal ? { signal } : {}),
  });

test("a program that leaves somebody behind who holds its output open has ended when it ends", async () => {
  // In a session of its own, as a daemon would be.
  const { stdout, exit } = await run("setsid sh -c 'sleep 5' & echo done; exit 3");
  expect([stdout.toString(), exit]).toEqual(["done\n", 3]);
});

test("all of a long output is there, and a signal still ends what does not end", async () => {
  const { stdout, exit } = await run("head -c 700000 /dev/zero");
  expect([stdout.length, exit]).toEqual([700_000, 0]);
  const stop = new AbortController();
  setTimeout(() => stop.abort("enough"), 50);
  await expect(run("sleep 60", stop.signal)).rejects.toBe("enough");
});
