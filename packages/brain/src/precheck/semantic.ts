/**
 * Merges that git does without a word and that break the code: a symbol whose signature changed on another branch is used in lines that
 * were added here.
 *
 * - `semanticConflicts(place, own, heads, symbolsOf)` TypeScript and JavaScript; bounded in branches and files.
 */
import { shortLine } from "@devflow/core/plain-text";
import { git } from "@devflow/git";
import { quoted, shellWord } from "../quoting/quoted.ts";
import type { SymbolAt } from "../symbols/index.ts";
import { readBlobs } from "./merge-trees.ts";
import type { OtherHead } from "./other-heads.ts";
import { type GitPlace, mergeBase, type OwnWork } from "./own-work.ts";
import type { Finding } from "./report.ts";

export type SymbolsOf = (path: string, text: string) => Promise<readonly SymbolAt[]>;

const isScript = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.ts$/.test(path);

const maxHeads = 12;
const maxFiles = 30;
/** Shorter names are words of everyday code; those of methods even more so. */
const shortestName = 3;
const shortestMethod = 6;

interface Changed {
  readonly head: OtherHead;
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export async function semanticConflicts(
  place: GitPlace,
  own: OwnWork,
  heads: readonly OtherHead[],
  symbolsOf: SymbolsOf,
): Promise<readonly Finding[]> {
  const scripts = [...own.added].filter(([path, lines]) => isScript(path) && lines.length > 0);
  if (scripts.length === 0) return [];
  const changed = (await Promise.all(heads.slice(0, maxHeads).map((head) => changedScripts(place, own, head)))).flat();
  const texts = await readBlobs(place, [...new Set(changed.flatMap(({ before, after }) => [before, after]))]);
  const findings: Finding[] = [];
  // The parser is loaded only when there is something to parse.
  const { changedSymbols } = await import("../symbols/index.ts");
  for (const { head, file, before, after } of changed) {
    const [then, now] = await Promise.all([
      symbolsOf(file, texts.get(before) ?? ""),
      symbolsOf(file, texts.get(after) ?? ""),
    ]);
    for (const symbol of changedSymbols(then, now)) {
      const name = usedName(symbol.name);
      if (name === undefined) continue;
      for (const [path, lines] of scripts) {
        if (path === file || !isUsed(name, lines)) continue;
        findings.push({
          kind: "semantic",
          sure: (await importsFrom(place, own, path, file)) ? "likely" : "possible",
          who: head.author,
          branch: head.name,
          intent: null,
          file: path,
          lines: [],
          what:
            symbol.after === undefined
              ? `it uses ${shortLine(symbol.name, 100)} of ${quoted(file, 200)}, which is gone there`
              : `it uses ${shortLine(symbol.name, 100)} of ${quoted(file, 200)}, which changed there from ${signature(symbol.before)} to ${signature(symbol.after)}`,
          hunks: [],
          next: `Look at it there: git show ${shellWord(`${head.name}:${file}`)}`,
        });
      }
    }
  }
  return findings;
}

const signature = (text: string): string => JSON.stringify(shortLine(text, 300));

/** Undefined for a name that says too little by itself. */
function usedName(name: string): string | undefined {
  const last = name.split(".").at(-1) ?? name;
  return last.length >= (last === name ? shortestName : shortestMethod) ? last : undefined;
}

function isUsed(name: string, lines: readonly string[]): boolean {
  const word = new RegExp(`(?<![\\w$])${name.replace(/\$/g, "\\$")}(?![\\w$])`);
  return lines.some((line) => word.test(line));
}

async function changedScripts(place: GitPlace, own: OwnWork, head: OtherHead): Promise<Changed[]> {
  const base = await mergeBase(place, own.head, head.commit);
  if (base === null) return [];
  const { stdout } = await git(["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=MD", base, head.commit], place);
  const words = stdout.split("\0");
  const changed: Changed[] = [];
  for (let at = 0; at + 1 < words.length && changed.length < maxFiles; at += 2) {
    const [, before = "", after = ""] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) /.exec(words[at] ?? "") ?? [];
    const file = words[at + 1] ?? "";
    if (isScript(file) && before !== "") changed.push({ head, file, before, after });
  }
  return changed;
}

/** By the name of the module: aliases and indexes keep it from being certain. */
async function importsFrom(place: GitPlace, { head }: OwnWork, path: string, file: string): Promise<boolean> {
  const text = (await readBlobs(place, [`${head}:${path}`])).get(`${head}:${path}`) ?? "";
  const module = (file.split("/").at(-1) ?? file).replace(/\.[cm]?[jt]sx?$/, "");
  const escaped = module.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?:from|import|require)\\b[^;\\n]*["'][^"'\\n]*${escaped}(?:\\.[cm]?[jt]sx?)?["']`).test(text);
}
