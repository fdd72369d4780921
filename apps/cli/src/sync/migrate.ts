/**
 * `devflow sync migrate`: brings the local files of gstack and fstack to the team. Shows what there is, asks, and then queues the records
 * and stores the eval runs. The files are not changed, and what was imported before is not imported again.
 */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError, toDevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { plainLine, shortLine } from "@devflow/core/plain-text";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { importFile } from "@devflow/evals/interop";
import { repositoryRoot } from "@devflow/git";
import { findOldFiles, type OldContent, type OldFile, readOldFile, standardEvalFile } from "@devflow/team/migrate";
import { draftOf } from "@devflow/team/records";
import { counted } from "../data/amounts.ts";
import { withStore } from "../eval/with-store.ts";
import { teamEvals } from "../team/team-evals.ts";
import { textTable } from "../text-table.ts";
import { askLine } from "./ask-line.ts";
import type { syncMigrateRecord } from "./commands.ts";
import { requirePlace, type TeamPlace } from "./place.ts";
import { pushed } from "./push-records.ts";

interface FoundFile {
  readonly file: OldFile;
  readonly content: OldContent;
}
interface Unread {
  readonly file: string;
  readonly reason: string;
}

const titles = {
  eval: "Eval runs",
  retro: "Retros",
  triage: "Judged review findings",
  qa: "QA reports",
  queue: "Waiting in the old queue",
} as const;
type Imported = keyof typeof titles;

export const syncMigrate: HandlerOf<typeof syncMigrateRecord> = async ({ yes, dryRun }, context) => {
  const place = await requirePlace(context);
  const repository = (await repositoryRoot({ cwd: context.cwd, signal: context.signal })) ?? null;
  const home = context.env.HOME || homedir();
  const files = await findOldFiles({ home, repository });
  const unread: Unread[] = [];
  const found = (await Promise.all(files.map((file) => read(file, place.repo, unread)))).flatMap((one) => one ?? []);
  const old = await oldTeam(repository);
  const counts = countsOf(found);
  const facts = { team: place.team.name, found: counts, unread, oldTeam: old };
  const overview = overviewOf(counts, unread, old);
  const total = counts.eval + counts.retro + counts.triage + counts.qa + counts.queue;
  if (total === 0 || dryRun) {
    return context.output.result(
      { ...facts, imported: null },
      total === 0 ? `${overview}\nThere is nothing to import.` : overview,
    );
  }
  if (!yes) {
    if (context.output.json) {
      throw new DevflowError("usage", {
        details: {
          problem: "With --json nobody can be asked.",
          next: "Use --yes, or look first: devflow sync migrate --dry-run --json",
        },
      });
    }
    context.output.note(overview);
    const answer = await askLine(context, `Import them into ${place.team.name}? Type yes:`);
    if (!/^y(es)?$/i.test(answer)) return context.output.result({ ...facts, imported: null }, "Nothing was imported.");
  }
  const shown = unread.length;
  const imported = await importAll(found, place, context, unread);
  const text = `${counted(imported.records, "record")} and ${counted(imported.evalRuns, "eval run")} sent to ${place.team.name}, which stores each once; ${counted(imported.known, "eval run")} had been imported before.`;
  context.output.result(
    { ...facts, unread, imported },
    [...(yes ? [overview] : []), text, ...unreadLines(unread.slice(shown))].join("\n"),
  );
};

async function read(file: OldFile, repo: string | null, unread: Unread[]): Promise<FoundFile | undefined> {
  try {
    const content = readOldFile(file, file.sort === "eval" ? "" : await readFile(file.path, "utf8"), repo);
    unread.push(...content.unread.map((reason) => ({ file: file.path, reason })));
    return { file, content };
  } catch (error) {
    unread.push({ file: file.path, reason: reasonOf(error) });
    return undefined;
  }
}

/** A link that leads nowhere, a folder with the name of a file, a file of somebody else. */
function reasonOf(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return unreadable[code] ?? toDevflowError(error).message;
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: "it is a link to nothing",
  EISDIR: "it is a folder",
  EACCES: "you may not read it",
};

type Counts = Readonly<Record<Imported | "elsewhere" | "timeline" | "learnings" | "left", number>>;

