/** Transcripts over connections that are lost at the worst moment: after the commit, before its acknowledgement. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { Database } from "@devflow/db";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import type { EngineContext } from "./context.ts";
import { createRunEngine } from "./create-run-engine.ts";
import { createInlineDriver } from "./inline-driver.ts";

const bench = await openEngineBench();
await bench.addTemplate(smallTemplate("two", [planPhase, workPhase]));
afterAll(() => bench.close());

/** Every third transcript chunk is stored, and nobody is told. */
function forgetful(database: Database): { database: Database; losses: () => number } {
  let chunks = 0;
  let losses = 0;
  const asEngine: Database["asEngine"] = async (work, options) => {
    let isChunk = false;
    const value = await database.asEngine(async (tx) => {
      const spied = new Proxy(tx, {
        apply(target, self, words: unknown[]) {
          isChunk ||= String(words[0]).includes("insert into app.transcript_chunks");
          return Reflect.apply(target as unknown as (...all: unknown[]) => unknown, self, words);
        },
      });
      return await work(spied);
    }, options);
    if (isChunk && ++chunks % 3 === 1) {
      losses += 1;
      throw new DevflowError("db_unreachable", { details: { reason: "the connection was lost" } });
    }
    return value;
  };
  return { database: { ...database, asEngine }, losses: () => losses };
}

/** Long enough at work that a screen is stored in more than one piece. */
const slow = { extra: { fake: { delayMs: 700 } } };

test("are whole after any number of lost acknowledgements", async () => {
  const { database, losses } = forgetful(bench.database);
  const context: EngineContext = { ...bench.context, host: "forgetful", database };
  const engine = createRunEngine(context, createInlineDriver(context));
  const input = { template: "two@1", repository: bench.repository, requirements: "x", clientToken: "t", ...slow };
  const { runId } = await engine.startRun({ ...input, teamId: bench.teamId }, bench.person);
  const done = await bench.until(runId, ({ run, sessions }) => {
    return run.final_report_path !== null && sessions.every((one) => one.state === "DISPOSED");
  });
  await engine.stop();
  expect(losses()).toBeGreaterThan(0);
  for (const { id } of done.sessions) {
    const rows = await bench.admin<{ content: string }[]>`
      select content from app.transcript_chunks where session_id = ${id} order by seq`;
    const screen = readFileSync(join(bench.context.workspaceRoot, runId, "sessions", id, "transcript.log"), "utf8");
    expect(rows.map((row) => row.content).join("")).toBe(screen);
  }
});
