/**
 * Records the history of a run on Temporal: `bun apps/worker/tests/record-history.ts <name>` writes `histories/<name>.json`. The
 * run waits at a gate, is asked for changes, loses its workflow's machine once, and completes.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEngineBench, planPhase, smallTemplate } from "@devflow/runs/testing";
import { startTemporal } from "@devflow/testkit/temporal-server";
import { temporalTestDriver } from "../testing/index.ts";

const name = process.argv[2];
if (!name) throw new Error("name the history: record-history.ts <name>");
const temporal = await startTemporal();
const bench = await openEngineBench({ host: "recorded", driver: await temporalTestDriver(temporal) });
try {
  await bench.addTemplate(smallTemplate("recorded", [{ ...planPhase, gates: ["plan_approved"] }]));
  const { runId } = await bench.start({ template: "recorded@1" });
  await bench.decide((await bench.gate(runId)).id, "request_changes", "Once more");
  await bench.until(runId, ({ phases }) => phases[0]?.attempts === 2);
  await bench.gate(runId);
  await bench.restart();
  await bench.finish(runId);
  const words = ["workflow", "show", "--workflow-id", runId, "--output", "json"];
  const place = ["--address", temporal.address, "--namespace", temporal.namespace];
  const history = execFileSync(temporal.program, [...words, ...place], { encoding: "utf8", maxBuffer: 1e8 });
  mkdirSync(join(import.meta.dir, "histories"), { recursive: true });
  writeFileSync(join(import.meta.dir, "histories", `${name}.json`), history);
} finally {
  await bench.close();
  await temporal.stop();
}