function countsOf(found: readonly FoundFile[]): Counts {
  const of = (sort: OldFile["sort"]) => found.filter(({ file }) => file.sort === sort);
  const sum = (list: readonly FoundFile[], pick: (content: OldContent) => number) =>
    list.reduce((all, { content }) => all + pick(content), 0);
  const records = (sort: OldFile["sort"]) => sum(of(sort), (content) => content.records.length);
  return {
    eval: of("eval").length,
    ...{ retro: records("retro"), triage: records("triage"), qa: records("qa"), queue: records("queue") },
    elsewhere: sum(found, (content) => content.elsewhere),
    timeline: sum(of("timeline"), (content) => content.counted),
    learnings: sum(of("learnings"), (content) => content.counted),
    left: sum(of("queue"), (content) => content.counted),
  };
}

function overviewOf(counts: Counts, unread: readonly Unread[], old: string | null): string {
  const rows = Object.entries(titles).map(([sort, title]) => [title, String(counts[sort as Imported])]);
  const notes = [
    counts.elsewhere > 0 ? `Entries of other repositories, where you can run this too: ${counts.elsewhere}` : "",
    counts.learnings > 0 ? `Learnings, which wait for the brain: ${counts.learnings}` : "",
    counts.timeline > 0 ? `Lines of timelines, for which a team has no records: ${counts.timeline}` : "",
    counts.left > 0 ? `Eval runs and transcripts in the old queue, which are not taken from there: ${counts.left}` : "",
    old === null ? "" : `This repository was connected with ${old}. What is stored there is not imported.`,
  ];
  return [textTable([{ title: "FOUND" }, { title: "" }], rows), ...notes.filter(Boolean), ...unreadLines(unread)].join(
    "\n",
  );
}

const mostShown = 20;

function unreadLines(unread: readonly Unread[]): string[] {
  if (unread.length === 0) return [];
  const shown = unread.slice(0, mostShown).map(({ file, reason }) => `  ${plainLine(file)}: ${shortLine(reason, 200)}`);
  const left = unread.length - shown.length;
  return [`Could not be read: ${unread.length}`, ...shown, ...(left > 0 ? [`  … and ${left} more`] : [])];
}

/** The store that gstack used. */
async function oldTeam(repository: string | null): Promise<string | null> {
  const text = repository === null ? undefined : await readIfThere(join(repository, ".gstack-sync.json"));
  const { supabase_url, team_slug } = (parseJson(text ?? "") ?? {}) as { supabase_url?: unknown; team_slug?: unknown };
  if (typeof supabase_url !== "string") return null;
  return plainLine(`${supabase_url}${typeof team_slug === "string" ? `, team ${team_slug}` : ""}`).slice(0, 300);
}

async function importAll(found: readonly FoundFile[], place: TeamPlace, context: CommandContext, unread: Unread[]) {
  const about = { team: place.to.team, repo: place.repo };
  const drafts = found.flatMap(({ content }) =>
    content.records.map(({ what, payload }) => draftOf(what, payload, about).draft),
  );
  const { ids } = await pushed(homeAt(context.config().home), place, drafts, context);
  const evals = found.filter(({ file }) => file.sort === "eval").map(({ file }) => file.path);
  const runs = await importEvals(evals, place, context, unread);
  return { records: new Set(ids).size, ...runs };
}

async function importEvals(files: readonly string[], place: TeamPlace, context: CommandContext, unread: Unread[]) {
  const outcome = { evalRuns: 0, known: 0 };
  if (files.length === 0) return outcome;
  const team = await teamEvals(place, context);
  await withStore(context, async (store) => {
    for (const file of files) {
      try {
        const text = await readFile(file, "utf8");
        const standard = standardEvalFile(text);
        // A path has an identity of its own; what was converted carries its id.
        const input = standard === text ? file : once(Buffer.from(standard));
        for await (const run of importFile(input, { name: basename(file), lenient: true, signal: context.signal })) {
          const { isNew, line } = await store.push(run, { signal: context.signal, name: basename(file) });
          await store.feed(`${line.suite}/${line.runId}`, team.sink);
          outcome[isNew ? "evalRuns" : "known"] += 1;
        }
      } catch (error) {
        if (context.signal.aborted) throw error;
        unread.push({ file, reason: reasonOf(error) });
      }
    }
  });
  return outcome;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
