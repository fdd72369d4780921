/** The server's health as rows of a state and a sentence, from `/api/status`. */
import type { ServerStatus } from "@devflow/protocol";

export type Verdict = "ok" | "warning" | "fault";

export interface HealthRow {
  readonly name: string;
  readonly verdict: Verdict;
  readonly word: string;
  readonly detail: string;
  /** Postgres settings by name; shown in monospace. */
  readonly facts?: readonly { readonly name: string; readonly value: string; readonly ok: boolean }[];
}

const postgresKinds = {
  embedded: "embedded, started by Devflow",
  system: "system installation, started by Devflow",
  external: "external, from DEVFLOW_DATABASE_URL",
} as const;

/** `isLost`: the server stopped responding, and `status` is its last one. */
export function healthRows(status: ServerStatus, webVersion: string, isLost = false): HealthRow[] {
  const { postgres, migrations } = status;
  const facts = [
    { name: "fsync", value: postgres.fsync },
    { name: "full_page_writes", value: postgres.fullPageWrites },
    { name: "synchronous_commit", value: postgres.synchronousCommit },
  ].map((fact) => ({ ...fact, ok: fact.value === "on" }));
  const off = facts.filter((fact) => !fact.ok).map((fact) => fact.name);
  const sameVersion = status.version === webVersion;
  const server = { name: "Server", detail: `Devflow ${status.version}, ${status.mode} mode` };
  return [
    isLost
      ? { ...server, verdict: "fault", word: "Not responding", detail: "Showing the last known status." }
      : sameVersion
        ? { ...server, verdict: "ok", word: "Running" }
        : {
            ...server,
            verdict: "warning",
            word: "Version mismatch",
            detail: `The server is version ${status.version}, this page ${webVersion}. Reload the page.`,
          },
    {
      name: "Postgres",
      verdict: isLost ? "warning" : "ok",
      word: isLost ? "Unknown" : "Connected",
      detail: `Postgres ${postgres.version}, ${postgresKinds[postgres.kind]}`,
    },
    {
      name: "Durability",
      verdict: off.length === 0 ? "ok" : "fault",
      word: off.length === 0 ? "Durable" : "At risk",
      detail:
        off.length === 0
          ? "Acknowledged writes are on disk"
          : `A power failure can lose acknowledged writes: ${off.join(" and ")} should be on.`,
      facts,
    },
    {
      name: "Schema",
      verdict: migrations.applied > 0 ? "ok" : "fault",
      word: migrations.applied > 0 ? "Up to date" : "Not migrated",
      detail: `${migrations.applied} ${migrations.applied === 1 ? "migration" : "migrations"} applied, latest ${migrations.latest}`,
    },
    ...status.problems.map(
      (problem): HealthRow => ({ name: "Problem", verdict: "fault", word: "Ignored", detail: problem }),
    ),
  ];
}
