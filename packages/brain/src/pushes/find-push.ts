/**
 * Whether a shell command pushes to a git remote, however it is written: `git -C x push`, an alias, a chain, behind `env`, `sudo` or
 * `timeout`, in a subshell, in `bash -c`.
 *
 * - `findPushes(command, aliases)` each push, with its folder relative to the one that the command starts in; and the words after `git`
 *   that may be aliases, so that the caller can ask for them.
 *
 * It is a question and no guard: a command that hides from it (`$X push`) is not found.
 */
import { shellCommands } from "./shell-commands.ts";

export interface Push {
  readonly folder: string;
  /** The words behind `push`. */
  readonly words: readonly string[];
  /** It changes no branch of the remote's: a dry run, a deletion. */
  readonly isHarmless: boolean;
}

type Aliases = Readonly<Record<string, string>>;

interface Search {
  readonly pushes: Push[];
  readonly unknown: string[];
}

const maxDepth = 8;

export function findPushes(command: string, aliases: Aliases): Search {
  const search: Search = { pushes: [], unknown: [] };
  searchText(command, ".", { aliases, search, depth: 0 });
  return search;
}

interface Around {
  readonly aliases: Aliases;
  readonly search: Search;
  readonly depth: number;
}

function searchText(text: string, folder: string, around: Around): void {
  if (around.depth > maxDepth) return;
  const folders = [folder];
  for (const { words, input, depth } of shellCommands(text)) {
    folders.length = Math.min(folders.length, depth + 1);
    while (folders.length <= depth) folders.push(folders.at(-1) ?? folder);
    const here = folders[depth] ?? folder;
    if (words[0] === "cd" || words[0] === "pushd") folders[depth] = inside(here, words.at(-1) ?? ".");
    else searchCommand(words, input, here, { ...around, depth: around.depth + 1 });
  }
}

const shells = new Set(["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"]);

/** Programs that run another, and which of their options take a word; `skip` is how many words come before the program. */
const runners: Readonly<Record<string, { readonly takes: string; readonly skip?: number }>> = {
  sudo: { takes: "ugpChTrtDR" },
  doas: { takes: "uC" },
  env: { takes: "uCS" },
  command: { takes: "" },
  builtin: { takes: "" },
  exec: { takes: "a" },
  nohup: { takes: "" },
  setsid: { takes: "" },
  nice: { takes: "n" },
  ionice: { takes: "cnp" },
  stdbuf: { takes: "ioe" },
  time: { takes: "fo" },
  timeout: { takes: "ks", skip: 1 },
  xargs: { takes: "IEnPLsdRJ" },
  watch: { takes: "n" },
  flock: { takes: "wE", skip: 1 },
  chronic: { takes: "" },
  unbuffer: { takes: "" },
  caffeinate: { takes: "tw" },
};

function searchCommand(words: readonly string[], input: string | undefined, folder: string, around: Around): void {
  const name = (words[0] ?? "").split("/").at(-1) ?? "";
  const rest = words.slice(1);
  if (around.depth > maxDepth) return;
  if (name === "git") searchGit(rest, folder, around);
  else if (name === "git-push") around.search.pushes.push(pushOf(rest, folder));
  else if (name === "eval" || name === "trap") searchText(rest.join(" "), folder, around);
  else if (shells.has(name)) searchShell(rest, input, folder, around);
  else if (name === "find") searchFind(rest, folder, around);
  else if (Object.hasOwn(runners, name)) searchRunner(name, rest, folder, around);
}

function searchRunner(name: string, rest: readonly string[], folder: string, around: Around): void {
  const runner = runners[name];
  if (!runner) return;
  let first = 0;
  let at = folder;
  while (first < rest.length) {
    const word = rest[first] ?? "";
    if (word === "--") {
      first += 1;
      break;
    }
    if (!word.startsWith("-") && !/^\w+=/.test(word)) break;
    const takesNext = /^-\w$/.test(word) && runner.takes.includes(word[1] ?? "");
    if (word === "-C" && name === "env") at = inside(folder, rest[first + 1] ?? ".");
    // `env -S "git push"` has the command in one word.
    if (word === "-S" && name === "env") searchText(rest[first + 1] ?? "", folder, around);
    first += takesNext ? 2 : 1;
  }
  searchCommand(rest.slice(first + (runner.skip ?? 0)), undefined, at, { ...around, depth: around.depth + 1 });
}

