/**
 * The words before an agent's command that start it in bubblewrap. Pure.
 *
 * - `isVisible(confinement, path)` whether what is at this path can be seen inside, and is not the agent's own.
 * - `bwrapArguments(confinement)` the disk is read-only; the home, temporary folders and everything hidden are empty; what it
 *   may use is put back, and only its worktree, its artifacts, its own home and its login can be written to. It has no
 *   network but the ports that `sandbox-inside` opens, sees no other process, and takes its children along when it ends.
 *
 * Mounts count in their order: what comes later covers what came before.
 */
import { join } from "node:path";

export interface Confinement {
  readonly bwrap: string;
  readonly cwd: string;
  /** The person's home, which the agent's own one replaces. */
  readonly home: string;
  /** The agent's own home. */
  readonly ownHome: string;
  /** Files of the person that it may change, and where it expects them in its own home. */
  readonly logins: readonly { readonly file: string; readonly name: string }[];
  /** The session's folder: prompts and settings that it reads. */
  readonly session: string;
  /** With the sockets through which it reaches the holder, and nothing else. */
  readonly sockets: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
  /** Of other programs, in visible places. */
  readonly otherSockets: readonly string[];
  /** The person is root. Inside, the agent is not: a sandbox of its own, such as that of Codex, could not start there. */
  readonly isRoot: boolean;
  /** In a terminal: it keeps it. Behind pipes there is none to keep. */
  readonly isTerminal: boolean;
}

/** Sockets and data of other programs are there, of databases too, and files of other sessions. */
const alwaysHidden = ["/tmp", "/var/tmp", "/run", "/var/lib"];
/** What compilers and interpreters of Debian keep there. */
const libraries = ["/var/lib/gems", "/var/lib/ghc"];

/**
 * A shell that waits for bubblewrap. Bubblewrap dies with the thread that started it, and a holder's threads come and go;
 * a shell has one. It leaves a request to end to the agent, which needs a moment to store its session.
 */
const keeper = ["/bin/sh", "-c", 'trap "" TERM; "$@"', "sandbox"];

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

export function isVisible(
  { cwd, home, sockets, readable, writable, hidden }: Omit<Confinement, "bwrap" | "otherSockets">,
  path: string,
): boolean {
  const isIn = (folders: readonly string[]) => folders.some((folder) => isBelow(path, folder));
  if (isIn([cwd, sockets, ...writable])) return false;
  return isIn(readable) || !isIn([home, ...alwaysHidden, ...hidden]);
}

export function bwrapArguments(confinement: Confinement): string[] {
  const {
    bwrap,
    cwd,
    home,
    ownHome,
    logins,
    session,
    sockets,
    readable,
    writable,
    hidden,
    otherSockets,
    isRoot,
    isTerminal,
  } = confinement;
  // What is below another hidden folder is gone with it.
  const covered = [...new Set([...alwaysHidden, ...hidden])]
    .filter((path) => !isBelow(path, home))
    .filter((path, _, all) => !all.some((other) => other !== path && isBelow(path, other)))
    .sort();
  const pairs = (option: string, paths: readonly string[]) => paths.flatMap((path) => [option, path, path]);
  return [
    ...keeper,
    bwrap,
    ...["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"],
    ...(isRoot ? ["--uid", "1000", "--gid", "1000"] : []),
    ...(isTerminal ? [] : ["--new-session"]),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...covered.flatMap((path) => ["--tmpfs", path]),
    ...pairs("--ro-bind-try", libraries),
    ...["--bind", ownHome, home],
    ...pairs("--ro-bind-try", readable),
    ...pairs("--ro-bind", [session, sockets]),
    ...pairs("--bind", [ownHome]),
    ...logins.flatMap(({ file, name }) => [ownHome, home].flatMap((at) => ["--bind-try", file, join(at, name)])),
    ...pairs("--bind", [cwd, ...writable]),
    // Even a read-only disk lets an agent connect to them.
    ...otherSockets.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    // It names the repository that belongs to the worktree.
    ...pairs("--ro-bind-try", [join(cwd, ".git")]),
    ...["--chdir", cwd, "--"],
  ];
}
