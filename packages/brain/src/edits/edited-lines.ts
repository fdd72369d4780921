/**
 * Which lines an edit changed, in the file as it is afterwards: `[[first, last], …]`, at most 50 parts.
 *
 * - `linesOfPatch(hunks)` from the patch that an agent reports.
 * - `linesOfDiff(text)` per file, from `git diff --unified=0`.
 * - `linesOfText(content, part)` where a text stands in a file; the whole file without one.
 */
export type LineRange = [first: number, last: number];

const maxRanges = 50;

interface Hunk {
  readonly newStart?: unknown;
  readonly lines?: unknown;
}

export function linesOfPatch(hunks: unknown): LineRange[] {
  if (!Array.isArray(hunks)) return [];
  return joined((hunks as (Hunk | null)[]).flatMap(linesOfHunk));
}

function linesOfHunk(hunk: Hunk | null): LineRange[] {
  const { newStart, lines } = hunk ?? {};
  if (typeof newStart !== "number" || !Array.isArray(lines)) return [];
  const ranges: LineRange[] = [];
  let at = newStart;
  for (const line of lines) {
    const sign = String(line)[0];
    if (sign === "+" || sign === "-") ranges.push([Math.max(at, 1), Math.max(at, 1)]);
    if (sign !== "-" && sign !== "\\") at += 1;
  }
  return ranges;
}

export function linesOfDiff(text: string): Map<string, LineRange[]> {
  const found = new Map<string, LineRange[]>();
  let ranges: LineRange[] = [];
  let content = 0;
  for (const line of text.split("\n")) {
    if (content > 0 && !line.startsWith("\\")) {
      content -= 1;
      continue;
    }
    const path = /^\+\+\+ (.+?)\t?$/.exec(line)?.[1];
    if (path !== undefined) {
      ranges = [];
      // A file that is gone has no lines.
      if (path !== "/dev/null") found.set(plainPath(path), ranges);
    }
    const [, removed = "1", from, added = "1"] = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (from === undefined) continue;
    content = Number(removed) + Number(added);
    // Lines that were only removed stood between two that are left.
    const first = Math.max(Number(from), 1);
    ranges.push([first, first + Math.max(Number(added) - 1, 0)]);
  }
  return new Map([...found].map(([path, some]) => [path, joined(some)]));
}

/** Git quotes a path with unusual characters as C does. */
function plainPath(given: string): string {
  const quoted = /^"(.*)"$/.exec(given)?.[1];
  if (quoted === undefined) return given.replace(/^b\//, "");
  const bytes = quoted.replace(/\\([0-7]{3}|.)/g, (_, escaped: string) => {
    if (escaped.length === 3) return String.fromCharCode(Number.parseInt(escaped, 8));
    return { n: "\n", t: "\t", r: "\r" }[escaped] ?? escaped;
  });
  return Buffer.from(bytes, "latin1").toString("utf8").replace(/^b\//, "");
}

export function linesOfText(content: string, part?: string): LineRange[] {
  const lineAt = (offset: number) => content.slice(0, offset).split("\n").length;
  const whole = content.endsWith("\n") ? content.slice(0, -1) : content;
  if (part === undefined) return content === "" ? [] : [[1, whole.split("\n").length]];
  const at = part === "" ? -1 : content.indexOf(part);
  if (at < 0) return [];
  const end = part.endsWith("\n") ? at + part.length - 1 : at + part.length;
  return [[lineAt(at), lineAt(end)]];
}

function joined(ranges: readonly LineRange[]): LineRange[] {
  const sorted = ranges.map(([first, last]): LineRange => [first, last]).sort((a, b) => a[0] - b[0]);
  const result: LineRange[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last && range[0] <= last[1] + 1) last[1] = Math.max(last[1], range[1]);
    else result.push(range);
  }
  if (result.length <= maxRanges) return result;
  // The parts behind the last become one with it: nothing that was changed is left out.
  const end = result.at(-1)?.[1] ?? 1;
  return [...result.slice(0, maxRanges - 1), [result[maxRanges - 1]?.[0] ?? 1, end]];
}
