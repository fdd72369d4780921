/**
 * A folder of ADRs as decisions.
 *
 * - `importAdrs(files, about)` pure: a payload for each ADR that was read, and a report of what was not, and of what is doubtful: missing
 *   states, numbers that two files share, links that lead nowhere.
 *
 * A decision's id comes from the team, the repository and the file's path: importing again finds the same decisions.
 */
import { uuidv5 } from "@devflow/core/ids";
import type { Decision } from "../records/index.ts";
import { type Adr, readAdr } from "./read-adr.ts";

export interface AdrFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  /** Undefined: it could not be read, for the reason in `problem`. */
  readonly text?: string;
  readonly problem?: string;
}

export interface ImportedAdrs {
  readonly decisions: readonly Decision[];
  readonly unread: readonly { readonly path: string; readonly problem: string }[];
  readonly doubts: readonly { readonly path: string; readonly doubt: string }[];
}

const namespace = "2b8e0f6e-4f0a-5c6f-9a53-0d1b9b7f0c11";
/** Files of such folders that are no ADRs. */
const others = /^(?:readme|index|template|.*[-_]template|adr-template.*|changelog|contributing)\.md$/i;

export const isAdrName = (name: string): boolean => /\.(?:md|markdown)$/i.test(name) && !others.test(name);

export function importAdrs(
  files: readonly AdrFile[],
  {
    team,
    repo,
    knownFiles,
  }: { readonly team: string; readonly repo: string; readonly knownFiles: ReadonlySet<string> },
): ImportedAdrs {
  const unread: { path: string; problem: string }[] = [];
  const doubts: { path: string; doubt: string }[] = [];
  const adrs: Adr[] = [];
  for (const { path, text, problem } of files) {
    const read = text === undefined ? { problem: problem ?? "it cannot be read" } : readAdr(path, text);
    if ("adr" in read) adrs.push(read.adr);
    else unread.push({ path, problem: read.problem });
  }
  const idOf = (path: string) => uuidv5(namespace, `${team}\n${repo}\n${path}`);
  const byName = new Map(adrs.map((adr) => [nameOf(adr.path).toLowerCase(), adr]));
  for (const [number, own] of Map.groupBy(adrs, (adr) => adr.number)) {
    if (number === null || own.length < 2) continue;
    for (const { path } of own) {
      const rest = own.filter((one) => one.path !== path).map((one) => nameOf(one.path));
      doubts.push({ path, doubt: `it shares the number ${number} with ${rest.join(", ")}` });
    }
  }
  const find = (name: string, path: string): Adr | undefined => {
    const direct = byName.get(name.toLowerCase()) ?? byName.get(`${name.toLowerCase()}.md`);
    const numbered = /^\d+$/.test(name) ? adrs.filter((adr) => adr.number === Number(name)) : [];
    const found = direct ?? (numbered.length === 1 ? numbered[0] : undefined);
    if (!found) doubts.push({ path, doubt: `it refers to ${name}, which is not among the imported files` });
    return found?.path === path ? undefined : found;
  };
  const replaces = new Map<string, string>();
  const replaced = new Set<string>();
  for (const adr of adrs) {
    for (const name of adr.supersedes) {
      const old = find(name, adr.path);
      if (!old) continue;
      replaced.add(old.path);
      if (!replaces.has(adr.path)) replaces.set(adr.path, old.path);
    }
    for (const name of adr.supersededBy) {
      const next = find(name, adr.path);
      replaced.add(adr.path);
      if (next && !replaces.has(next.path)) replaces.set(next.path, adr.path);
    }
  }
  const decisions = adrs.map((adr): Decision => {
    if (adr.state === undefined && !replaced.has(adr.path))
      doubts.push({ path: adr.path, doubt: "it has no status that was understood; it is taken as proposed" });
    const old = replaces.get(adr.path);
    return {
      ...{ decision_id: idOf(adr.path), rev: 1, type: "decision", title: adr.title, body: adr.body },
      ...(adr.context === "" ? {} : { context: adr.context }),
      ...(adr.alternatives === "" ? {} : { alternatives: adr.alternatives }),
      ...{ files: mentionedFiles(adr, knownFiles), features: [...adr.tags] },
      state: replaced.has(adr.path) ? "superseded" : (adr.state ?? "proposed"),
      ...(old === undefined ? {} : { supersedes: idOf(old) }),
      source: { file: adr.path, number: adr.number, ...(adr.date === undefined ? {} : { date: adr.date }) },
    };
  });
  return { decisions, unread, doubts };
}

/** Paths in backticks or links that are files of the repository. */
function mentionedFiles({ body, context, alternatives }: Adr, known: ReadonlySet<string>): string[] {
  const text = `${body}\n${context}\n${alternatives}`;
  const named = [...text.matchAll(/`([^`\s]{3,300})`|\]\((?:\.{0,2}\/)*([^)\s#]{3,300})/g)].map(
    ([, code, link]) => code ?? link ?? "",
  );
  return [...new Set(named.map((path) => path.replace(/^\.?\//, "")).filter((path) => known.has(path)))].slice(0, 50);
}

const nameOf = (path: string): string => path.replace(/^.*\//, "");
