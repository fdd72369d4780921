/**
 * A diff as rows of equal height, inline or side by side, with folded files. Pure.
 *
 * - `diffFiles(text)` its files, each with its lines.
 * - `foldedAtFirst(files)` those that are too long to read past: the reader opens them.
 * - `diffRows(files, options)` the rows that are shown.
 */
import { type DiffLine, diffLines } from "./diff-lines.ts";

type ChangedLine = Extract<DiffLine, { readonly old: number | undefined }>;
type OtherLine = Exclude<DiffLine, { readonly is: "file" } | ChangedLine>;

export interface DiffFile {
  readonly path: string;
  readonly lines: readonly (ChangedLine | OtherLine)[];
  /** Lines that were added or removed. */
  readonly changed: number;
}

export type DiffRow =
  | { readonly is: "file"; readonly path: string; readonly isFolded: boolean; readonly changed: number }
  | OtherLine
  | ChangedLine
  | { readonly is: "pair"; readonly left: ChangedLine | undefined; readonly right: ChangedLine | undefined };

export type DiffLayout = "inline" | "split";

/** A file with more changed lines is folded until the reader opens it. */
const mostUnfolded = 500;

export function diffFiles(text: string): DiffFile[] {
  const files: { path: string; lines: (ChangedLine | OtherLine)[]; changed: number }[] = [];
  for (const line of diffLines(text)) {
    if (line.is === "file") files.push({ path: line.path, lines: [], changed: 0 });
    else {
      const file = files.at(-1);
      file?.lines.push(line);
      if (file && (line.is === "added" || line.is === "removed")) file.changed += 1;
    }
  }
  return files;
}

export function foldedAtFirst(files: readonly DiffFile[]): ReadonlySet<string> {
  return new Set(files.filter(({ changed }) => changed > mostUnfolded).map(({ path }) => path));
}

export function diffRows(
  files: readonly DiffFile[],
  { layout, folded }: { readonly layout: DiffLayout; readonly folded: ReadonlySet<string> },
): DiffRow[] {
  return files.flatMap(({ path, lines, changed }): DiffRow[] => {
    const isFolded = folded.has(path);
    const head: DiffRow = { is: "file", path, isFolded, changed };
    if (isFolded) return [head];
    return [head, ...(layout === "inline" ? lines : paired(lines))];
  });
}

/** Removed lines stand beside the added ones that follow them. */
function paired(lines: readonly (ChangedLine | OtherLine)[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let removed: ChangedLine[] = [];
  let added: ChangedLine[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      rows.push({ is: "pair", left: removed[index], right: added[index] });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.is === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.is === "added") added.push(line);
    else {
      flush();
      rows.push(line.is === "same" ? { is: "pair", left: line, right: line } : line);
    }
  }
  flush();
  return rows;
}
