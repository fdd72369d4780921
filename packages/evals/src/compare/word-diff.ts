/**
 * - `wordDiff(before, after)` the changes between two texts, word by word, as runs of `same`, `removed` and `added`. Texts that
 *   differ in more than about 2,000 words are shown as replaced.
 */
import { sequenceDiff } from "@devflow/core/sequence-diff";

export interface WordChange {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

export function wordDiff(before: string, after: string): WordChange[] {
  const changes: { kind: WordChange["kind"]; text: string }[] = [];
  for (const { kind, item } of sequenceDiff(wordsOf(before), wordsOf(after))) {
    const last = changes.at(-1);
    if (last?.kind === kind) last.text += item;
    else changes.push({ kind, text: item });
  }
  return changes;
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}
