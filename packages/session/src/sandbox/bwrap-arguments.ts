/**
 * The words before an agent's command that start it in bubblewrap. Pure.
 *
 * - `isVisible(confinement, path)` whether what is at this path can be seen inside, and is not the agent's own.
 * - `bwrapArguments(confinement)` the disk is read-only; the home, temporary folders and everything hidden are empty; what it
 *   may use is put back, and only its worktree, its artifacts, its own home and its login can be written to. It has no
 *   network but the ports that `sandbox-inside` opens, sees no other process, and takes its children along when it ends.
 *
 * Mounts count in their order: what comes later covers what came before. Of two folders, one inside the other, the inner one
 * comes later: a hidden folder in a readable one is hidden, a readable one in a hidden one can be read.
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
export const alwaysHidden = ["/tmp", "/var/tmp", "/run", "/var/lib"];
/** What compilers and interpreters of Debian keep there. */
const libraries = ["/var/lib/gems", "/var/lib/ghc"];

/**
 * A shell that waits for bubblewrap. Bubblewrap dies with the thread that started it, and a holder's threads come and go;
 * a shell has one. It leaves a request to end to the agent, which needs a moment to store its session.
 */
const keeper = ["/bin/sh", "-c", 'trap "" TERM; "$@"', "sandbox"];

export function isVisible(confinement: Omit<Confinement, "bwrap" | "otherSockets">, path: string): boolean {
  const { cwd, sockets, writable } = confinement;
  const own = [cwd, sockets, ...writable];
  if (own.some((folder) => path === folder || path.startsWith(`${folder}/`))) return false;
  return !closestAround(path, viewOfDisk(confinement))?.hides;
}

export function bwrapArguments(confinement: Confinement): string[] {
  const { bwrap, cwd, home, ownHome, logins, session, sockets, writable, otherSockets, isRoot, isTerminal } =
    confinement;
  const pairs = (option: string, paths: readonly string[]) => paths.flatMap((path) => [option, path, path]);
  return [
    ...keeper,
    bwrap,
    ...["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"],
    ...(isRoot ? ["--uid", "1000", "--gid", "1000"] : []),
    ...(isTerminal ? [] : ["--new-session"]),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...viewOfDisk(confinement).flatMap(({ words }) => words),
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

interface Mount {
  readonly path: string;
  readonly hides: boolean;
  readonly words: readonly string[];
}

type View = Pick<Confinement, "home" | "ownHome" | "readable" | "hidden">;

function viewOfDisk({ home, ownHome, readable, hidden }: View): Mount[] {
  const own: Mount = { path: home, hides: true, words: ["--bind", ownHome, home] };
  const hiding = [...alwaysHidden, ...hidden].map((path) => ({ path, hides: true, words: ["--tmpfs", path] }));
  const shown = [...libraries, ...readable].map((path) => ({
    path,
    hides: false,
    words: ["--ro-bind-try", path, path],
  }));
  const all = [...new Map([...hiding, own, ...shown].map((mount) => [mount.path, mount])).values()].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
  // What is inside a hidden folder is gone with it; a mount there would only give its name away.
  return all.filter((mount) => mount === own || !mount.hides || !closestAround(mount.path, all)?.hides);
}

/** In the order of their paths the closest of the folders around one is the last of them. */
const closestAround = (path: string, all: readonly Mount[]): Mount | undefined =>
  all.findLast((other) => other.path !== path && path.startsWith(other.path === "/" ? "/" : `${other.path}/`));
