/**
 * Is a run what its log says? Checked offline, from rows and files: the chain of events, its signature, the artifacts,
 * the command logs, the report.
 *
 * - `verifyRun(context, runId)` every check with its outcome.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { validateArtifact } from "../artifacts/schema-registry.ts";
import type { EngineContext } from "../engine/context.ts";
import { Actor } from "../events/actor.ts";
import { type ChainedEvent, verifyChain } from "../events/chain.ts";
import type { RunEventType } from "../events/event-types.ts";
import type { FinalReport } from "./compose-report.ts";

export interface VerifyCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export async function verifyRun(
  context: EngineContext,
  runId: string,
): Promise<{ ok: boolean; checks: readonly VerifyCheck[] }> {
  const { events, head, artifacts, commands, reportPath } = await readRun(context, runId);
  const checks: VerifyCheck[] = [];
  const fault = verifyChain(events, head);
  checks.push({
    name: "events",
    ok: !fault,
    detail: fault ? `event ${fault.seq}: ${fault.problem}` : `${events.length} events, unbroken`,
  });
  if (events.some((event) => event.type === "run.purged")) {
    checks.push({ name: "content", ok: true, detail: "purged; hashes, states and times are kept" });
    return { ok: checks.every((one) => one.ok), checks };
  }
  checks.push(await checkFiles("artifacts", artifacts));
  checks.push(await checkFiles("commands", commands));
  checks.push(await checkReport(reportPath, head));
  return { ok: checks.every((one) => one.ok), checks };
}

interface HashedFile {
  readonly path: string;
  readonly hash: string;
}

async function readRun({ database }: EngineContext, runId: string) {
  return await database.asEngine(async (tx) => {
    const [run] = await tx<{ chain_head: string; final_report_path: string | null }[]>`
      select chain_head, final_report_path from app.runs where id = ${runId}`;
    const rows = await tx`select * from app.run_events where run_id = ${runId} order by seq`;
    const artifacts = await tx<HashedFile[]>`
      select distinct on (path) path, hash from app.artifacts where run_id = ${runId} and valid order by path, attempt desc, created_at desc`;
    const commands = await tx<HashedFile[]>`
      select stdout_path as path, stdout_hash as hash from app.commands where run_id = ${runId} and stdout_hash is not null
      union all select stderr_path, stderr_hash from app.commands where run_id = ${runId} and stderr_hash is not null`;
    return {
      events: rows.map(toEvent),
      head: run?.chain_head ?? "",
      artifacts,
      commands,
      reportPath: run?.final_report_path ?? null,
    };
  });
}

function toEvent(row: Record<string, unknown>): ChainedEvent {
  return {
    runId: String(row.run_id),
    seq: Number(row.seq),
    phaseId: row.phase_id as string | null,
    type: row.type as RunEventType,
    payload: row.payload as Record<string, unknown>,
    key: String(row.idempotency_key),
    actor: Actor.parse(row.actor),
    at: (row.ts as Date).toISOString(),
    prevHash: String(row.prev_hash),
    hash: String(row.hash),
  };
}

async function checkFiles(name: string, files: readonly HashedFile[]): Promise<VerifyCheck> {
  const faults: string[] = [];
  for (const { path, hash } of files) {
    const bytes = await readFile(path).catch(() => undefined);
    if (!bytes) faults.push(`${path} is gone`);
    else if (createHash("sha256").update(bytes).digest("hex") !== hash) faults.push(`${path} was altered`);
  }
  return {
    name,
    ok: faults.length === 0,
    detail: faults.length > 0 ? faults.join("; ") : `${files.length} files, unaltered`,
  };
}

async function checkReport(path: string | null, head: string): Promise<VerifyCheck> {
  if (path === null) return { name: "report", ok: true, detail: "the run has not ended" };
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return { name: "report", ok: false, detail: `${path} is gone` };
  const report = JSON.parse(text) as FinalReport;
  const verdict = validateArtifact("common/final-report@1", report);
  if (!verdict.ok) return { name: "report", ok: false, detail: `${path}: ${verdict.errors[0]?.message}` };
  if (report.chain.head !== head) return { name: "report", ok: false, detail: "its chain head is not the run's" };
  if (!report.chain.signature || !report.chain.publicKey)
    return { name: "report", ok: false, detail: "it is not signed" };
  const key = createPublicKey({ key: Buffer.from(report.chain.publicKey, "base64"), format: "der", type: "spki" });
  const isSigned = verify(null, Buffer.from(head), key, Buffer.from(report.chain.signature, "base64"));
  return {
    name: "report",
    ok: isSigned,
    detail: isSigned ? "valid, and its signature fits" : "its signature does not fit",
  };
}
