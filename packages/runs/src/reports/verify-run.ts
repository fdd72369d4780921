/**
 * Checks offline that a run matches its log: the chain of events, the artifacts and command logs by the hashes in the
 * chain, the branch by the commits in the chain, the report by its signature, and its lanes in the same way.
 *
 * - `verifyRun(context, runId)` every check with its outcome.
 */
import { createPublicKey, verify } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { z } from "zod";
import { validateArtifact } from "../artifacts/index.ts";
import type { EngineContext } from "../engine/context.ts";
import type { RunRow } from "../engine/rows.ts";
import { Actor } from "../events/actor.ts";
import { type ChainedEvent, verifyChain } from "../events/chain.ts";
import type { RunEventType } from "../events/event-types.ts";
import { type FinalReport, reportSchema, reportWithLanesSchema, signedText } from "./compose-report.ts";
import { renderReport } from "./render-report.ts";
import { checkBranch } from "./verify-branch.ts";
import { checkKin } from "./verify-kin.ts";

export interface VerifyCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export async function verifyRun(
  context: EngineContext,
  runId: string,
): Promise<{ ok: boolean; checks: readonly VerifyCheck[] }> {
  const { run, events } = await readRun(context, runId);
  const fault = verifyChain(events, run.chain_head);
  const unbroken: VerifyCheck = {
    name: "events",
    ok: !fault,
    detail: fault ? `event ${fault.seq}: ${fault.problem}` : `${events.length} events, unbroken`,
  };
  if (events.some((event) => event.type === "run.purged")) {
    const purged = { name: "content", ok: true, detail: "purged; hashes, states and times are kept" };
    return { ok: unbroken.ok, checks: [unbroken, purged] };
  }
  const checks: VerifyCheck[] = [
    unbroken,
    ...(run.host === context.host ? await checkHere(context, run, events) : await checkElsewhere(context, run, events)),
    ...(await checkKin(context, events, async (id) => {
      const { ok, checks } = await verifyRun(context, id);
      return ok ? undefined : checks.find((one) => !one.ok)?.detail;
    })),
  ];
  return { ok: checks.every((one) => one.ok), checks };
}

/** What a run did on a machine that it has left is known by Postgres only. */
async function checkHere(
  context: EngineContext,
  run: VerifiedRun,
  events: readonly ChainedEvent[],
): Promise<VerifyCheck[]> {
  const arrived = events.findLast((event) => event.type === "run.moved")?.seq ?? 0;
  const [before, since] = [events.filter((one) => one.seq < arrived), events.filter((one) => one.seq >= arrived)];
  const left = before.flatMap(logsOf).length;
  const commands = await checkFiles("commands", since.flatMap(logsOf));
  return [
    arrived === 0
      ? await checkFiles("artifacts", events.flatMap(artifactOf))
      : await checkStored(context, run.id, events.flatMap(artifactOf)),
    left === 0 ? commands : { ...commands, detail: `${commands.detail}; ${left} were on a machine that it has left` },
    await checkBranch(context, run, events),
    await checkReport(context, await reportFiles(run.final_report_path), events),
  ];
}

/** Everything that is in Postgres; the rest is on the run's machine. */
async function checkElsewhere(
  context: EngineContext,
  run: VerifiedRun,
  events: readonly ChainedEvent[],
): Promise<VerifyCheck[]> {
  const rows = await context.database.asEngine(
    (tx) => tx<{ kind: string; content: string }[]>`select kind, content from app.run_files where run_id = ${run.id}`,
  );
  const kept = (kind: string) => rows.find((one) => one.kind === kind)?.content;
  const path = run.final_report_path;
  const report = path === null ? undefined : { path, text: kept("report.json"), words: kept("report.md") };
  return [
    await checkStored(context, run.id, events.flatMap(artifactOf)),
    {
      name: "branch",
      ok: true,
      detail: `not read, nor the output of commands: they are on ${run.machine}; verify it there`,
    },
    await checkReport(context, report, events),
  ];
}

/** By the content that was judged, which is in its row. */
async function checkStored(
  { database }: EngineContext,
  runId: string,
  files: readonly HashedFile[],
): Promise<VerifyCheck> {
  const rows = await database.asEngine(
    (tx) =>
      tx<{ content: string }[]>`select content from app.artifacts where run_id = ${runId} and content is not null`,
  );
  const known = new Set(rows.map(({ content }) => hashBytes(Buffer.from(content))));
  const faults = files.filter(({ hash }) => !known.has(hash)).map(({ path }) => `${path} was altered`);
  const detail = faults.length > 0 ? faults.join("; ") : `${files.length} files in Postgres, unaltered`;
  return { name: "artifacts", ok: faults.length === 0, detail };
}

type VerifiedRun = Pick<
  RunRow,
  "id" | "host" | "chain_head" | "final_report_path" | "repo_path" | "branch" | "base_commit" | "lane_base"
> & { readonly machine: string };

