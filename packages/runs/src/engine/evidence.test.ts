/** What a run leaves behind: a report, a chain, transcripts and usage, which cannot be altered unnoticed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate } from "../../testing/small-templates.ts";
import { validateArtifact } from "../artifacts/schema-registry.ts";
import { listRules, removeRule } from "../permissions/permission-rules.ts";
import { verifyRun } from "../reports/verify-run.ts";

const bench: EngineBench = await openEngineBench({
  maxConcurrentRuns: 50,
  files: {
    "README.md": "# Demo\n",
    ".devflow.json": JSON.stringify({ test: [[process.execPath, "-e", "console.log('green')"]] }),
  },
});
afterAll(() => bench.close());
beforeAll(async () => {
  await bench.addTemplate(smallTemplate("gated", [{ ...planPhase, gates: ["plan_approved"] }]));
});

const reportOf = (path: string | null) => JSON.parse(readFileSync(path ?? "", "utf8")) as Record<string, unknown>;
const failing = async (runId: string) =>
  (await verifyRun(bench.context, runId)).checks.filter((one) => !one.ok).map((one) => one.name);

describe("the report", () => {
  test.each(["approve", "reject", "abort"] as const)(
    "after %s is valid, and so is everything else",
    async (verdict) => {
      const runId = await bench.play({}, { template: "gated" });
      await bench.decide((await bench.gate(runId)).id, verdict, "because");
      const { run } = await bench.finish(runId);
      const report = reportOf(run.final_report_path);
      expect(validateArtifact("common/final-report@4", report)).toEqual({ ok: true });
      expect(report.status).toBe(run.state);
      expect(await failing(runId)).toEqual([]);
    },
  );
});

describe("verify", () => {
  /** An intact run, altered by `alter`, fails exactly that check. */
  async function alteredRun(alter: (runId: string, reportPath: string) => Promise<void>): Promise<string[]> {
    const runId = await bench.play({});
    const { run } = await bench.finish(runId);
    expect(await failing(runId)).toEqual([]);
    await alter(runId, run.final_report_path ?? "");
    return await failing(runId);
  }
  const inChain = (change: (runId: string) => Promise<unknown>) =>
    alteredRun(async (runId) => {
      await bench.admin`alter table app.run_events disable trigger append_only`;
      await change(runId);
      await bench.admin`alter table app.run_events enable trigger append_only`;
    });
  const { admin } = bench;

  test("detects a rewritten event and a removed one", async () => {
    const rewritten = await inChain(
      (runId) => admin`update app.run_events set payload = '{"forged": true}' where run_id = ${runId} and seq = 5`,
    );
    expect(rewritten).toEqual(["events"]);
    const removed = await inChain((runId) => admin`delete from app.run_events where run_id = ${runId} and seq = 5`);
    expect(removed).toEqual(["events"]);
  });

  test("detects an altered artifact, even when its row was altered too", async () => {
    const altered = await alteredRun(async (runId) => {
      const path = join(bench.context.workspaceRoot, runId, "artifacts", "plan.json");
      writeFileSync(path, "{}");
      const { hashBytes } = await import("@devflow/core/hash");
      await admin`update app.artifacts set hash = ${hashBytes("{}")}, content = '{}' where run_id = ${runId} and path = ${path}`;
    });
    expect(altered).toEqual(["artifacts"]);
  });

  test("detects an altered command log", async () => {
    const altered = await alteredRun(async (runId) => {
      const [row] = await admin<{ path: string }[]>`
        select stdout_path as path from app.commands where run_id = ${runId} and kind = 'test'`;
      appendFileSync(row?.path ?? "", "all green, honestly\n");
    });
    expect(altered).toEqual(["commands"]);
  });

  test("detects an altered report, in either format", async () => {
    const json = await alteredRun(async (_run, path) => {
      writeFileSync(path, JSON.stringify({ ...reportOf(path), title: "Something else" }));
    });
    expect(json).toEqual(["report"]);
    const words = await alteredRun(async (_run, path) => appendFileSync(path.replace(/json$/, "md"), "Ship it.\n"));
    expect(words).toEqual(["report"]);
  });
});

test("events, decisions and transcripts cannot be updated or deleted", async () => {
  const runId = await bench.play({});
  await bench.finish(runId);
  for (const table of ["run_events", "approval_decisions", "transcript_chunks"]) {
    for (const statement of [`update app.${table} set team_id = team_id`, `delete from app.${table}`]) {
      const refused = await bench.admin.unsafe(statement).then(
        () => "done",
        (error: { code: string; message: string }) => error.message,
      );
      expect({ statement, refused }).toEqual({ statement, refused: `${table} is append-only` });
    }
  }
});

