/**
 * What a command that somebody else ran would have destroyed. For a look back, where nothing can be refused any more: every
 * violation is told, and a command that cannot be read with certainty is searched for violations word by word.
 *
 * - `auditCommand(text, cwd)` pure; the rules that a shell string breaks, each once, with how grave it is.
 */
import { isAbsolute, relative, resolve, sep } from "node:path";
import { destructiveRule, dropsDatabase, programName, type Rule } from "./destructive-rules.ts";
import { namedRollback } from "./migration-rollback.ts";
import { shellCommands } from "./shell-words.ts";
import { codeText, isWrapper, shellString } from "./wrappers.ts";

/** `low`: only files below the folder in which it ran. `medium`: uncommitted work there. `high`: anything else. */
export type AuditSeverity = "low" | "medium" | "high";

export interface AuditedRule extends Rule {
  readonly severity: AuditSeverity;
}

const deepest = 8;

export function auditCommand(text: string, cwd: string): AuditedRule[] {
  const found = rulesIn(text, cwd, 0);
  const worst = new Map<string, AuditedRule>();
  for (const one of found) {
    const before = worst.get(one.rule);
    if (!before || grave(one) > grave(before)) worst.set(one.rule, one);
  }
  return [...worst.values()];
}

const grave = ({ severity }: AuditedRule): number => ["low", "medium", "high"].indexOf(severity);

function rulesIn(text: string, cwd: string, depth: number): AuditedRule[] {
  if (depth > deepest) return [];
  const commands = shellCommands(text);
  if (!commands) return rulesInWords(text, cwd);
  return commands.flatMap(({ words }) => rulesOf(words, cwd, depth));
}

function rulesOf(words: readonly string[], cwd: string, depth: number): AuditedRule[] {
  const inner = shellString(words) ?? (words[0] === "eval" ? words.slice(1).join(" ") : undefined);
  if (inner !== undefined) return rulesIn(inner, cwd, depth + 1);
  const code = codeText(words);
  if (code !== undefined) return rulesInWords(code, cwd);
  const own = destructiveRule(words) ?? namedRollback(words) ?? dropsDatabase(words);
  if (own) return [graded(own, words, cwd)];
  if (!isWrapper(words)) return [];
  // Only the wrapper knows where its own options end, so every later word is tried as the program.
  for (let at = 1; at < words.length; at++) {
    const found = rulesOf(words.slice(at), cwd, deepest);
    if (found.length > 0) return found;
  }
  return [];
}

/** A text that is not understood: its words are tried one after the other. */
function rulesInWords(text: string, cwd: string): AuditedRule[] {
  const words = text.split(/[^\w\-./:=+@~*]+/).filter(Boolean);
  const dropped = dropsDatabase([text]);
  const found = words.flatMap((_, at) => {
    const rest = words.slice(at, at + 12);
    const rule = destructiveRule(rest);
    // Where the command ends is not known, so its targets are not either.
    return rule ? [graded(rule, [rest[0] ?? "", "/"], cwd)] : [];
  });
  return [...found, ...(dropped ? [graded(dropped, [], cwd)] : [])];
}

/** Discards uncommitted work, but only of the worktree it runs in. */
const ofWorktree = new Set(["git reset --hard", "git clean"]);

function graded(rule: Rule, words: readonly string[], cwd: string): AuditedRule {
  if (ofWorktree.has(rule.rule)) {
    const isElsewhere = words.some((word) => word === "-C" || /^--(git-dir|work-tree)/.test(word));
    return { ...rule, severity: isElsewhere ? "high" : "medium" };
  }
  const isRemoval = rule.rule === "rm -rf" && programName(words[0] ?? "") !== "git";
  return { ...rule, severity: isRemoval && words.slice(1).every((word) => isBelow(word, cwd)) ? "low" : "high" };
}

/** An option, or a path below the folder: not the folder itself, nothing that the shell fills in. */
function isBelow(word: string, cwd: string): boolean {
  if (word.startsWith("-")) return true;
  // `*` alone is everything in the folder.
  if (/^~|[$`]|^(\.\/)?\*$/.test(word)) return false;
  const inside = relative(cwd, resolve(cwd, word.replace(/[*?[].*$/, "x")));
  return (
    inside !== "" &&
    inside !== ".." &&
    !inside.startsWith(`..${sep}`) &&
    !isAbsolute(inside) &&
    !/^\.git(\/|$)/.test(inside)
  );
}
