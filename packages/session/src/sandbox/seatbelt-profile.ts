/**
 * The same for macOS, as a profile of `sandbox-exec`. Pure. Written after Apple's format, and not tried on a Mac.
 *
 * - `seatbeltArguments(confinement)` the words before an agent's command.
 *
 * Without namespaces the agent keeps the person's paths: its home is the person's, of which it sees only its own parts.
 */
import type { Confinement } from "./bwrap-arguments.ts";

export interface SeatbeltConfinement extends Omit<Confinement, "bwrap" | "otherSockets"> {
  /** Where the holder's forwarder listens on this machine. */
  readonly ports: readonly number[];
}

export function seatbeltArguments(confinement: SeatbeltConfinement): string[] {
  return ["/usr/bin/sandbox-exec", "-p", seatbeltProfile(confinement), "--"];
}

function seatbeltProfile(confinement: SeatbeltConfinement): string {
  const { cwd, home, ownHome, logins, session, sockets, readable, writable, hidden, ports } = confinement;
  const paths = (rule: string, all: readonly string[]) =>
    all.length === 0 ? [] : [`(${rule} ${all.map((path) => `(subpath ${quoted(path)})`).join(" ")})`];
  const written = [cwd, ownHome, ...writable];
  return [
    "(version 1)",
    "(allow default)",
    ...paths("deny file-read* file-write*", [home, "/tmp", "/private/tmp", "/private/var/folders", ...hidden]),
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys"))',
    ...paths("allow file-read*", [...readable, session, sockets, ...written]),
    ...paths("allow file-write*", written),
    ...logins.map(({ file }) => `(allow file-read* file-write* (literal ${quoted(file)}))`),
    `(deny file-write* (literal ${quoted(`${cwd}/.git`)}))`,
    "(deny network*)",
    `(allow network-outbound (subpath ${quoted(sockets)}))`,
    ...ports.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow signal (target children))",
  ].join("\n");
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
