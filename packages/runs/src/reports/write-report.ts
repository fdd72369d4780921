/** Writes the report of a run: `<run>.report.md` and `<run>.report.json`, completely or not at all. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { faultPoint } from "@devflow/core/fault-point";
import type { RunRow } from "../engine/rows.ts";
import type { FinalReport } from "./compose-report.ts";
import { renderReport } from "./render-report.ts";

export async function writeReport(
  { id, folder }: Pick<RunRow, "id" | "folder">,
  report: FinalReport,
): Promise<{ readonly path: string; readonly text: string; readonly words: string }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${id}.report.json`);
  const words = renderReport(report);
  await writeFileAtomic(join(folder, `${id}.report.md`), words);
  faultPoint("after_report_words_written");
  const text = `${JSON.stringify(report, null, 2)}\n`;
  await writeFileAtomic(path, text);
  return { path, text, words };
}
