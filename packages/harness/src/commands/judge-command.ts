/**
 * Whether Devflow may run a command by itself. A guard against accidents and careless agents, based on names and patterns;
 * it is not a sandbox, and an allowed program can do anything.
 *
 * - `judgeCommand(argv, context)` pure; allowed, or the rule it breaks and why.
 *
 * It judges the command itself, the command behind wrappers (`sudo`, `env`, `xargs`, `npx`, `docker exec` …), the string of
 * `bash -c` and the like (refused if it cannot be read with certainty), and the text of `node -e` and the like.
 */
import { destructiveRule, dropsDatabase, programName, type Rule, splitGit } from "./destructive-rules.ts";
import { namedRollback } from "./migration-rollback.ts";
import { secretPath } from "./secret-paths.ts";
import { type ShellCommand, shellCommands } from "./shell-words.ts";
import { codeText, isPackageManager, isReader, isWrapper, shellString, takesStrings } from "./wrappers.ts";

export interface JudgeContext {
  readonly cwd: string;
  /** Files exempt from the secret rule, relative to `cwd` or absolute. */
  readonly allow?: readonly string[];
}

export type CommandJudgement =
  | { readonly isAllowed: true }
  | {
      readonly isAllowed: false;
      readonly kind: "destructive" | "secret" | "unreadable";
      readonly rule: string;
      readonly reason: string;
      /** The file, when it is a secret. */
      readonly path?: string;
    };

type Refusal = Extract<CommandJudgement, { isAllowed: false }>;

const deepest = 8;
const mostWords = 20_000;

export function judgeCommand(argv: readonly string[], context: JudgeContext): CommandJudgement {
  if ((argv[0] ?? "") === "") return unreadable("there is no program to run");
  if (argv.some((word) => word.includes("\0"))) return unreadable("a word contains a zero byte");
  if (argv.length > mostWords) return unreadable(`it has more than ${mostWords} words`);
  const rule = dropsDatabase(argv);
  return (rule && destructive(rule)) ?? judge(argv, context, 0) ?? { isAllowed: true };
}

function judge(argv: readonly string[], context: JudgeContext, depth: number): Refusal | undefined {
  if (depth > deepest) return unreadable("commands are nested too deeply");
  const rule = destructiveRule(argv) ?? namedRollback(argv);
  if (rule) return destructive(rule);
  return judgeInner(argv, context, depth) ?? judgePaths(argv, context);
}

/** The commands that this command makes another program run. */
function judgeInner(argv: readonly string[], context: JudgeContext, depth: number): Refusal | undefined {
  const own = judgeText(argv, context, depth);
  if (own || !isWrapper(argv)) return own;
  // Only the wrapper knows where its own options end, so every later word is tried as the program. That also covers nested
  // wrappers, without judging anything twice.
  const readsStrings = argv.some((_, at) => takesStrings(argv.slice(at)));
  const judged = new Set([shellString(argv), codeText(argv)]);
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (judged.has(word)) continue;
    const inner = argv.slice(at);
    const rule = destructiveRule(inner);
    if (rule) return destructive(rule);
    const ofReader = isReader(programName(word)) ? judgePaths(inner, context) : undefined;
    const refusal = ofReader ?? judgeText(inner, context, depth);
    if (refusal) return refusal;
    judged.add(shellString(inner)).add(codeText(inner));
    const inString = /\s/.test(word) ? judgeShell(word, context, depth + 1) : undefined;
    if (inString && (inString.kind !== "unreadable" || readsStrings)) return inString;
  }
  return undefined;
}

/** The string of a shell, the text of an interpreter. */
function judgeText(argv: readonly string[], context: JudgeContext, depth: number): Refusal | undefined {
  const string = shellString(argv);
  if (string !== undefined) return judgeShell(string, context, depth);
  const code = codeText(argv);
  return code === undefined ? undefined : judgeCode(code, context, depth);
}

function judgeShell(text: string, context: JudgeContext, depth: number): Refusal | undefined {
  const commands = shellCommands(text);
  if (!commands) return unreadable("its shell string cannot be read with certainty");
  return firstOf(commands, (command) => judgeSimple(command, context, depth));
}

function judgeSimple({ words, redirects }: ShellCommand, context: JudgeContext, depth: number): Refusal | undefined {
  const inRedirects = firstOf(redirects, (word) => secretIn(word, { ...context, isReader: true }));
  if (inRedirects || words.length === 0) return inRedirects;
  const [first = ""] = words;
  if (first === "eval") return judgeShell(words.slice(1).join(" "), context, depth + 1);
  if (first === "source" || first === ".") {
    return firstOf(words.slice(1), (word) => secretIn(word, { ...context, isReader: true }));
  }
  return judge(words, context, depth + 1);
}

/** The text of a program is not parsed: its words are tried one after the other, its literals as paths. */
function judgeCode(text: string, context: JudgeContext, depth: number): Refusal | undefined {
  const words = text.split(/[^\w\-./:=+@~]+/).filter(Boolean);
  for (let at = 0; at < words.length; at++) {
    const rule = destructiveRule(words.slice(at, at + 12));
    if (rule) return destructive(rule);
  }
  const literals = [...text.matchAll(/'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  return firstOf(literals, (literal) => {
    const path = secretIn(literal, context);
    if (path) return path;
    const shell = /\s/.test(literal) ? judgeShell(literal, context, depth + 1) : undefined;
    return shell?.kind === "unreadable" ? undefined : shell;
  });
}

function judgePaths(argv: readonly string[], context: JudgeContext): Refusal | undefined {
  const [program = "", ...words] = argv;
  const name = programName(program);
  const { command, rest } = name === "git" ? splitGit(words) : { command: "", rest: words };
  const end = rest.indexOf("--");
  const code = codeText(argv);
  return firstOf(rest, (word, index) => {
    // Already judged as text: `process.env.TOKEN` is not a file.
    if (word === code) return undefined;
    // A filter such as `.token` is not a file, nor is a package such as `@scope/token`.
    if (/^(jq|yq|gojq)$/.test(name) && /^\.(?!env)[\w.[\]]*$/.test(word)) return undefined;
    if (isPackageManager(name) && /^@[\w.~-]+\/[\w.~-]+(@[\w.^~-]+)?$/.test(word)) return undefined;
    // A message is prose, not a path.
    if (name === "git" && /^(-m|--message)$/.test(rest[index - 1] ?? "")) return undefined;
    const isPathOnly = /^(add|rm|mv|hash-object|check-ignore)$/.test(command) || (end >= 0 && index > end);
    const hasRevisions = name === "git" && !isPathOnly;
    return secretIn(word, { ...context, isReader: isReader(name) && !word.startsWith("-"), hasRevisions });
  });
}

function secretIn(
  word: string,
  context: JudgeContext & { readonly isReader?: boolean; readonly hasRevisions?: boolean },
): Refusal | undefined {
  const path = secretPath(word, { ...context, allow: context.allow ?? [] });
  if (path === undefined) return undefined;
  return { isAllowed: false, kind: "secret", rule: "secret file", reason: `${path} may contain secrets`, path };
}

function firstOf<T>(items: readonly T[], look: (item: T, index: number) => Refusal | undefined): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    const found = look(item, index);
    if (found) return found;
  }
  return undefined;
}

function destructive({ rule, reason }: Rule): Refusal {
  return { isAllowed: false, kind: "destructive", rule, reason };
}

function unreadable(reason: string): Refusal {
  return { isAllowed: false, kind: "unreadable", rule: "unreadable", reason };
}
