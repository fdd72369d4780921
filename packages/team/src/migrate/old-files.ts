/**
 * The files of older tools, gstack and fstack, from which a team's records can be imported. They are read and never changed.
 *
 * - `findOldFiles(places)` what there is, by sort. A folder that is not there has nothing.
 * - `belongsTo(repo, slug)` whether their short name of a repository (`owner-name` or `owner/name`) means this one.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const oldSorts = ["eval", "retro", "triage", "qa", "queue", "timeline", "learnings"] as const;
export type OldSort = (typeof oldSorts)[number];

export interface OldFile {
  readonly sort: OldSort;
  readonly path: string;
  /** The tool's name of the repository, where the folder says it. */
  readonly slug: string | null;
}

export interface OldPlaces {
  /** The person's home folder. */
  readonly home: string;
  /** The repository's folder; null outside one. */
  readonly repository: string | null;
}

export async function findOldFiles({ home, repository }: OldPlaces): Promise<OldFile[]> {
  const found: OldFile[] = [];
  const add = (sort: OldSort, path: string, slug: string | null = null) => void found.push({ sort, path, slug });
  for (const name of await namesIn(join(home, ".gstack-dev/evals"))) {
    if (/\.jsonl?$/.test(name)) add("eval", join(home, ".gstack-dev/evals", name));
  }
  await addFile(join(home, ".gstack"), "greptile-history.md", (path) => add("triage", path));
  await addFile(join(home, ".gstack"), "sync-queue.json", (path) => add("queue", path));
  for (const tool of [".gstack", ".fstack"]) {
    for (const slug of await namesIn(join(home, tool, "projects"))) {
      const folder = join(home, tool, "projects", slug);
      for (const name of await namesIn(join(folder, "retros"))) {
        if (name.endsWith(".json")) add("retro", join(folder, "retros", name), slug);
      }
      await addFile(folder, "greptile-history.md", (path) => add("triage", path, slug));
      await addFile(folder, "timeline.jsonl", (path) => add("timeline", path, slug));
      await addFile(folder, "learnings.jsonl", (path) => add("learnings", path, slug));
    }
  }
  if (repository === null) return found;
  for (const name of await namesIn(join(repository, ".context/retros"))) {
    if (name.endsWith(".json")) add("retro", join(repository, ".context/retros", name));
  }
  for (const name of await namesIn(join(repository, ".gstack/qa-reports"))) {
    if (/baseline\.json$|\.md$/.test(name)) add("qa", join(repository, ".gstack/qa-reports", name));
  }
  return found;
}

export function belongsTo(repo: string | null, slug: string): boolean {
  const words = (text: string) =>
    text
      .toLowerCase()
      .replace(/\.git$/, "")
      .replace(/[^a-z0-9]+/g, "-");
  const [owner, name] = (repo ?? "").split("/").slice(-2);
  if (owner === undefined || name === undefined) return false;
  return [words(`${owner}/${name}`), words(name)].includes(words(slug));
}

/** In order; empty where there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

async function addFile(folder: string, name: string, add: (path: string) => void): Promise<void> {
  if ((await namesIn(folder)).includes(name)) add(join(folder, name));
}
