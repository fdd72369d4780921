import { expect, test } from "bun:test";
import { exitError, StoreTaken, untilStoreIsFree } from "./store-taken.ts";

const taken = "it exited with code 1: Error: failed to initialize sqlite state runtime under /home/ada/.codex";

test("an exit because another Codex makes the store is told from others", () => {
  expect(exitError(taken)).toBeInstanceOf(StoreTaken);
  expect(exitError("it exited with code 1: not logged in")).not.toBeInstanceOf(StoreTaken);
});

test("it is opened again until the store is free, and not after another failure", async () => {
  let tries = 0;
  expect(await untilStoreIsFree(async () => (++tries < 3 ? Promise.reject(exitError(taken)) : "open"))).toBe("open");
  expect(tries).toBe(3);
  const failed = untilStoreIsFree(async () => {
    tries += 1;
    throw new Error("not logged in");
  });
  expect(failed).rejects.toThrow("not logged in");
  expect(tries).toBe(4);
});
