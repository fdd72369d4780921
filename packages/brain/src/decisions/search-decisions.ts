/**
 * Search among the decisions of this machine's cache, by the server's rules in small: rare words count more than common ones, titles
 * more than texts, and what no longer holds is left out.
 *
 * - `searchDecisions(decisions, query, scope)` best first, each with its reasons.
 */
import type { FoundDecision } from "@devflow/protocol";
import type { LocalDecision } from "./fold-decisions.ts";

export interface SearchScope {
  readonly files?: readonly string[];
  readonly features?: readonly string[];
  readonly types?: readonly string[];
  /** Also what was replaced, refused or is over. */
  readonly all?: boolean;
  readonly limit: number;
}

const parts = [
  { name: "title", weight: 1, of: (one: LocalDecision) => one.title },
  { name: "features", weight: 0.7, of: (one: LocalDecision) => one.features.join(" ") },
  {
    name: "text",
    weight: 0.35,
    of: (one: LocalDecision) => [one.body, one.context, one.alternatives].filter(Boolean).join(" "),
  },
  { name: "path", weight: 0.15, of: (one: LocalDecision) => one.files.join(" ") },
] as const;
const partWords = { title: "in the title", features: "in its features", text: "in the text", path: "in a path" };

export function searchDecisions(
  decisions: readonly LocalDecision[],
  query: string,
  { files = [], features = [], types, all = false, limit }: SearchScope,
): FoundDecision[] {
  const words = [...new Set(wordsOf(query))];
  const indexed = decisions.map((one) => ({ one, sets: parts.map(({ of }) => new Set(wordsOf(of(one)))) }));
  const weights = new Map(
    words.map((word) => {
      const having = indexed.filter(({ sets }) => sets.some((set) => set.has(word))).length;
      return [word, Math.log((decisions.length + 1) / (having + 0.5)) + 0.1];
    }),
  );
  const byId = new Map(decisions.map((one) => [one.id, one]));
  const found = new Map<string, FoundDecision>();
  for (const { one, sets } of indexed) {
    if (types && !types.includes(one.type)) continue;
    const reasons: string[] = [];
    let score = 0;
    const counted = new Set<string>();
    parts.forEach((part, at) => {
      const own = words.filter((word) => sets[at]?.has(word));
      if (own.length > 0) reasons.push(`${partWords[part.name]}: ${own.join(", ")}`);
      for (const word of own) {
        if (!counted.has(word)) score += (weights.get(word) ?? 0) * part.weight;
        counted.add(word);
      }
    });
    if (one.files.some((file) => files.includes(file))) {
      score += 6;
      reasons.push("is about a file in question");
    }
    if (one.features.some((feature) => features.includes(feature))) {
      score += 3;
      reasons.push("is about a feature in question");
    }
    if (score <= 0) continue;
    const current = all ? one : currentOf(one, byId);
    if (!current) continue;
    if (current !== one) reasons.push(`replaces ${one.title}`);
    const before = found.get(current.id);
    if (!before || before.score < score) found.set(current.id, { ...rowOf(current), score, reasons });
  }
  return [...found.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}

/** What holds in its place; undefined when nothing does. */
function currentOf(one: LocalDecision, byId: ReadonlyMap<string, LocalDecision>): LocalDecision | undefined {
  let now: LocalDecision | undefined = one;
  for (let steps = 0; now?.state === "superseded" && steps < 20; steps++) now = byId.get(now.superseded_by ?? "");
  return now && (now.state === "accepted" || now.state === "proposed") ? now : undefined;
}

function rowOf({ body: _body, context: _context, alternatives: _alternatives, ...row }: LocalDecision) {
  return row;
}

const common = new Set(
  "a an and are as at be by do does for from how in is it of on or our that the this to we what when where which who why with".split(
    " ",
  ),
);

/** Words as they are looked up: identifiers and paths split, endings cut. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !common.has(word))
    .map((word) => word.replace(/(?:ies|es|s|ing|ed)$/, (end) => (word.length - end.length >= 3 ? "" : end)));
}
