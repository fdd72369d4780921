/**
 * How well decisions are found: `search_decisions` against what a team without it would use.
 *
 * - `measureRetrieval(ask, corpus, questions)` per contender: recall and precision at 5, and how many answers no longer hold.
 * - `retrievalTable(rows)` the same in Markdown.
 */
import type { MadeDecision, Question } from "./corpus.ts";

export interface RetrievalRow {
  readonly name: string;
  readonly recall: number;
  readonly precision: number;
  /** Answers that were superseded, of all answers. */
  readonly stale: number;
}

export type Ask = (question: Question) => Promise<readonly string[]>;

export async function measureRetrieval(
  ask: Ask,
  corpus: readonly MadeDecision[],
  questions: readonly Question[],
): Promise<RetrievalRow[]> {
  const newest = [...corpus].reverse();
  const textOf = (one: MadeDecision) => `${one.title}\n${one.body}\n${one.files.join("\n")}`.toLowerCase();
  const texts = new Map(newest.map((one) => [one.id, textOf(one)]));
  const filter = (isMatch: (text: string) => boolean) =>
    newest
      .filter((one) => isMatch(texts.get(one.id) ?? ""))
      .slice(0, 5)
      .map(({ id }) => id);
  // Grep gets the words of a question as a person would type them: without the little ones, and without endings.
  const wordsOf = (text: string) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 2)
      .map((word) => word.replace(/(?:ies|es|s|ing|ed)$/, (end) => (word.length - end.length >= 3 ? "" : end)));
  const wordsIn = ({ text, file }: Question) => [...wordsOf(text), ...(file ? [file.toLowerCase()] : [])];
  const contenders: readonly (readonly [string, Ask])[] = [
    ["devflow brain decide search", ask],
    ["grep, all words", async (question) => filter((text) => wordsIn(question).every((word) => text.includes(word)))],
    [
      "grep, most words",
      async (question) => {
        const words = wordsIn(question);
        const counted = newest.map((one) => ({
          one,
          hits: words.filter((word) => texts.get(one.id)?.includes(word)).length,
        }));
        return counted
          .filter(({ hits }) => hits > 0)
          .sort((a, b) => b.hits - a.hits)
          .slice(0, 5)
          .map(({ one }) => one.id);
      },
    ],
    ["ILIKE '%question%'", async ({ text }) => filter((one) => one.includes(text.toLowerCase()))],
  ];
  const gone = new Set(corpus.flatMap(({ supersedes }) => supersedes ?? []));
  const rows: RetrievalRow[] = [];
  for (const [name, find] of contenders) {
    let [recall, precision, stale] = [0, 0, 0];
    for (const question of questions) {
      const found = (await find(question)).slice(0, 5);
      const right = found.filter((id) => question.answers.includes(id)).length;
      recall += right / Math.min(5, question.answers.length);
      precision += found.length === 0 ? 0 : right / found.length;
      stale += found.filter((id) => gone.has(id)).length;
    }
    rows.push({ name, recall: recall / questions.length, precision: precision / questions.length, stale });
  }
  return rows;
}

export function retrievalTable(rows: readonly RetrievalRow[]): string {
  const percent = (value: number) => `${(value * 100).toFixed(1)}%`;
  return [
    "| | recall at 5 | precision at 5 | superseded decisions among the answers |",
    "|---|--:|--:|--:|",
    ...rows.map(
      ({ name, recall, precision, stale }) => `| ${name} | ${percent(recall)} | ${percent(precision)} | ${stale} |`,
    ),
  ].join("\n");
}
