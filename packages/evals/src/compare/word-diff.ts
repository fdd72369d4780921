/**
 * - `wordDiff(before, after)` what changed between two texts, word by word: runs of `same`, `removed` and `added`. Texts
 *   that differ in more than 2,000 words after their common beginning and end are told as replaced.
 */
export interface WordChange {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

const mostWords = 2000;

export function wordDiff(before: string, after: string): WordChange[] {
  const a = wordsOf(before);
  const b = wordsOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middleA = a.slice(start, a.length - end);
  const middleB = b.slice(start, b.length - end);
  const changes: WordChange[] = [];
  append(changes, "same", a.slice(0, start));
  if (middleA.length > mostWords || middleB.length > mostWords) {
    append(changes, "removed", middleA);
    append(changes, "added", middleB);
  } else for (const { kind, text } of middle(middleA, middleB)) append(changes, kind, [text]);
  append(changes, "same", a.slice(a.length - end));
  return changes;
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** The longest common subsequence, walked from the start. */
function* middle(a: readonly string[], b: readonly string[]): Generator<WordChange> {
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      yield { kind: "same", text: a[i++]! };
      j++;
    } else if (j >= b.length || (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      yield { kind: "removed", text: a[i++]! };
    } else yield { kind: "added", text: b[j++]! };
  }
}

function append(changes: WordChange[], kind: WordChange["kind"], words: readonly string[]): void {
  const text = words.join("");
  if (text === "") return;
  const last = changes.at(-1);
  if (last?.kind === kind) changes[changes.length - 1] = { kind, text: last.text + text };
  else changes.push({ kind, text });
}
