/** `devflow qa report`. */
import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { findWorkspace, prepareFolder } from "@devflow/browse/client";
import {
  type Bundle,
  cleanText,
  Finding,
  listBundles,
  makeReport,
  observe,
  readBaseline,
  readBundle,
  writeReport,
} from "@devflow/browse/evidence";
import type { HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { repositoryRoot, repositoryStatus } from "@devflow/git";
import { z } from "zod";
import { counted } from "../data/amounts.ts";
import type { qaReportRecord } from "./commands.ts";
import { shareReport } from "./share-report.ts";

type Input = InputOf<typeof qaReportRecord>;

export const qaReport: HandlerOf<typeof qaReportRecord> = async (input, context) => {
  const { cwd, env, output, signal } = context;
  const workspace = findWorkspace(cwd);
  await prepareFolder(workspace);
  const bundle = input.noEvidence ? undefined : bundleFor(input, workspace.root, cwd);
  const findings = input.findings === undefined ? [] : await readFindings(resolve(cwd, input.findings));
  const observed = bundle && observe(bundle);
  const folder = join(workspace.folder, "qa-reports");
  const url = input.url ?? observed?.pages[0];
  const at = new Date();
  const report = makeReport({
    id: at.toISOString().replace(/[-:.Z]/g, ""),
    at,
    url,
    ...(bundle ? stateOfBundle(bundle) : await stateNow(workspace.root, { env, signal })),
    evidence: bundle
      ? { bundle: relative(workspace.root, bundle.folder), head: bundle.head, commands: bundle.commands.length }
      : null,
    findings,
    observed,
    baseline: readBaseline(folder, url),
  });
  const written = await writeReport(report, { folder, saveBaseline: input.saveBaseline, bundle: bundle?.folder });
  const open = report.findings.filter(({ fixed }) => !fixed).length;
  const answer = {
    report: written.markdown,
    json: written.json,
    score: report.score,
    before: report.baseline?.score ?? null,
    open,
    fixed: report.findings.length - open,
    evidence: report.evidence?.bundle ?? null,
  };
  const before = answer.before === null ? "" : ` (before: ${answer.before})`;
  const lines = [
    `Health ${report.score ?? "not tested"}${before}; ${counted(open, "open finding")}, ${answer.fixed} fixed`,
    relative(cwd, written.markdown),
    ...(report.evidence
      ? []
      : ["Nothing in this report is proven, because there is no evidence. Record it: devflow browse evidence start"]),
  ];
  output.result(answer, lines.join("\n"));
  const line = await shareReport(report, context);
  if (line) output.note(line);
  return input.failUnder !== undefined && (report.score ?? 0) < input.failUnder ? 1 : 0;
};

function bundleFor({ evidence }: Input, root: string, cwd: string): Bundle | undefined {
  if (evidence !== undefined) return readBundle(resolve(cwd, evidence));
  for (const folder of listBundles(root)) {
    const bundle = readBundle(folder);
    if (bundle.isEnded) return bundle;
  }
  return undefined;
}

const stateOfBundle = ({ start: { commit, branch, changedFiles } }: Bundle) => ({ commit, branch, changedFiles });

async function stateNow(
  cwd: string,
  place: { env: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
) {
  if (!(await repositoryRoot({ cwd, ...place }).catch(() => undefined)))
    return { commit: null, branch: null, changedFiles: 0 };
  const { head, branch, changes } = await repositoryStatus({ cwd, ...place });
  return { commit: head ?? null, branch: branch ?? null, changedFiles: changes.length };
}

/** An agent wrote it from pages: anything that looks like a secret is kept out of the report. */
async function readFindings(path: string): Promise<Finding[]> {
  const refuse = (problem: string) =>
    new DevflowError("input_invalid", {
      details: { problem: `${path}: ${problem}.`, next: "Its format: devflow skills show qa" },
    });
  const text = await readFile(path, "utf8").catch(() => {
    throw new DevflowError("not_found", {
      details: { what: path, next: "Write it first; its format: devflow skills show qa" },
    });
  });
  let content: unknown;
  try {
    content = JSON.parse(text, (_, value: unknown) => (typeof value === "string" ? cleanText(value) : value));
  } catch {
    throw refuse("it is not JSON");
  }
  const parsed = z.array(Finding).safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuse(`${issue?.path.join(".") || "it"}: ${issue?.message ?? "is not a list of findings"}`);
}
