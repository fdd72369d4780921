/** Steps that fail: pure decisions first, then a real engine whose agents meet a full disk. */
import { afterAll, describe, expect, test } from "bun:test";
import { DevflowError } from "@devflow/core/errors";
import { createLog } from "@devflow/core/log";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate } from "../../testing/small-templates.ts";
import { runDetail } from "../views/index.ts";
import type { EngineContext } from "./context.ts";
import { createRunEngine } from "./create-run-engine.ts";
import { createInlineDriver } from "./inline-driver.ts";
import type { RunEngine } from "./run-engine.ts";
import { failureOf, retryDelayMs, verdictOn } from "./step-failure.ts";

const fullDisk = () =>
  Object.assign(new Error("no space left on device, write"), { code: "ENOSPC", path: "/disk/file" });
const postgresDisk = () => Object.assign(new Error("could not extend file"), { code: "53100" });
const gitDisk = () =>
  new DevflowError("git_failed", {
    details: { command: "commit", reason: "fatal: cannot write: No space left on device" },
  });
const lost = () => new DevflowError("db_unreachable", { details: { reason: "gone" } });
const away = () => new DevflowError("repository_unreachable", { details: { remote: "x", reason: "no access" } });
const fatal = () => new DevflowError("artifact_schema_unknown", { details: { schema: "x", next: "" } });

const bench: EngineBench = await openEngineBench();
await bench.addTemplate(smallTemplate("short", [planPhase]));

describe("deciding", () => {
  test.each([
    ["a full disk", fullDisk(), 1_000, "retry"],
    ["Postgres on a full disk", postgresDisk(), 1_000, "retry"],
    ["git on a full disk", gitDisk(), 1_000, "retry"],
    ["no Postgres", lost(), 1_000, "retry"],
    ["a remote that cannot be fetched", away(), 1_000, "retry"],
    ["an unknown error", new Error("odd"), 9, "retry"],
    ["an unknown error that stays", new Error("odd"), 10, "give_up"],
    ["an error that no retry can change", fatal(), 1, "give_up"],
  ] as const)("%s", (_name, error, failures, verdict) => {
    expect(verdictOn(error, failures)).toBe(verdict);
  });

  test("retries come less and less often, at least every 30 s", () => {
    expect([1, 2, 3, 4, 5, 50].map(retryDelayMs)).toEqual([200, 1_000, 5_000, 15_000, 30_000, 30_000]);
  });

  test("a failure tells what failed, why, what helps, and when it is tried again", () => {
    expect(failureOf("send_prompt", fullDisk(), 3, Date.UTC(2026, 0, 1))).toEqual({
      step: "send_prompt",
      code: "disk_full",
      reason: "The disk that holds /disk/file is full.",
      hint: "Free some space, then repeat the command. No acknowledged write was lost. See: devflow doctor",
      failures: 3,
      at: "2026-01-01T00:00:00.000Z",
      nextTryAt: "2026-01-01T00:00:05.000Z",
    });
  });
});

describe("a run", () => {
  const engines: RunEngine[] = [];
  afterAll(async () => {
    for (const engine of engines) await engine.stop();
    await bench.close();
  });

  /** An engine whose agents cannot be started while `fails` says so. */
  async function engineWith(host: string, fails: () => unknown, changes: Partial<EngineContext> = {}) {
    const { fake } = bench.context.adapters;
    if (!fake) throw new Error("no fake agent");
    const start: typeof fake.start = async (...words) => {
      const error = fails();
      if (error) throw error;
      return await fake.start(...words);
    };
    const context: EngineContext = { ...bench.context, host, adapters: { fake: { ...fake, start } }, ...changes };
    const engine = createRunEngine(context, createInlineDriver(context));
    engines.push(engine);
    const input = { template: "short@1", repository: bench.repository, requirements: "x", clientToken: host };
    const { runId } = await engine.startRun({ ...input, teamId: bench.teamId }, bench.person);
    return { context, runId };
  }

  test("on a full disk it says so until there is room again, then goes on and forgets it", async () => {
    let isFull = true;
    const { context, runId } = await engineWith("full", () => (isFull ? fullDisk() : undefined));
    const claims = { sub: bench.person.userId ?? "", role: "authenticated" } as const;
    const shown = async () => (await runDetail({ database: bench.database, claims }, runId))?.stepFailure;
    while ((await shown())?.failures !== 2) await Bun.sleep(20);
    expect(await shown()).toMatchObject({ step: "start_session", code: "disk_full", failures: 2 });
    expect(context.stepFailures.get(runId) ?? null).toEqual((await shown()) ?? null);
    isFull = false;
    const done = await bench.until(runId, ({ run }) => run.final_report_path !== null);
    expect(done.run.state).toBe("completed");
    expect([await shown(), context.stepFailures.size]).toEqual([null, 0]);
  });

  test("whose log cannot be written is driven to its end all the same", async () => {
    let failures = 1;
    const destination = {
      write() {
        throw fullDisk();
      },
    };
    const log = createLog({ level: "trace", module: "test", destination });
    const { runId } = await engineWith("mute", () => (failures-- > 0 ? fullDisk() : undefined), { log });
    const done = await bench.until(runId, ({ run }) => run.final_report_path !== null);
    expect(done.run.state).toBe("completed");
  });
});
