/**
 * A unified diff as rows, with the line numbers of both sides.
 *
 * - `diffLines(text)` the rows in order; a `file` row starts each file.
 */
export type DiffLine =
  | { readonly is: "file"; readonly path: string }
  | { readonly is: "hunk" | "note"; readonly text: string }
  | {
      readonly is: "added" | "removed" | "same";
      readonly text: string;
      readonly old: number | undefined;
      readonly new: number | undefined;
    };

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function diffLines(text: string): DiffLine[] {
  const rows: DiffLine[] = [];
  let old = 0;
  let now = 0;
  let isInHunk = false;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const hunk = hunkHead.exec(line);
    if (line.startsWith("diff --git ")) {
      isInHunk = false;
      rows.push({ is: "file", path: pathOf(line) });
    } else if (hunk) {
      isInHunk = true;
      old = Number(hunk[1]);
      now = Number(hunk[2]);
      rows.push({ is: "hunk", text: line });
    } else if (!isInHunk) {
      if (/^(index|---|\+\+\+) /.test(line) || line === "") continue;
      rows.push({ is: "note", text: line });
    } else if (line.startsWith("+")) rows.push({ is: "added", text: line.slice(1), old: undefined, new: now++ });
    else if (line.startsWith("-")) rows.push({ is: "removed", text: line.slice(1), old: old++, new: undefined });
    else if (line.startsWith("\\")) rows.push({ is: "note", text: line.slice(2) });
    else rows.push({ is: "same", text: line.slice(1), old: old++, new: now++ });
  }
  return rows;
}

/** The new name in `diff --git a/x b/x`; both halves have the same length unless the file was renamed. */
function pathOf(line: string): string {
  const names = line.slice("diff --git ".length);
  const half = (names.length - 1) / 2;
  const isSame = names.slice(2, half) === names.slice(half + 3);
  return isSame ? names.slice(2, half) : (names.split(/ "?b\//).at(-1) ?? names).replace(/"$/, "");
}
