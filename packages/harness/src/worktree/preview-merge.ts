/**
 * What a merge would do, without touching a branch or a folder.
 *
 * - `previewMerge({ repository, ours, theirs })` the tree of the merge, and the files that conflict with their hunks. Files
 *   that conflict are in the tree with git's markers.
 */
import { type GitOptions, git } from "@devflow/git";

export interface MergeRange extends Pick<GitOptions, "env" | "signal"> {
  readonly repository: string;
  readonly ours: string;
  readonly theirs: string;
}

export interface MergeConflict {
  readonly path: string;
  /** The hunks with their markers, cut at a limit; empty for a conflict that is not about lines. */
  readonly hunks: string;
  /** What git says about it: both modified, deleted here, renamed there. */
  readonly reason: string;
}

export interface MergePreview {
  readonly tree: string;
  readonly conflicts: readonly MergeConflict[];
}

/** For a person, or a prompt; the files have all of it. */
const mostHunkText = 4_000;

export async function previewMerge({ repository, ours, theirs, ...rest }: MergeRange): Promise<MergePreview> {
  const place = { ...rest, cwd: repository };
  const words = ["--write-tree", "-z", "--name-only", "--messages"];
  const merged = await git(["merge-tree", ...words], { ...place, revisions: [ours, theirs], answers: [1] });
  const [tree = "", ...parts] = merged.stdout.split("\0");
  if (merged.exit === 0) return { tree: tree.trim(), conflicts: [] };
  // The paths that conflict end with an empty word; then come messages: count, paths, kind, text.
  const end = parts.indexOf("");
  const paths = [...new Set(parts.slice(0, end))];
  const messages = messagesIn(parts.slice(end + 1));
  const conflicts: MergeConflict[] = [];
  for (const path of paths) {
    const reason = messages.find((one) => one.paths.includes(path) && one.kind.startsWith("CONFLICT"))?.text ?? "";
    conflicts.push({ path, hunks: await hunksOf(tree, path, place), reason: reason.trim() });
  }
  return { tree, conflicts };
}

interface Message {
  readonly paths: readonly string[];
  readonly kind: string;
  readonly text: string;
}

function messagesIn(words: readonly string[]): Message[] {
  const messages: Message[] = [];
  for (let at = 0; at < words.length; ) {
    const count = Number(words[at]);
    if (words[at] === "" || !Number.isInteger(count)) break;
    const paths = words.slice(at + 1, at + 1 + count);
    messages.push({ paths, kind: words[at + 1 + count] ?? "", text: words[at + 2 + count] ?? "" });
    at += 3 + count;
  }
  return messages;
}

async function hunksOf(tree: string, path: string, place: GitOptions): Promise<string> {
  const file = await git(["cat-file", "blob", `${tree}:${path}`], { ...place, answers: [128] });
  if (file.exit !== 0 || file.bytes.includes(0)) return "";
  const hunks = [...file.stdout.matchAll(/^<{7} .*?^>{7} [^\n]*$/gms)].map((match) => match[0]);
  const text = hunks.join("\n");
  return text.length > mostHunkText ? `${text.slice(0, mostHunkText).toWellFormed()}\n(more was left out)` : text;
}
