/**
 * Puts an agent into the sandbox. The holder stays outside; every wire starts its agent with the words that come from here.
 *
 * - `confine(root, start, env, host)` the start and the variables as the wire gets them, unchanged for an agent without a
 *   sandbox. `close` ends what the holder does for the agent outside.
 */
import { realpathSync } from "node:fs";
import type { HeldStart } from "../holder/held-start.ts";
import { makeTerminalPlace } from "../tmux/terminal-place.ts";
import { agentNeeds } from "./agent-needs.ts";
import { rulesFromVariables } from "./allowed-host.ts";
import { alwaysHidden, bwrapArguments, type Confinement, isVisible } from "./bwrap-arguments.ts";
import { startForwarder } from "./forwarder.ts";
import { otherSockets } from "./other-sockets.ts";
import { makeOwnHome } from "./own-home.ts";
import { programFolders } from "./program-folders.ts";
import { findBwrap } from "./require-sandbox.ts";
import { seatbeltArguments } from "./seatbelt-profile.ts";

type Env = Readonly<Record<string, string>>;

export interface Confined {
  readonly start: HeldStart;
  readonly env: Env;
  close(): void;
}

export async function confine(
  root: string,
  start: HeldStart,
  env: Env,
  host: { onRefused(target: string): void },
): Promise<Confined> {
  const { sandbox, command, hookCommand = [], insideCommand = [] } = start;
  if (!sandbox) return { start, env, close: () => undefined };
  const needs = agentNeeds(start.wire, start.settings?.profile);
  const home = realpathSync(env.HOME ?? "/");
  const own = makeOwnHome(root, needs, env);
  const { sockets } = makeTerminalPlace(root);
  const variables = rulesFromVariables(env);
  const forwarder = await startForwarder(sockets, {
    hosts: [...needs.hosts, ...variables.hosts, ...sandbox.hosts],
    ports: [...variables.ports, ...sandbox.ports],
    onRefused: (target) => host.onRefused(target),
  });
  const programs = [...command, ...hookCommand, ...insideCommand];
  const confinement = {
    cwd: start.cwd,
    home,
    ownHome: own.path,
    logins: own.logins,
    session: root,
    sockets,
    readable: [...sandbox.readable, ...programFolders([home, ...alwaysHidden], env.PATH ?? "", programs)],
    writable: start.writableFolders,
    hidden: sandbox.hidden,
    isRoot: process.getuid?.() === 0,
    isTerminal: start.wire.startsWith("tmux-"),
  };
  const inside = [...insideCommand, JSON.stringify(forwarder.forwards), "--"];
  const words =
    process.platform === "darwin"
      ? seatbeltArguments({ ...confinement, ports: sandbox.ports })
      : [...bwrapArguments(linuxConfinement(confinement, env)), ...inside];
  const proxy = `http://127.0.0.1:${forwarder.proxyPort}`;
  return {
    start: { ...start, command: [...words, ...command] },
    env: {
      ...env,
      ...own.variables,
      TMPDIR: "/tmp",
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      http_proxy: proxy,
      https_proxy: proxy,
      NO_PROXY: "127.0.0.1,localhost,::1",
      no_proxy: "127.0.0.1,localhost,::1",
    },
    close: () => forwarder.close(),
  };
}

function linuxConfinement(confinement: Omit<Confinement, "bwrap" | "otherSockets">, env: Env): Confinement {
  const others = otherSockets((path) => isVisible(confinement, path));
  return { ...confinement, bwrap: findBwrap(env.PATH ?? "") ?? "bwrap", otherSockets: others };
}
