import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "@devflow/testkit";
import { withCopiedDatabase } from "./copied-database.ts";

test("a database in use is read from a private copy, which is removed afterwards, even after a failure", async () => {
  const path = join(temporaryFolder("db"), "Cookies");
  const browser = new DatabaseSync(path);
  browser.exec("pragma journal_mode = wal; create table t(a); insert into t values (1)");
  const before = statSync(path).mtimeMs;
  const folders: string[] = [];
  const read = (database: DatabaseSync) => {
    const { file } = database.prepare("pragma database_list").get() as { file: string };
    folders.push(dirname(file));
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    return database.prepare("select a from t").get();
  };
  expect(await withCopiedDatabase(path, read)).toEqual({ a: 1 });
  const failing = withCopiedDatabase(path, (database) => {
    read(database);
    throw new Error("in the middle");
  });
  await expect(failing).rejects.toThrow("in the middle");
  browser.close();
  expect([folders.length, folders.some(existsSync), statSync(path).mtimeMs >= before]).toEqual([2, false, true]);
});