/** What the log says about it. */
export async function readRun({ database }: EngineContext, runId: string) {
  return await database.asEngine(async (tx) => {
    const [run] = await tx<VerifiedRun[]>`
      select id, host, app.host_name(host) as machine, chain_head, final_report_path, repo_path, branch, base_commit, lane_base
      from app.runs where id = ${runId}`;
    const rows = await tx`select * from app.run_events where run_id = ${runId} order by seq`;
    if (!run) throw new DevflowError("not_found", { details: { what: `Run ${runId}`, next: "devflow run list" } });
    return { run, events: rows.map(toEvent) };
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

const HashedFile = z.object({ path: z.string(), hash: z.string() });
type HashedFile = z.infer<typeof HashedFile>;
const Logs = z.object({ stdout: HashedFile.nullable().catch(null), stderr: HashedFile.nullable().catch(null) });

/** What a fork began with is in its folder too, under the hashes of the run that it was forked from. */
const Carried = z.object({ artifacts: z.array(HashedFile) });

function artifactOf({ type, payload }: ChainedEvent): HashedFile[] {
  if (type === "run.forked") return Carried.safeParse(payload).data?.artifacts ?? [];
  return type === "artifact.validated" ? [HashedFile.parse(payload)] : [];
}

function logsOf({ type, payload }: ChainedEvent): HashedFile[] {
  if (type !== "command.completed" && type !== "command.failed") return [];
  const { stdout, stderr } = Logs.parse(payload);
  return [stdout, stderr].filter((one) => one !== null);
}

async function checkFiles(name: string, files: readonly HashedFile[]): Promise<VerifyCheck> {
  const faults = (await Promise.all(files.map(faultOf))).flat();
  return {
    name,
    ok: faults.length === 0,
    detail: faults.length > 0 ? faults.join("; ") : `${files.length} files, unaltered`,
  };
}

/** A file replaced by a later attempt was set aside under its name with the attempt as suffix. */
async function faultOf({ path, hash }: HashedFile): Promise<string[]> {
  const beside = await readdir(dirname(path)).catch(() => []);
  const places = beside.filter((one) => one === basename(path) || one.startsWith(`${basename(path)}.attempt-`));
  for (const place of places) {
    const bytes = await readFile(join(dirname(path), place)).catch(() => undefined);
    if (bytes && hashBytes(bytes) === hash) return [];
  }
  return [places.length === 0 ? `${path} is gone` : `${path} was altered`];
}

interface ReportFiles {
  readonly path: string;
  readonly text: string | undefined;
  readonly words: string | undefined;
}

async function reportFiles(path: string | null): Promise<ReportFiles | undefined> {
  if (path === null) return undefined;
  const read = (file: string) => readFile(file, "utf8").catch(() => undefined);
  return { path, text: await read(path), words: await read(path.replace(/json$/, "md")) };
}

async function checkReport(
  { signer, database }: EngineContext,
  files: ReportFiles | undefined,
  events: readonly ChainedEvent[],
): Promise<VerifyCheck> {
  const bad = (detail: string): VerifyCheck => ({ name: "report", ok: false, detail });
  if (!files) return { name: "report", ok: true, detail: "the run has not ended" };
  const { path, text, words } = files;
  if (text === undefined) return bad(`${path} is gone`);
  const report = parse(text);
  const verdict = validateArtifact(reportSchemaOf(report), report);
  if (!verdict.ok) return bad(`${path}: ${verdict.errors[0]?.message}`);
  const { chain } = report as FinalReport;
  const after = events
    .slice(events.findIndex((one) => one.hash === chain.head) + 1)
    .filter((one) => one.type !== "pull_request.opened" && one.type !== "run.forked");
  const written = after.find((one) => one.type === "report.written");
  // Only the report's own event may follow what it reports, and what was made from it: pull requests and forks.
  if (after.length > (written ? 1 : 0)) return bad("its chain head is not the run's");
  if (written && written.payload.hash !== hashBytes(Buffer.from(text))) return bad(`${path} was altered`);
  if (!chain.signature || !chain.publicKey) return bad("it is not signed");
  // A forger has a key too; only the keys of this machine and of the fleet count.
  if (chain.publicKey !== signer.publicKey && !(await isOfFleet(database, chain.publicKey)))
    return bad("it was not signed with the key of this machine or of one in the fleet");
  const key = createPublicKey({ key: Buffer.from(chain.publicKey, "base64"), format: "der", type: "spki" });
  const signed = Buffer.from(signedText(report as FinalReport));
  if (!verify(null, signed, key, Buffer.from(chain.signature, "base64"))) return bad(`${path} was altered`);
  if (words !== renderReport(report as FinalReport)) return bad(`${path.replace(/json$/, "md")} was altered`);
  return { name: "report", ok: true, detail: "valid, and its signature matches" };
}

async function isOfFleet(database: EngineContext["database"], key: string): Promise<boolean> {
  const rows = await database.asEngine((tx) => tx`select from app.hosts where public_key = ${key}`);
  return rows.length > 0;
}

const known = ["common/final-report@3", reportSchema, reportWithLanesSchema] as const;

/** The first two versions do not name themselves. */
const reportSchemaOf = (report: unknown): string => {
  const { cost, schema } = (report ?? {}) as { cost?: { cachedTokens?: number }; schema?: unknown };
  if (schema !== undefined) return known.find((one) => one === schema) ?? reportSchema;
  return cost?.cachedTokens === undefined ? "common/final-report@2" : "common/final-report@1";
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
