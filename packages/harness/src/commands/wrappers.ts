/**
 * Programs that run other programs, and where the other program is in their words.
 *
 * - `isWrapper(argv)` one of the later words may be a program.
 * - `takesStrings(argv)` one of them may be a whole shell string.
 * - `shellString(argv)` the string of `bash -c` and the like.
 * - `codeText(argv)` the program text of `node -e` and the like.
 * - `isReader(name)` every plain word is a file; `isPackageManager(name)` words may be packages.
 */
import { programName, splitGit } from "./destructive-rules.ts";

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const shells = set("sh bash zsh dash ash ksh mksh fish rbash");
const wrappers = set(`
  sudo doas su env nice ionice nohup time timeout gtimeout stdbuf setsid setpriv runuser chroot unshare nsenter taskset
  xargs parallel find fd watch flock script strace ltrace command exec builtin busybox toybox caffeinate
  ssh tmux screen direnv dotenv dotenvx cross-env doppler op mise asdf nix-shell shx exec-once chronic
  bundle poetry pipenv pdm hatch rye uv uvx pipx conda npx bunx pnpx tsx ts-node php ruby perl
`);
const interpreters = set("node bun deno python python2 python3 py php ruby perl tsx ts-node");
const stringTakers = set(
  "env su script watch flock parallel ssh npx npm pnpm yarn xargs runuser nix-shell tmux screen",
);
const packageManagers = set("npm pnpm yarn bun npx bunx pnpx");
const readers = set(
  "cat less more head tail tac nl bat cp mv ln rm scp rsync tar zip gzip base64 xxd od hexdump strings shred tee dd source vi vim nano",
);
const gitWrappers = set("submodule bisect rebase filter-branch for-each-repo");
const dockerWrappers = set("exec run compose");
/** Their words are packages to add or inspect, not programs to run. */
const packageWords = set(`
  add install i ci remove rm uninstall un update up upgrade why info view show outdated audit publish pack link unlink
  ls list search dedupe prune cache config version login logout pm create init patch store import rebuild fund
`);

export function isWrapper(argv: readonly string[]): boolean {
  const [program = "", ...words] = argv;
  const name = programName(program);
  if (name === "git") return gitWrappers.has(splitGit(words).command);
  if (name === "docker" || name === "podman" || name === "nerdctl" || name === "docker-compose") {
    return words.some((word) => dockerWrappers.has(word));
  }
  if (name === "kubectl") return words.includes("exec");
  if (name === "npm" || name === "pnpm" || name === "yarn") {
    return !packageWords.has(words.find((word) => !word.startsWith("-")) ?? "");
  }
  if (name === "bun") return !packageWords.has(words.find((word) => !word.startsWith("-")) ?? "");
  return wrappers.has(name) || interpreters.has(name) || shells.has(name) || /^python\d/.test(name);
}

export function takesStrings(argv: readonly string[]): boolean {
  const name = programName(argv[0] ?? "");
  // Package runners only when they are told to run one.
  if (packageManagers.has(name))
    return argv.some((word) => word === "-c" || word === "--call" || word === "--shell-mode");
  if (name === "env") return argv.some((word) => /^(-\w*S|--split-string)/.test(word));
  return stringTakers.has(name);
}

export function shellString(argv: readonly string[]): string | undefined {
  if (!shells.has(programName(argv[0] ?? ""))) return undefined;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") return undefined;
    if (/^[-+][oO]$/.test(word) || /^--(rcfile|init-file)$/.test(word)) at += 1;
    else if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(word)) return firstOperand(argv.slice(at + 1)) ?? "";
    else if (!/^[-+]/.test(word)) return undefined;
  }
  return undefined;
}

/** Options may be between `-c` and its string. */
function firstOperand(words: readonly string[]): string | undefined {
  return words.find(
    (word, index) => !/^[-+]\w/.test(word) && !/^[-+][oO]$/.test(words[index - 1] ?? "") && word !== "--",
  );
}

export function codeText(argv: readonly string[]): string | undefined {
  const name = programName(argv[0] ?? "");
  if (!interpreters.has(name) && !/^python\d/.test(name)) return undefined;
  const flag = /^py/.test(name) ? /^-\w*c$/ : name === "php" ? /^(-r|--run)$/ : /^(-\w*[ep]|--eval|--print|eval)$/;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (!word.startsWith("-") && word !== "eval") return undefined;
    if (flag.test(word)) return argv[at + 1] ?? "";
    const [, attached] = /^--(?:eval|print)=(.*)$/s.exec(word) ?? [];
    if (attached !== undefined) return attached;
  }
  return undefined;
}

export function isReader(name: string): boolean {
  return readers.has(name);
}

export function isPackageManager(name: string): boolean {
  return packageManagers.has(name);
}
