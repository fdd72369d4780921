/**
 * The commits that stored runs know of, for comparing them where the repository is not: on a server, or in another folder.
 *
 * - `commitGraph(notes)` → `ancestors(sha)` that commit and all before it, as far as they are known, newest first;
 *   `find(word)` a commit by its hash or the beginning of one; `about(sha)`.
 */
import type { CommitNote } from "../results/result.ts";

export interface CommitGraph {
  ancestors(sha: string): readonly string[];
  find(word: string): CommitNote | null;
  about(sha: string): CommitNote | null;
}

export function commitGraph(notes: readonly CommitNote[]): CommitGraph {
  const bySha = new Map(notes.map((note) => [note.sha, note]));
  const find = (word: string): CommitNote | null => {
    const exact = bySha.get(word);
    if (exact || word.length < 6) return exact ?? null;
    const begun = notes.filter(({ sha }) => sha.startsWith(word));
    return begun.length === 1 ? begun[0]! : null;
  };
  return {
    find,
    about: find,
    ancestors: (sha) => {
      const first = find(sha);
      if (!first) return [];
      const seen = new Set([first.sha]);
      for (const known of seen) for (const parent of bySha.get(known)?.parents ?? []) seen.add(parent);
      const timeOf = (one: string) => bySha.get(one)?.at ?? "";
      // A parent is never newer than its child in the order found, whatever the clocks said.
      const found = [...seen].map((one, order) => ({ one, order }));
      const [own, ...before] = found;
      return [own!, ...before.sort((a, b) => compareText(timeOf(b.one), timeOf(a.one)) || a.order - b.order)].map(
        ({ one }) => one,
      );
    },
  };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
