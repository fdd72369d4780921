/**
 * Evidence as the Browse screen shows it: what was done, and whether the bundle is intact.
 *
 * - `bundleLines(root)` the newest bundles, each checked; a check is repeated only when a file of the bundle changed.
 * - `bundleDetail(root, bundle)` its steps; throws `not_found`.
 * - `shotBytes(root, bundle, name)` one screenshot; throws `not_found`, also for a file that is not an image.
 */
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import type { BrowseBundle, BrowseBundleDetail, BrowseBundleList, BrowseStep } from "@devflow/protocol";
import { checkJournal, type JournalEntry, type Outcome } from "../journal/index.ts";
import { receiptText } from "../receipts/receipt.ts";
import { bundleNames, bundleStamp, readIn } from "./bundle-folder.ts";

const maxBundles = 50;
const maxSteps = 500;
const maxTextLength = 4_000;
const maxJournalBytes = 32 * 1024 * 1024;
const maxShotBytes = 16 * 1024 * 1024;
const maxKept = 200;

const checked = new Map<string, { readonly stamp: string; readonly detail: BrowseBundleDetail }>();

export async function bundleLines(root: string): Promise<BrowseBundleList> {
  const names = await bundleNames(root);
  const bundles: BrowseBundle[] = [];
  // One after the other: screenshots are large, and this process has other requests to answer.
  for (const name of names.slice(0, maxBundles)) {
    const detail = await bundleOf(root, name);
    if (detail) bundles.push(withoutSteps(detail));
  }
  return { bundles, isWhole: names.length <= maxBundles };
}

export async function bundleDetail(root: string, bundle: string): Promise<BrowseBundleDetail> {
  const detail = await bundleOf(root, bundle);
  if (detail) return detail;
  throw new DevflowError("not_found", {
    details: { what: "An evidence bundle of that name", next: "List them: devflow browse evidence list" },
  });
}

export interface ShotBytes {
  readonly type: "image/png" | "image/jpeg";
  readonly bytes: Buffer;
}

/** Checked by content, not by name; other files are not served. */
export async function shotBytes(root: string, bundle: string, name: string): Promise<ShotBytes> {
  const bytes = await readIn(root, bundle, ["shots", name], maxShotBytes);
  if (bytes?.subarray(0, 8).equals(pngStart)) return { type: "image/png", bytes };
  if (bytes?.subarray(0, 3).equals(jpegStart)) return { type: "image/jpeg", bytes };
  throw new DevflowError("not_found", { details: { what: "A screenshot of that name in this bundle", next: "" } });
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpegStart = Buffer.from([0xff, 0xd8, 0xff]);

async function bundleOf(root: string, bundle: string): Promise<BrowseBundleDetail | undefined> {
  const key = JSON.stringify([root, bundle]);
  const stamp = await bundleStamp(root, bundle);
  const kept = checked.get(key);
  if (stamp !== "" && kept?.stamp === stamp) return kept.detail;
  const journal = await readIn(root, bundle, ["journal.jsonl"], maxJournalBytes);
  if (!journal) return undefined;
  const detail = await check(root, bundle, journal.toString("utf8"));
  checked.delete(key);
  checked.set(key, { stamp, detail });
  if (checked.size > maxKept) checked.delete(checked.keys().next().value as string);
  return detail;
}

async function check(root: string, bundle: string, text: string): Promise<BrowseBundleDetail> {
  const { entries, head, fault } = checkJournal(text);
  const first = entries[0];
  const start = first?.body.kind === "start" ? first.body : undefined;
  const steps = entries.flatMap(stepOf);
  const problem = fault ?? (start ? await shotProblem(root, bundle, entries) : "it has no start entry");
  const isEnded = entries.at(-1)?.body.kind === "end";
  return {
    bundle,
    state: problem !== undefined ? "broken" : isEnded ? "holds" : "open",
    problem: problem ?? null,
    name: start?.name ?? "",
    session: start?.session ?? "",
    at: first?.at ?? null,
    commit: start?.commit ?? null,
    branch: start?.branch ?? null,
    changedFiles: Math.max(0, Math.trunc(start?.changedFiles ?? 0)),
    commands: steps.length,
    pictures: steps.filter(({ shot }) => shot !== null).length,
    head,
    steps: steps.slice(0, maxSteps),
    isWhole: steps.length <= maxSteps,
  };
}

async function shotProblem(
  root: string,
  bundle: string,
  entries: readonly JournalEntry[],
): Promise<string | undefined> {
  for (const { seq, body } of entries) {
    if (body.kind !== "command" || !body.shot) continue;
    const name = shotNameOf(body.shot.file);
    const bytes = name === null ? undefined : await readIn(root, bundle, ["shots", name], maxShotBytes);
    if (!bytes) return `line ${seq + 1}: its screenshot is missing`;
    if (hashBytes(bytes) !== body.shot.sha256) return `line ${seq + 1}: its screenshot was changed`;
  }
  return undefined;
}

function stepOf({ seq, at, body }: JournalEntry): BrowseStep[] {
  if (body.kind !== "command") return [];
  return [
    {
      seq,
      at,
      command: body.command,
      effect: body.effect,
      tab: body.tab,
      text: outcomeText(body.outcome).slice(0, maxTextLength).toWellFormed(),
      isFailed: body.outcome.kind === "failed",
      shot: body.shot ? shotNameOf(body.shot.file) : null,
      ms: Math.max(0, Math.round(body.ms)),
    },
  ];
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case "receipt":
      return receiptText({ ...outcome.receipt, ms: 0 } as Parameters<typeof receiptText>[0]);
    case "read":
      return `read ${outcome.bytes} bytes`;
    case "arrived": {
      const { title, url, status, console, failed } = outcome.arrival;
      const head = `${JSON.stringify(title)} ${url}${status === undefined ? "" : ` (HTTP ${status})`}`;
      return [
        head,
        ...console.map((one) => `console error: ${one}`),
        ...failed.map((one) => `request failed: ${one}`),
      ].join("\n");
    }
    case "done":
      return "done";
    case "failed":
      return outcome.message;
  }
}

const shotNameOf = (file: string): string | null => /^shots\/([\w-][\w.-]*)$/.exec(file)?.[1] ?? null;

function withoutSteps({ steps: _steps, head: _head, isWhole: _isWhole, ...line }: BrowseBundleDetail): BrowseBundle {
  return line;
}
