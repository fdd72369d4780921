/** A key that a person, an agent, a command or a file brings into a run is in nothing that the run stores or shows. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { glob, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { reviewPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { runDiff } from "../care/run-diff.ts";
import { verifyRun } from "../reports/verify-run.ts";
import { visibleRun } from "../views/index.ts";
import { owedArtifact } from "./expected-artifact.ts";

/** Assembled here and in the command, so that neither file contains it. */
const random = "aB3dE5gH7jK9".repeat(3);
const key = `ghp_${random}`;
const printed = `const key = "ghp_" + "aB3dE5gH7jK9".repeat(3); process.stdout.write(key.slice(0, 9)); setTimeout(() => console.log(key.slice(9)), 20);`;
const variables = `const { HOME, APP_MODE, A_TOKEN, PERSONS_TOKEN } = process.env; console.log(JSON.stringify({ HOME: !!HOME, APP_MODE, A_TOKEN, PERSONS_TOKEN }));`;
const ofPerson = "what-the-person-allowed";

const bench: EngineBench = await openEngineBench({
  files: {
    "README.md": "# Demo\n",
    ".devflow.json": JSON.stringify({
      environment: ["APP_MODE"],
      test: [
        ["node", "-e", printed],
        ["node", "-e", variables, "--", "--token", "abc-123-def"],
      ],
    }),
  },
  env: { APP_MODE: "demo", A_TOKEN: "never-to-be-passed-on", PERSONS_TOKEN: ofPerson },
  passEnvironment: ["PERSONS_TOKEN"],
});
afterAll(() => bench.close());

const testPhase = {
  key: "test",
  kind: "command" as const,
  title: "Tests",
  risk: "low" as const,
  command: { from: "test" as const },
};
beforeAll(async () => {
  const review = { ...reviewPhase, roles: ["reviewer#0"], gates: ["ship_approved"] };
  await bench.addTemplate(smallTemplate("told", [workPhase, testPhase, review]));
});

test("a key in requirements, code, output, findings and comments is nowhere in the database or in the run's files", async () => {
  const runId = await bench.play(
    { implement: { scenario: "permission", files: {} }, review: "timeout" },
    { template: "told", title: `Use ${key}`, requirements: `Log in with ${key}\n`, objective: { note: [key] } },
  );
  const allow = await bench.permission(runId);
  const { run, sessions } = await bench.snapshot(runId);
  const environment = await readFile(`/proc/${sessions[0]?.handle.pid}/environ`, "utf8");
  const names = environment.split("\0").map((one) => one.split("=")[0]);
  expect(names).toContain("DEVFLOW_SESSION_TOKEN");
  expect(names.filter((name) => /APP_MODE|_TOKEN$/.test(name ?? "")).sort()).toEqual([
    "APP_MODE",
    "DEVFLOW_SESSION_TOKEN",
    "PERSONS_TOKEN",
  ]);
  await writeFile(join(run.worktree_root, "login.js"), `// ${key}\n`);
  await allow();

  const asked = await bench.until(runId, ({ sessions }) =>
    sessions.some((one) => one.role_id === "reviewer#0" && one.state === "BUSY"),
  );
  const reviewing = asked.phases.find((one) => one.phase_key === "review");
  if (!reviewing) throw new Error("no review");
  const { path } = owedArtifact(asked, reviewing, "reviewer#0");
  await mkdir(dirname(path), { recursive: true });
  const finding = {
    severity: "low",
    category: "security",
    file: "login.js",
    line: 1,
    summary: `The key ${key} is in the code`,
    evidence: `first line\n${key}`,
  };
  await writeFile(
    `${path}.tmp`,
    JSON.stringify({ reviewer: "reviewer#0", summary: `saw ${key}`, findings: [finding] }),
  );
  await rename(`${path}.tmp`, path);
  const gate = await bench.gate(runId);
  await bench.decide(gate.id, "approve", `fine, ${key} is revoked`);
  const done = await bench.finish(runId);
  expect([done.run.state, done.run.title, done.requirements]).toEqual([
    "completed",
    "Use [redacted:github]",
    "Log in with [redacted:github]\n",
  ]);

  const tables = await bench.admin<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r'`;
  expect(tables.length).toBeGreaterThan(15);
  const leaks: string[] = [];
  for (const { name } of tables) {
    const rows = await bench.admin`select to_jsonb(t)::text as row from app.${bench.admin(name)} t`;
    for (const { row } of rows) if (String(row).includes(random) || String(row).includes(ofPerson)) leaks.push(name);
  }
  for await (const file of glob("**/*", { cwd: run.folder, withFileTypes: true })) {
    const place = join(file.parentPath, file.name);
    if (!file.isFile() || place.startsWith(run.worktree_root)) continue;
    const text = await readFile(place, "utf8");
    if (text.includes(random) || text.includes(ofPerson)) leaks.push(place);
  }
  expect(leaks).toEqual([]);

  expect(done.findings.map(({ summary, evidence }) => ({ summary, evidence }))).toEqual([
    { summary: "The key [redacted:github] is in the code", evidence: "first line\n[redacted:github]" },
  ]);
  const tests = done.commands.filter((one) => one.kind === "test");
  expect(await readFile(tests[0]?.stdout_path ?? "", "utf8")).toBe("[redacted:github]\n");
  expect(tests[1]?.argv.slice(-1)).toEqual(["[redacted:assigned-secret]"]);
  // The command had the variable that the person allowed; its log shows only that there was a value.
  expect(JSON.parse(await readFile(tests[1]?.stdout_path ?? "", "utf8"))).toEqual({
    HOME: true,
    APP_MODE: "demo",
    PERSONS_TOKEN: "[redacted:known]",
  });
  const claims = { sub: bench.person.userId ?? "", role: "authenticated" as const };
  const diff = await runDiff(bench.context, await visibleRun({ database: bench.database, claims }, runId));
  expect(diff.text).toContain("+// [redacted:github]");
  expect(diff.text).not.toContain(random);
  // Files, rows and events agree: what was hashed is what is stored.
  expect(await verifyRun(bench.context, runId)).toMatchObject({ ok: true });
});
