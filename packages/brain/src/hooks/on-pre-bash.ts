/** Before a shell command: the worktree as it is now, and the precheck when the command pushes. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { sha1 } from "@devflow/core/sha1";
import { saveState, takeState } from "../edits/index.ts";
import { findPushes } from "../pushes/index.ts";
import { agentOf } from "./hook-agent.ts";
import type { HookEvent } from "./hook-event.ts";
import type { HookAnswer, HookPorts } from "./hook-ports.ts";

export const isShell = (tool: string): boolean =>
  /^(?:Bash|shell|exec_command|local_shell|run_shell_command|bash)$/.test(tool);

/** One per call, since an agent may run several commands at once. */
export function stateFile(home: string, { host, session, tool }: HookEvent): string {
  const name = sha1(Buffer.from([host, session, tool?.call ?? ""].join("\n")));
  return join(home, "hooks", "worktrees", Buffer.from(name).toString("hex"));
}

export async function beforeBash(event: HookEvent, ports: HookPorts): Promise<HookAnswer | undefined> {
  const place = await ports.place(event.cwd);
  if (!place) return undefined;
  if (place.team && place.settings.does("edits")) {
    saveState(stateFile(ports.home, event), takeState(place.checkout, ports.now()));
  }
  const command = commandOf(event);
  if (command === undefined || !place.settings.does("precheck")) return undefined;
  const folder = await pushedFrom(command, event.cwd, ports);
  if (folder === undefined) return undefined;
  const found = await ports.precheck(folder, place.team && agentOf(event, place.team).id);
  return found === undefined ? undefined : { ask: found };
}

function commandOf({ tool }: HookEvent): string | undefined {
  const given = tool?.input.command ?? tool?.input.cmd;
  if (typeof given === "string") return given;
  // Codex: the words of a program.
  return Array.isArray(given) ? given.map((word) => `'${String(word).replaceAll("'", "'\\''")}'`).join(" ") : undefined;
}

/** Aliases are asked for only when a word that is no command of git's is there. */
async function pushedFrom(command: string, cwd: string, ports: HookPorts): Promise<string | undefined> {
  const plain = findPushes(command, {});
  const aliases = plain.unknown.length > 0 ? await ports.aliases(cwd) : {};
  const { pushes } = plain.unknown.length > 0 ? findPushes(command, aliases) : plain;
  const push = pushes.find(({ isHarmless }) => !isHarmless);
  if (!push) return undefined;
  const folder = resolve(cwd, push.folder);
  return existsSync(folder) ? folder : cwd;
}
