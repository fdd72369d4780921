import { expect, test } from "bun:test";
import { bwrapArguments, type Confinement, isVisible } from "./bwrap-arguments.ts";
import { seatbeltArguments } from "./seatbelt-profile.ts";

const confinement: Confinement = {
  bwrap: "/usr/bin/bwrap",
  cwd: "/home/ada/.devflow/workspaces/run/main",
  home: "/home/ada",
  ownHome: "/home/ada/.devflow/workspaces/run/sessions/s/home",
  logins: [{ file: "/home/ada/.claude/.credentials.json", name: ".claude/.credentials.json" }],
  session: "/home/ada/.devflow/workspaces/run/sessions/s",
  sockets: "/tmp/devflow-1000/0123456789abcdef",
  readable: ["/home/ada/shop/.git", "/home/ada/.nvm/versions/node/v24"],
  writable: ["/home/ada/.devflow/workspaces/run/artifacts"],
  hidden: ["/home/ada/.devflow", "/srv/workspaces", "/var/lib/devflow-1"],
  otherSockets: ["/srv/docker.sock"],
  isRoot: false,
  isTerminal: false,
};

test("the words before the agent's command", () => {
  expect(bwrapArguments(confinement).join(" ").replaceAll(/ --/g, "\n--")).toMatchInlineSnapshot(`
    "/bin/sh -c trap "" TERM; "$@" sandbox /usr/bin/bwrap
    --unshare-all
    --die-with-parent
    --cap-drop ALL
    --new-session
    --ro-bind / /
    --dev /dev
    --proc /proc
    --bind /home/ada/.devflow/workspaces/run/sessions/s/home /home/ada
    --ro-bind-try /home/ada/.nvm/versions/node/v24 /home/ada/.nvm/versions/node/v24
    --ro-bind-try /home/ada/shop/.git /home/ada/shop/.git
    --tmpfs /run
    --tmpfs /srv/workspaces
    --tmpfs /tmp
    --tmpfs /var/lib
    --ro-bind-try /var/lib/gems /var/lib/gems
    --ro-bind-try /var/lib/ghc /var/lib/ghc
    --tmpfs /var/tmp
    --ro-bind /home/ada/.devflow/workspaces/run/sessions/s /home/ada/.devflow/workspaces/run/sessions/s
    --ro-bind /tmp/devflow-1000/0123456789abcdef /tmp/devflow-1000/0123456789abcdef
    --bind /home/ada/.devflow/workspaces/run/sessions/s/home /home/ada/.devflow/workspaces/run/sessions/s/home
    --bind-try /home/ada/.claude/.credentials.json /home/ada/.devflow/workspaces/run/sessions/s/home/.claude/.credentials.json
    --bind-try /home/ada/.claude/.credentials.json /home/ada/.claude/.credentials.json
    --bind /home/ada/.devflow/workspaces/run/main /home/ada/.devflow/workspaces/run/main
    --bind /home/ada/.devflow/workspaces/run/artifacts /home/ada/.devflow/workspaces/run/artifacts
    --ro-bind /dev/null /srv/docker.sock
    --ro-bind-try /home/ada/.devflow/workspaces/run/main/.git /home/ada/.devflow/workspaces/run/main/.git
    --chdir /home/ada/.devflow/workspaces/run/main
    --"
  `);
});

test("inside, root is an ordinary user", () => {
  expect(bwrapArguments(confinement)).not.toContain("--uid");
  expect(bwrapArguments({ ...confinement, isRoot: true }).join(" ")).toContain("--uid 1000 --gid 1000");
});

test("an agent in a terminal keeps it", () => {
  expect(bwrapArguments(confinement)).toContain("--new-session");
  expect(bwrapArguments({ ...confinement, isTerminal: true })).not.toContain("--new-session");
});

test("nothing that can be written covers what is read-only inside it", () => {
  const words = bwrapArguments(confinement);
  const at = (option: string, path: string) =>
    words.findIndex((word, index) => word === option && words[index + 2] === path);
  expect(at("--ro-bind-try", `${confinement.cwd}/.git`)).toBeGreaterThan(at("--bind", confinement.cwd));
  expect(at("--bind", confinement.ownHome)).toBeGreaterThan(at("--ro-bind", confinement.session));
  expect(at("--ro-bind", "/")).toBeLessThan(words.indexOf("--tmpfs"));
});

test.each([
  ["on the disk", "/srv/docker.sock", true],
  ["in a folder that it may read", "/home/ada/shop/.git/fsmonitor--daemon.ipc", true],
  ["in the home", "/home/ada/.docker/run/docker.sock", false],
  ["in a temporary folder", "/tmp/tmux-1000/default", false],
  ["in a hidden folder", "/srv/workspaces/other/a.sock", false],
  ["of its own worktree", `${confinement.cwd}/dev.sock`, false],
  ["of its holder", `${confinement.sockets}/proxy`, false],
])("a socket %s", (_where, path, isThere) => {
  expect(isVisible(confinement, path)).toBe(isThere);
});

test("the same as a profile for macOS", () => {
  const { bwrap: _, otherSockets: __, ...rest } = confinement;
  expect(seatbeltArguments({ ...rest, ports: [4000] }).join("\n")).toMatchInlineSnapshot(`
    "/usr/bin/sandbox-exec
    -p
    (version 1)
    (allow default)
    (deny file-read* file-write* (subpath "/home/ada") (subpath "/tmp") (subpath "/private/tmp") (subpath "/private/var/folders") (subpath "/home/ada/.devflow") (subpath "/srv/workspaces") (subpath "/var/lib/devflow-1"))
    (deny file-write*)
    (allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys"))
    (allow file-read* (subpath "/home/ada/shop/.git") (subpath "/home/ada/.nvm/versions/node/v24") (subpath "/home/ada/.devflow/workspaces/run/sessions/s") (subpath "/tmp/devflow-1000/0123456789abcdef") (subpath "/home/ada/.devflow/workspaces/run/main") (subpath "/home/ada/.devflow/workspaces/run/sessions/s/home") (subpath "/home/ada/.devflow/workspaces/run/artifacts"))
    (allow file-write* (subpath "/home/ada/.devflow/workspaces/run/main") (subpath "/home/ada/.devflow/workspaces/run/sessions/s/home") (subpath "/home/ada/.devflow/workspaces/run/artifacts"))
    (allow file-read* file-write* (literal "/home/ada/.claude/.credentials.json"))
    (deny file-write* (literal "/home/ada/.devflow/workspaces/run/main/.git"))
    (deny network*)
    (allow network-outbound (subpath "/tmp/devflow-1000/0123456789abcdef"))
    (allow network-outbound (remote ip "localhost:4000"))
    (deny process-info* (target others))
    (deny signal (target others))
    (allow signal (target children))
    --"
  `);
});