test("a member of another team sees nothing of a run in any table", async () => {
  const runId = await bench.play({ plan: "permission" });
  const { permissions } = await bench.until(runId, (one) => one.permissions.length > 0);
  const [{ session_id: sessionId, permission_id: permissionId } = { session_id: "", permission_id: "" }] = permissions;
  await bench.engine.say(runId, { text: "Mind the tests.", clientToken: "said" }, bench.person);
  await bench.engine.answerPermission({ sessionId, permissionId, answer: "allow", scope: "repository" }, bench.person);
  await bench.finish(runId, { allow: true });
  const stranger = uuidv7();
  await bench.database.asEngine((tx) => tx`select app.ensure_user(${stranger}, 'Eve')`);
  const claims = { sub: stranger, role: "authenticated" as const };
  await bench.database.withClaims(claims, (tx) => tx`select api.create_team('Another')`);
  const tables = await bench.admin<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id'
    where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' order by 1`;
  const own = { sub: bench.person.userId ?? "", role: "authenticated" as const };
  const rowsOf = (who: typeof own, table: string) =>
    bench.database.withClaims(who, (tx) => tx.unsafe(`select from app.${table} where team_id = $1`, [bench.teamId]));
  const written: string[] = [];
  for (const { name } of tables) {
    const [all] = await bench.admin.unsafe(`select count(*)::int as rows from app.${name} where team_id = $1`, [
      bench.teamId,
    ]);
    if (all?.rows === 0) continue;
    written.push(name);
    expect({ name, member: (await rowsOf(own, name)).length > 0 }).toEqual({ name, member: true });
    expect({ name, stranger: (await rowsOf(claims, name)).length }).toEqual({ name, stranger: 0 });
  }
  expect(written).toMatchInlineSnapshot(`
    [
      "approval_decisions",
      "approval_requests",
      "artifacts",
      "changes",
      "commands",
      "notifications",
      "permission_requests",
      "permission_rules",
      "review_findings",
      "run_bindings",
      "run_events",
      "run_inputs",
      "run_phases",
      "run_usage",
      "runs",
      "session_messages",
      "sessions",
      "team_counters",
      "team_members",
      "transcript_chunks",
    ]
  `);
  for (const rule of await listRules({ database: bench.database, claims: own }))
    expect(await removeRule(bench.context, rule.id)).toBe(true);
});

test("an agent that asks for permission gets its answer and continues", async () => {
  const runId = await bench.play({ plan: "permission" }, { template: "gated" });
  await (await bench.permission(runId))();
  expect((await bench.finish(runId)).run.state).toBe("completed");
  const types = (await bench.eventTypes(runId)).filter((one) => one.startsWith("permission."));
  expect(types).toEqual(["permission.requested", "permission.resolved"]);
  expect(await failing(runId)).toEqual([]);
});

test("usage is recorded per phase and in the report", async () => {
  const runId = await bench.play({});
  const { run } = await bench.finish(runId);
  const used = (await bench.events(runId)).filter((one) => one.type === "usage.recorded");
  expect(used.length).toBeGreaterThanOrEqual(6);
  const [total] = await bench.admin<{ n: number; out: number }[]>`
    select count(*)::int as n, sum(output_tokens)::int as out from app.run_usage where run_id = ${runId}`;
  expect(total).toEqual({ n: used.length, out: used.length * 100 });
  expect((reportOf(run.final_report_path).cost as { outputTokens: number }).outputTokens).toBe(used.length * 100);
});

test("transcripts are complete, in order, and without secrets", async () => {
  const runId = await bench.play({}, { template: "gated" });
  const { sessions } = await bench.finish(runId);
  const [session] = sessions;
  const whole = /^\[fake\] received prompt [\s\S]*\[fake\] wrote .*plan\.json\n$/;
  // The last lines are stored after the end of the run.
  await untilMatch(whole, async () => {
    const chunks = await bench.admin<{ content: string }[]>`
      select content from app.transcript_chunks where session_id = ${session?.id ?? ""} order by seq`;
    return chunks.map((one) => one.content).join("");
  });

  const leaking = await bench.play({ plan: "permission" }, { template: "gated" });
  const allow = await bench.permission(leaking);
  const id = (await bench.snapshot(leaking)).sessions[0]?.id ?? "";
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  appendFileSync(
    join(bench.context.workspaceRoot, leaking, "sessions", id, "transcript.log"),
    `token ${secret} and \0 a zero byte\n`,
  );
  await allow();
  await bench.finish(leaking);
  const kept = async () => {
    const [found] = await bench.admin<{ text: string | null; sanitised: boolean | null }[]>`
      select string_agg(content, '' order by seq) as text, bool_or(sanitised) as sanitised
      from app.transcript_chunks where session_id = ${id}`;
    return found;
  };
  await untilMatch(/a zero byte/, async () => (await kept())?.text ?? "");
  const { text, sanitised } = (await kept())!;
  expect(text).toContain("token ");
  expect(text).not.toContain(secret);
  expect(sanitised).toBe(true);
});

async function untilMatch(pattern: RegExp, read: () => Promise<string>): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (let text = await read(); !pattern.test(text); text = await read()) {
    if (Date.now() > deadline) expect(text).toMatch(pattern);
    await Bun.sleep(20);
  }
}
