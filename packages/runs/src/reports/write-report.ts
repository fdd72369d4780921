/** The report of a run on disk: `<run>.report.md` and `<run>.report.json`, whole or not at all. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { faultPoint } from "@devflow/core/fault-point";
import { type EngineContext, runFolder } from "../engine/context.ts";
import type { FinalReport } from "./compose-report.ts";
import { renderReport } from "./render-report.ts";

export async function writeReport(context: EngineContext, runId: string, report: FinalReport): Promise<string> {
  const folder = runFolder(context, runId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${runId}.report.json`);
  await writeFileAtomic(join(folder, `${runId}.report.md`), renderReport(report));
  faultPoint("after_report_words_written");
  await writeFileAtomic(path, `${JSON.stringify(report, null, 2)}\n`);
  return path;
}
