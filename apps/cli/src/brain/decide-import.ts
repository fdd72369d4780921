/** `devflow brain decide import <folder>`. */
import { lstat, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type AdrFile, importAdrs, isAdrName, type LocalDecision } from "@devflow/brain/decisions";
import { type BrainDraft, brainDraft, type Decision } from "@devflow/brain/records";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { hash } from "@devflow/core/hash";
import { uuidv5 } from "@devflow/core/ids";
import { shortLine } from "@devflow/core/plain-text";
import { git } from "@devflow/git";
import { counted } from "../data/amounts.ts";
import type { decideImportRecord } from "./decide-commands.ts";
import { localDecisions } from "./find-decision.ts";
import { openBrain } from "./open-brain.ts";

const namespace = "9d0a1c52-1b5f-5b0d-8e6e-7a1f4a6d2b33";
const maxBytes = 400_000;
const mostFiles = 2_000;

export const decideImport: HandlerOf<typeof decideImportRecord> = async ({ folder, dryRun }, context) => {
  const brain = await openBrain(context);
  const { root, place } = brain;
  if (root === undefined || place.repo === null) {
    throw new DevflowError("usage", {
      details: {
        problem: "Decisions are imported into a repository, and this is none.",
        next: "Run it inside the repository that has the ADRs.",
      },
    });
  }
  const files = await adrFiles(resolve(context.cwd, folder), (path) => brain.pathOf(path));
  const knownFiles = new Set((await git(["ls-files", "-z"], { cwd: root, signal: context.signal })).stdout.split("\0"));
  const { decisions, unread, doubts } = importAdrs(files, { team: place.to.team, repo: place.repo, knownFiles });
  const known = new Map((await localDecisions(brain)).map((one) => [one.id, one]));
  const drafts = decisions.flatMap((one) => draftOf(one, known.get(one.decision_id)) ?? []);
  const fresh = drafts.filter(({ payload }) => !known.has(payload.decision_id)).length;
  const facts = {
    read: decisions.length,
    added: fresh,
    changed: drafts.length - fresh,
    unchanged: decisions.length - drafts.length,
    ...{ unread, doubts },
  };
  const written = dryRun || drafts.length === 0 ? undefined : await brain.write(drafts);
  const lines = [
    `${counted(facts.read, "ADR")} read: ${facts.added} new, ${facts.changed} changed, ${facts.unchanged} as before.${written ? ` ${written.line}` : ""}`,
    ...doubts.map(({ path, doubt }) => `  ${shortLine(path, 120)}: ${doubt}`),
    ...(unread.length > 0
      ? [
          `${counted(unread.length, "file")} not read:`,
          ...unread.map(({ path, problem }) => `  ${shortLine(path, 120)}: ${problem}`),
        ]
      : []),
    ...(dryRun ? ["Nothing was recorded: --dry-run."] : []),
  ];
  context.output.result({ ...facts, sent: written?.isSent ?? false }, lines.join("\n"));
};

/** The same file with the same content is the same record, whoever imports it. */
function draftOf(
  decision: Decision,
  before: LocalDecision | undefined,
): (BrainDraft<"decision"> & { id: string }) | undefined {
  const draft = brainDraft("decision", { ...decision, rev: (before?.rev ?? 0) + 1 });
  const { payload } = draft;
  const isSame =
    before !== undefined &&
    before.title === payload.title &&
    before.body === payload.body &&
    (before.context ?? undefined) === payload.context &&
    (before.alternatives ?? undefined) === payload.alternatives &&
    (before.supersedes ?? undefined) === payload.supersedes &&
    // What people decided here since counts more than the file.
    (before.state === payload.state || before.rev > 1);
  return isSame ? undefined : { ...draft, id: uuidv5(namespace, `${payload.decision_id}\n${hash(payload)}`) };
}

async function adrFiles(folder: string, pathOf: (path: string) => Promise<string>): Promise<AdrFile[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new DevflowError("not_found", {
      details: { what: `The folder ${folder}`, next: "Name the folder that has the ADRs, such as docs/adr." },
      cause: error,
    });
  });
  const wanted = names.filter((name) => isAdrName(name.replace(/^.*\//, ""))).sort();
  if (wanted.length > mostFiles) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `${folder} has ${wanted.length} Markdown files, more than ${mostFiles}.`,
        next: "Name a folder with ADRs only.",
      },
    });
  }
  return await Promise.all(wanted.map((name) => adrFile(join(folder, name), pathOf)));
}

async function adrFile(full: string, pathOf: (path: string) => Promise<string>): Promise<AdrFile> {
  const path = await pathOf(full);
  const about = await lstat(full);
  if (!about.isFile()) return { path, problem: "it is not a plain file" };
  if (about.size > maxBytes) return { path, problem: `it has ${about.size} bytes, and at most ${maxBytes} are read` };
  const bytes = await readFile(full);
  try {
    return { path, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { path, problem: "it is not UTF-8 text" };
  }
}
