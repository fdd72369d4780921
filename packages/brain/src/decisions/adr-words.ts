/**
 * The words of ADRs in the languages that teams write them in.
 *
 * - `stateOf(text)` the state that a status line names, undefined when it names none.
 * - `sectionOf(heading)` which part of a decision a heading opens.
 * - `statusHeading`, `isStatusKey(word)`, `isDateKey(word)`, `isTagKey(word)`.
 */
import type { Decision } from "../records/index.ts";

type State = Decision["state"];

/** In order: `superseded by` and `not accepted` must be found before `accepted`. */
const states: readonly (readonly [RegExp, State])[] = [
  [
    /supers?[ec]+ded|replaced|ersetzt|abgel[oö]st|remplac[ée]|reempla[zc]ad|sustituid|substitu[ií]d|sostituit|vervangen|已取代|被取代|取代|置き換え|置換|廃止/i,
    "superseded",
  ],
  [/reject|declin|abgelehnt|verworfen|rejet[ée]|rechazad|rejeitad|rifiutat|afgewezen|拒绝|已拒绝|却下/i, "rejected"],
  [/deprecat|obsolete|veraltet|obsol[eè]t|déprécié|obsoleto|verouderd|已弃用|废弃|非推奨/i, "expired"],
  [
    /propos|draft|pending|in progress|rfc|vorgeschlagen|entwurf|propos[ée]|brouillon|propuest|borrador|propost|rascunho|voorgesteld|提议|提案|草案|建议/i,
    "proposed",
  ],
  [
    /accept|approved|decided|done|implemented|adopted|angenommen|akzeptiert|beschlossen|accept[ée]|adopt[ée]|valid[ée]|acept|aprobad|aceit|aprovad|accettat|approvat|geaccepteerd|goedgekeurd|已接受|接受|已采纳|通过|承認|採用|決定/i,
    "accepted",
  ],
];

export function stateOf(text: string): State | undefined {
  return states.find(([pattern]) => pattern.test(text))?.[1];
}

const status = /^(?:status|statut|estado|estatus|situa[çc][aã]o|stato|状态|ステータス|状況)$/i;
const sections: readonly (readonly [RegExp, "status" | "context" | "alternatives"])[] = [
  [status, "status"],
  [
    /context|problem statement|kontext|ausgangslage|problemstellung|contexte|probl[eè]me|contexto|problema|contesto|背景|上下文|コンテキスト|文脈/i,
    "context",
  ],
  [
    /considered options|alternatives?|options considered|pros and cons|alternativen|betrachtete|optionen|options envisag|alternativas|opciones|op[çc][oõ]es|alternative considerate|备选|方案|選択肢|代替案/i,
    "alternatives",
  ],
];

export function sectionOf(heading: string): "status" | "context" | "alternatives" | "decision" {
  const plain = heading.trim();
  return sections.find(([pattern]) => pattern.test(plain))?.[1] ?? "decision";
}

export const isStatusKey = (word: string): boolean => status.test(word.trim());
export const isDateKey = (word: string): boolean => /^(?:date|datum|fecha|data|日期|日付)$/i.test(word.trim());
export const isTagKey = (word: string): boolean =>
  /^(?:tags?|labels?|etiquetas|mots-cl[ée]s|schlagworte|标签|タグ)$/i.test(word.trim());
