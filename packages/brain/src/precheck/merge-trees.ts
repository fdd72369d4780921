/**
 * Merges in thought: what git would say if another branch were merged now. Nothing is written but loose objects.
 *
 * - `mergeTrees(place, head, others)` the conflicts of each; a branch that git cannot merge at all is `unmergeable`, with the reason.
 *
 * All branches go through one git process per core (`merge-tree --stdin`). One that is unrelated ends that process, so those that are
 * left without an answer are merged one by one.
 */
import { availableParallelism } from "node:os";
import { git } from "@devflow/git";
import type { LineRange } from "../edits/index.ts";
import type { OtherHead } from "./other-heads.ts";
import type { GitPlace } from "./own-work.ts";
import type { Hunk } from "./report.ts";

export interface FileConflict {
  readonly path: string;
  /** In git's words: `contents`, `binary`, `rename/delete`, `submodule`. */
  readonly kinds: readonly string[];
  readonly hunks: readonly Hunk[];
}

export type MergeResult =
  | { readonly head: OtherHead; readonly conflicts: readonly FileConflict[] }
  | { readonly head: OtherHead; readonly unmergeable: string };

interface Merged {
  readonly tree: string;
  /** What git says about each path. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
}

const maxFiles = 20;

export async function mergeTrees(place: GitPlace, head: string, others: readonly OtherHead[]): Promise<MergeResult[]> {
  const workers = Math.max(1, Math.min(availableParallelism(), 4, Math.ceil(others.length / 3)));
  const groups = Array.from({ length: workers }, (_, at) => others.filter((_one, index) => index % workers === at));
  const merged = (await Promise.all(groups.map((group) => mergeGroup(place, head, group)))).flat();
  const texts = await conflictTexts(place, merged);
  return merged.map(({ other, result }): MergeResult => {
    if (typeof result === "string") return { head: other, unmergeable: result };
    const conflicts = [...result.paths].slice(0, maxFiles).map(([path, kinds]) => ({
      path,
      kinds,
      hunks: kinds.includes("binary") ? [] : hunksOf(texts.get(`${result.tree}:${path}`) ?? ""),
    }));
    return { head: other, conflicts };
  });
}

interface One {
  readonly other: OtherHead;
  readonly result: Merged | string;
}

async function mergeGroup(place: GitPlace, head: string, group: readonly OtherHead[]): Promise<One[]> {
  const input = group.map(({ commit }) => `${head} ${commit}\n`).join("");
  const together = await git(["merge-tree", "--stdin"], { ...place, input, answers: [1, 128, 129] });
  const results = parseMerges(together.stdout);
  const done = group.slice(0, results.length).map((other, at): One => ({ other, result: results[at] ?? "no answer" }));
  if (done.length === group.length) return done;
  const rest: One[] = [];
  for (const other of group.slice(done.length)) rest.push({ other, result: await mergeAlone(place, head, other) });
  return [...done, ...rest];
}

async function mergeAlone(place: GitPlace, head: string, { commit }: OtherHead): Promise<Merged | string> {
  const { stdout, stderr, exit } = await git(["merge-tree", "--write-tree", "-z", head, commit], {
    ...place,
    answers: [1, 128],
  });
  if (exit > 1) return stderr.trim().replace(/^fatal: /, "") || `git ended with ${exit}`;
  return parseMerges(`${exit === 0 ? 1 : 0}\0${stdout}\0`)[0] ?? "git gave no answer";
}

/** `status tree [mode object stage TAB path]… "" [[count path… kind text]… ""]`, each ended by a zero byte; an answer cut off is left out. */
export function parseMerges(text: string): Merged[] {
  const words = text.split("\0");
  const merges: Merged[] = [];
  let at = 0;
  while (at + 2 < words.length) {
    const isClean = words[at] === "1";
    const tree = words[at + 1] ?? "";
    const paths = new Map<string, string[]>();
    at += 2;
    while (at < words.length && words[at] !== "") {
      const path = /^\d+ [0-9a-f]+ \d\t([\s\S]+)$/.exec(words[at] ?? "")?.[1];
      if (path !== undefined && !paths.has(path)) paths.set(path, []);
      at += 1;
    }
    at += 1;
    if (!isClean) {
      while (at < words.length && words[at] !== "") {
        const count = Number(words[at]);
        const kind = /^CONFLICT \((.+)\)$/.exec(words[at + 1 + count] ?? "")?.[1];
        for (const path of words.slice(at + 1, at + 1 + count)) if (kind) paths.get(path)?.push(kind);
        at += count + 3;
      }
      at += 1;
    }
    if (at > words.length) break;
    merges.push({ tree, paths });
  }
  return merges;
}

/** All texts from one process. */
async function conflictTexts(place: GitPlace, merged: readonly One[]): Promise<ReadonlyMap<string, string>> {
  const wanted = merged.flatMap(({ result }) =>
    typeof result === "string"
      ? []
      : [...result.paths]
          .slice(0, maxFiles)
          .flatMap(([path, kinds]) =>
            kinds.includes("binary") || /[\n]/.test(path) ? [] : [`${result.tree}:${path}`],
          ),
  );
  return await readBlobs(place, wanted);
}

const maxBlobs = 48_000_000;

/** The content of each object that is a file; the names must not have line breaks. */
export async function readBlobs(place: GitPlace, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (names.length === 0) return found;
  const input = names.map((name) => `${name}\n`).join("");
  const { bytes } = await git(["cat-file", "--batch"], { ...place, input, maxOutput: maxBlobs });
  let at = 0;
  for (const name of names) {
    const end = bytes.indexOf(10, at);
    if (end < 0) break;
    const [, kind, size] = /^\S+ (\S+) (\d+)$/.exec(bytes.toString("utf8", at, end)) ?? [];
    at = end + 1;
    if (kind === undefined) continue;
    if (kind === "blob") found.set(name, bytes.toString("utf8", at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

/** From the marks that a merge leaves in a file. */
export function hunksOf(text: string): Hunk[] {
  const hunks: Hunk[] = [];
  let line = 1;
  let side: "both" | "mine" | "theirs" = "both";
  let mine: string[] = [];
  let theirs: string[] = [];
  for (const one of text.split("\n")) {
    if (side === "both" && one.startsWith("<<<<<<< ")) {
      side = "mine";
      mine = [];
      theirs = [];
    } else if (side === "mine" && one === "=======") side = "theirs";
    else if (side === "theirs" && one.startsWith(">>>>>>> ")) {
      const first = Math.max(1, line - mine.length);
      const lines: LineRange = [first, Math.max(first, line - 1)];
      hunks.push({ lines, mine: mine.join("\n"), theirs: theirs.join("\n") });
      side = "both";
    } else if (side === "theirs") theirs.push(one);
    else {
      if (side === "mine") mine.push(one);
      line += 1;
    }
  }
  return hunks;
}