function searchShell(words: readonly string[], input: string | undefined, folder: string, around: Around): void {
  const at = words.findIndex((word) => /^-\w*c\w*$/.test(word));
  const script = at < 0 ? input : words[at + 1];
  if (script !== undefined) searchText(script, folder, around);
}

function searchFind(words: readonly string[], folder: string, around: Around): void {
  for (const [at, word] of words.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) continue;
    searchCommand(words.slice(at + 1), undefined, folder, { ...around, depth: around.depth + 1 });
  }
}

/** Options of git itself that take the next word. */
const takesWord = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"]);

function searchGit(words: readonly string[], folder: string, around: Around): void {
  let at = folder;
  const aliases: Record<string, string> = { ...around.aliases };
  let first = 0;
  while (first < words.length && words[first]?.startsWith("-")) {
    const word = words[first] ?? "";
    const next = words[first + 1] ?? "";
    if (word === "-C") at = inside(at, next);
    if (word === "--work-tree") at = inside(at, next);
    const [, name, value] = (word === "-c" && /^alias\.([^=]+)=([\s\S]*)$/i.exec(next)) || [];
    if (name !== undefined && value !== undefined) aliases[name.toLowerCase()] = value;
    first += takesWord.has(word) ? 2 : 1;
  }
  const command = words[first];
  const rest = words.slice(first + 1);
  if (command === undefined) return;
  const isPush = command === "push" || (command === "subtree" && rest.includes("push"));
  if (isPush) around.search.pushes.push(pushOf(rest, at));
  else if (command === "submodule") searchForeach(rest, at, around);
  else if (!isOwnCommand(command)) searchAlias(command, rest, at, { ...around, aliases });
}

function searchAlias(command: string, rest: readonly string[], at: string, around: Around): void {
  const { aliases } = around;
  const alias = Object.hasOwn(aliases, command.toLowerCase()) ? aliases[command.toLowerCase()] : undefined;
  if (alias === undefined) around.search.unknown.push(command);
  const inner = { ...around, depth: around.depth + 1 };
  if (alias === undefined || inner.depth > maxDepth) return;
  const [first = { words: [] }] = shellCommands(alias);
  if (alias.startsWith("!")) searchText(`${alias.slice(1)} ${rest.join(" ")}`, at, inner);
  else searchGit([...first.words, ...rest], at, inner);
}

/** `git submodule foreach 'git push'`. */
function searchForeach(words: readonly string[], folder: string, around: Around): void {
  const at = words.indexOf("foreach");
  if (at < 0) return;
  const rest = words.slice(at + 1).filter((word) => word !== "--recursive");
  searchText(rest.join(" "), folder, { ...around, depth: around.depth + 1 });
}

function pushOf(words: readonly string[], folder: string): Push {
  const isShort = (letter: string) => words.some((word) => /^-[a-z]+$/i.test(word) && word.includes(letter));
  const isHarmless =
    words.some((word) => ["--dry-run", "--delete", "--help"].includes(word)) || isShort("n") || isShort("d");
  return { folder, words, isHarmless };
}

/** A folder that depends on a variable is not known; the one before it is the best guess. */
function inside(folder: string, next: string): string {
  if (next.includes("$") || next === "-" || next.startsWith("~")) return folder;
  if (next.startsWith("/")) return next;
  return folder === "." ? next : `${folder}/${next}`;
}

const own = new Set(
  (
    "add am apply archive bisect blame branch bundle cat-file check-ignore check-ref-format checkout cherry cherry-pick clean clone " +
    "commit commit-tree config count-objects describe diff diff-files diff-index diff-tree difftool fetch for-each-ref format-patch " +
    "fsck gc grep hash-object help init log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mergetool mv " +
    "name-rev notes pack-refs pull range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse " +
    "revert rm shortlog show show-branch show-ref sparse-checkout stash status switch symbolic-ref tag update-index update-ref var " +
    "version whatchanged worktree write-tree"
  ).split(" "),
);
/** Git lets nobody give these another meaning. */
const isOwnCommand = (word: string): boolean => own.has(word);
