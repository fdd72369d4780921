/**
 * Commands that destroy work, which Devflow never runs by itself. Pure: takes words, returns the rule that forbids them.
 *
 * - `destructiveRule(argv)` the rule that this command breaks, without unwrapping wrappers such as `sudo`.
 */
import { migrationRollback } from "./migration-rollback.ts";

export interface Rule {
  readonly rule: string;
  readonly reason: string;
}

type Judge = (words: readonly string[]) => Rule | undefined;

export function destructiveRule(argv: readonly string[]): Rule | undefined {
  const [program = "", ...words] = argv;
  const name = programName(program);
  return programs[name]?.(words) ?? migrationRollback(name, words);
}

/** `/usr/bin/RM` and `rm.exe` are `rm`. */
export function programName(program: string): string {
  const last = program.split(/[/\\]/).at(-1) ?? "";
  return last.toLowerCase().replace(/\.(exe|cmd|bat)$/, "");
}

const judgeRemove: Judge = (words) => {
  const options = optionsOf(words);
  const isForced = hasLetter(options, "f") || hasLong(options, "--force", 3);
  const isRecursive = hasLetter(options, "rR") || hasLong(options, "--recursive", 3);
  if (isForced && isRecursive) return { rule: "rm -rf", reason: "it deletes folders without asking" };
  if (hasLong(options, "--no-preserve-root", 5)) return { rule: "rm -rf", reason: "it may delete the whole disk" };
  return undefined;
};

const judgeRimraf: Judge = (words) =>
  (words.some((word) => !word.startsWith("-")) && { rule: "rm -rf", reason: "rimraf deletes folders" }) || undefined;

/** Options of git itself that take the next word as their value. */
const gitValued = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"]);

export function splitGit(words: readonly string[]): { before: string[]; command: string; rest: string[] } {
  let at = 0;
  while (words[at]?.startsWith("-")) at += gitValued.has(words[at] ?? "") ? 2 : 1;
  return { before: words.slice(0, at), command: words[at] ?? "", rest: words.slice(at + 1) };
}

const judgeGit: Judge = (words) => {
  const { before, command, rest } = splitGit(words);
  if (before.some((word) => /^alias\./i.test(word.replace(/^-c/, "")))) {
    return { rule: "git alias", reason: "an alias on the command line can be any command" };
  }
  return gitCommands[command]?.(rest);
};

const gitCommands: Readonly<Record<string, Judge>> = {
  reset: (words) =>
    hasLong(optionsOf(words), "--hard", 4)
      ? { rule: "git reset --hard", reason: "it discards uncommitted work" }
      : undefined,
  clean: () => ({ rule: "git clean", reason: "it deletes uncommitted files" }),
  push: (words) => {
    const options = optionsOf(words);
    const isForced =
      hasLetter(options, "f") ||
      options.some((word) => word.startsWith("--forc")) ||
      words.some((word) => /^\+./.test(word));
    if (isForced) return { rule: "git push --force", reason: "it overwrites what others may have pushed" };
    const isDeleting =
      hasLetter(options, "d") ||
      options.some((word) => /^--(dele?|delete|mirror|prune)$/.test(word)) ||
      words.some((word) => /^:./.test(word));
    return isDeleting ? { rule: "git push --delete", reason: "it deletes branches for everyone" } : undefined;
  },
  worktree: (words) => {
    const options = optionsOf(words);
    const isForced = hasLetter(options, "f") || hasLong(options, "--force", 3);
    return words.includes("remove") && isForced
      ? { rule: "git worktree remove --force", reason: "it discards uncommitted work" }
      : undefined;
  },
  branch: (words) => {
    const options = optionsOf(words);
    const isDeleting = hasLetter(options, "d") || hasLong(options, "--delete", 5);
    const isForced = hasLetter(options, "f") || hasLong(options, "--force", 4);
    return hasLetter(options, "D") || (isDeleting && isForced)
      ? { rule: "git branch -D", reason: "it may delete commits that exist nowhere else" }
      : undefined;
  },
  "update-ref": (words) =>
    hasLetter(optionsOf(words), "d")
      ? { rule: "git branch -D", reason: "it may delete commits that exist nowhere else" }
      : undefined,
  rm: (words) => {
    const options = optionsOf(words);
    const isForced = hasLetter(options, "f") || hasLong(options, "--force", 3);
    return hasLetter(options, "r") && isForced ? { rule: "rm -rf", reason: "it deletes folders" } : undefined;
  },
};

