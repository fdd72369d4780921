/**
 * Each state machine has one setter. A statement that writes its table elsewhere would bypass the transition table and
 * the event, so the sources are searched for such statements.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const source = join(import.meta.dir, "..");
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".ts") && !path.endsWith(".test.ts"),
);

/** Which files may write a table. */
const writers: Readonly<Record<string, readonly string[]>> = {
  audit_findings: ["audit/audit-repository.ts", "care/purge-run.ts"],
  run_tasks: ["care/purge-run.ts", "lanes/task-repository.ts"],
  sessions: ["sessions/session-repository.ts"],
  approval_requests: ["approvals/approval-repository.ts", "care/purge-run.ts"],
  permission_requests: ["permissions/permission-repository.ts", "care/purge-run.ts"],
};

const writesTo = (text: string, table: string): boolean =>
  new RegExp(`(?:update|insert into|delete from)\\s+app\\.${table}\\b`).test(text);

test.each(Object.entries(writers))("only %p is written by its repository", (table, allowed) => {
  const found = files.filter((path) => writesTo(readFileSync(join(source, path), "utf8"), table));
  expect(found.sort()).toEqual([...allowed].sort());
});

test.each(["runs", "run_phases"])("the state of %s is set only by fact.ts", (table) => {
  const pattern = new RegExp(`update\\s+app\\.${table}\\s+set\\s([^\`]*?)(?:where|\`)`, "g");
  const found = files.flatMap((path) =>
    [...readFileSync(join(source, path), "utf8").matchAll(pattern)]
      .filter(([, set = ""]) => /\bstate\s*=/.test(set) || set.includes("${"))
      .filter(([, set = ""]) => /\bstate\s*=/.test(set) || /^\$\{[^}]*tx\(/.test(set))
      .map(() => path),
  );
  expect([...new Set(found)]).toEqual(["engine/fact.ts"]);
});

test("purging blanks content and leaves every state as it is", () => {
  const text = readFileSync(join(source, "care/purge-run.ts"), "utf8");
  expect(text).not.toMatch(/\bstate\s*=\s*'/);
});
