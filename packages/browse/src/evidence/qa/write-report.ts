/**
 * Writes QA reports to files and passes them on.
 *
 * - `writeReport(report, options)` writes report.md, report.json and the pictures of what differs into a new folder, then
 *   calls the sink.
 * - `readBaseline(folder, url)` the report to compare with: the site's saved baseline, else its newest report.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { uuidv5 } from "@devflow/core/ids";
import { shotsFolder } from "../bundle.ts";
import { QaReport, reportMarkdown } from "./qa-report.ts";

/** Where reports go besides this machine. The id is the same when a report is sent again. */
export interface ResultSink {
  accept(record: { readonly id: string; readonly kind: "qa_report"; readonly report: QaReport }): Promise<void>;
}

const namespace = "0a4f6e0c-5d1b-5c5e-8f4e-6b1f3a9d2c77";

export interface WriteOptions {
  readonly folder: string;
  readonly saveBaseline?: boolean;
  /** The evidence, which has the pictures. */
  readonly bundle?: string | undefined;
  readonly sink?: ResultSink;
}

export interface WrittenReport {
  readonly folder: string;
  readonly markdown: string;
  readonly json: string;
  readonly baseline: string | undefined;
}

export async function writeReport(
  report: QaReport,
  { folder: root, saveBaseline = false, bundle, sink }: WriteOptions,
): Promise<WrittenReport> {
  const folder = join(root, report.id);
  await mkdir(folder, { recursive: true });
  for (const { picture } of report.comparisons) {
    if (picture && bundle) await copyFile(join(bundle, shotsFolder, picture), join(folder, picture));
  }
  const [markdown, json] = [join(folder, "report.md"), join(folder, "report.json")];
  const text = `${JSON.stringify(report, null, 2)}\n`;
  await writeFileAtomic(markdown, reportMarkdown(report), 0o644);
  await writeFileAtomic(json, text, 0o644);
  const baseline = saveBaseline ? join(root, baselineName(report.url)) : undefined;
  if (baseline) await writeFileAtomic(baseline, text, 0o644);
  await sink?.accept({ id: uuidv5(namespace, text), kind: "qa_report", report });
  return { folder, markdown, json, baseline };
}

export function readBaseline(root: string, url: string | undefined): QaReport | undefined {
  const saved = readReport(join(root, baselineName(url ?? null)));
  if (saved || !existsSync(root)) return saved;
  return readdirSync(root)
    .sort()
    .reverse()
    .map((name) => readReport(join(root, name, "report.json")))
    .find((report) => report !== undefined && siteOf(report.url) === siteOf(url ?? null));
}

const baselineName = (url: string | null): string => `baseline-${siteOf(url)}.json`;

/** A local server is the same site whatever its port. */
function siteOf(url: string | null): string {
  if (url === null || !URL.canParse(url)) return "site";
  const { hostname, host } = new URL(url);
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  return (isLocal ? "local" : host).replace(/[^\w.-]/g, "-");
}

function readReport(path: string): QaReport | undefined {
  try {
    return QaReport.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch {
    return undefined;
  }
}
