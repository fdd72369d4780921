import { expect, test } from "bun:test";
import type { ServerStatus } from "@devflow/protocol";
import { healthRows } from "./health.ts";

const status: ServerStatus = {
  version: "0.1.0",
  mode: "local",
  startedAt: "2026-01-01T00:00:00Z",
  runtime: { name: "Bun", version: "1.4.4", platform: "linux x64" },
  postgres: { kind: "embedded", version: "18.4", fsync: "on", synchronousCommit: "on", fullPageWrites: "on" },
  migrations: { applied: 1, latest: "0001_foundation" },
  live: { subscribers: 1 },
  busy: [],
  problems: [],
  user: { id: "01890000-0000-7000-8000-0000000000aa", name: "Ada" },
  teams: [],
};
const verdicts = (over: Partial<ServerStatus>, web = "0.1.0") =>
  Object.fromEntries(healthRows({ ...status, ...over }, web).map((row) => [row.name, `${row.verdict}: ${row.word}`]));

test("a healthy server has only ok rows", () => {
  expect(verdicts({})).toEqual({
    Server: "ok: Running",
    Postgres: "ok: Connected",
    Durability: "ok: Durable",
    Schema: "ok: Up to date",
  });
});

test("what is wrong and does not stop the server is a fault of its own", () => {
  const rows = healthRows({ ...status, problems: ["t@1.yaml:4: phases: Invalid input"] }, "0.1.0");
  expect(rows.at(-1)).toMatchObject({ verdict: "fault", detail: "t@1.yaml:4: phases: Invalid input" });
});

test("a durability setting that is off is a fault, and the row names it", () => {
  for (const [field, name] of [
    ["fsync", "fsync"],
    ["fullPageWrites", "full_page_writes"],
    ["synchronousCommit", "synchronous_commit"],
  ] as const) {
    const rows = healthRows({ ...status, postgres: { ...status.postgres, [field]: "off" } }, "0.1.0");
    const durability = rows.find((row) => row.name === "Durability");
    expect(durability?.verdict).toBe("fault");
    expect(durability?.detail).toContain(name);
    expect(durability?.facts?.filter((fact) => !fact.ok).map((fact) => fact.name)).toEqual([name]);
  }
});

test("a server that stopped responding is not shown as running, and its last status is marked as such", () => {
  const lost = Object.fromEntries(
    healthRows(status, "0.1.0", true).map((row) => [row.name, `${row.verdict}: ${row.word}`]),
  );
  expect(lost).toMatchObject({ Server: "fault: Not responding", Postgres: "warning: Unknown" });
});

test("a version mismatch asks for a reload; a schema without migrations is a fault", () => {
  expect(verdicts({}, "0.0.9").Server).toBe("warning: Version mismatch");
  expect(verdicts({ migrations: { applied: 0, latest: "" } }).Schema).toBe("fault: Not migrated");
});