/** Options of `docker` and `docker compose` that take the next word as their value. */
const dockerValued = new Set(
  ["-H", "-c", "-f", "-l", "-p", "--host", "--context", "--config", "--log-level", "--file", "--project-name"].concat([
    "--profile",
    "--env-file",
    "--project-directory",
    "--ansi",
    "--progress",
    "--parallel",
  ]),
);

const judgeDocker: Judge = (words) => {
  const [command, ...rest] = afterOptions(words);
  const [action, ...more] = afterOptions(rest);
  if (command === "volume" && ["rm", "remove", "prune"].includes(action ?? "")) {
    return { rule: "docker volume rm", reason: "it deletes data that no image can restore" };
  }
  if (command === "system" && action === "prune" && more.some((word) => word.startsWith("--volumes"))) {
    return { rule: "docker volume rm", reason: "it deletes data that no image can restore" };
  }
  return command === "compose" ? judgeCompose(rest) : undefined;
};

const judgeCompose: Judge = (words) => {
  const [action, ...rest] = afterOptions(words);
  const options = optionsOf(rest);
  const hasVolumes = hasLetter(options, "v") || options.some((word) => /^--vol/.test(word) && !word.endsWith("=false"));
  return action === "down" && hasVolumes
    ? { rule: "docker compose down -v", reason: "it deletes the volumes with their data" }
    : undefined;
};

function afterOptions(words: readonly string[]): string[] {
  let at = 0;
  while (words[at]?.startsWith("-")) at += dockerValued.has(words[at] ?? "") ? 2 : 1;
  return words.slice(at);
}

const programs: Readonly<Record<string, Judge>> = {
  rm: judgeRemove,
  rimraf: judgeRimraf,
  git: judgeGit,
  docker: judgeDocker,
  podman: judgeDocker,
  nerdctl: judgeDocker,
  "docker-compose": judgeCompose,
  "podman-compose": judgeCompose,
  dropdb: () => ({ rule: "drop database", reason: "it deletes a database" }),
  mysqladmin: (words) =>
    words.includes("drop") ? { rule: "drop database", reason: "it deletes a database" } : undefined,
};

/** Everything before `--` that starts with a dash. */
function optionsOf(words: readonly string[]): string[] {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? words.length : end).filter((word) => /^-./.test(word));
}

/** One of the letters in a cluster such as `-xvf`. */
function hasLetter(options: readonly string[], letters: string): boolean {
  return options.some(
    (word) => !word.startsWith("--") && [...letters].some((letter) => word.slice(1).includes(letter)),
  );
}

/** The full name, or a prefix of at least `least` characters, as programs accept it. */
function hasLong(options: readonly string[], name: string, least: number): boolean {
  return options.some(
    (word) => word.length >= least && name.startsWith(word.split("=")[0] ?? word) && word.startsWith("--"),
  );
}

const dropping = /\bdrop\s+(database|schema)\b/i;

/** Anywhere in the words, for any program; comments between the two words do not hide it. */
export function dropsDatabase(argv: readonly string[]): Rule | undefined {
  const text = argv
    .join(" ")
    .replaceAll(/\/\*.*?\*\//gs, " ")
    .replaceAll(/--[^\n]*\n/g, " ");
  const [found] = dropping.exec(text) ?? [];
  return found === undefined ? undefined : { rule: "drop database", reason: `it holds ${found.toUpperCase()}` };
}
