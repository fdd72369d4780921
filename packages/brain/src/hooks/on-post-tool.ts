/** After a tool: what it changed is logged, what it read is noted. */
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { changedSince, fileHash, type LineRange, linesOfDiff, loadState } from "../edits/index.ts";
import { agentOf, showPresence } from "./hook-agent.ts";
import type { HookEvent } from "./hook-event.ts";
import type { HookPlace, HookPorts } from "./hook-ports.ts";
import {
  absolutePath,
  editsOfTool,
  insidePath,
  linesIn,
  logEdits,
  maxEdits,
  realPath,
  type ToolEdit,
} from "./log-edit.ts";
import { isShell, stateFile } from "./on-pre-bash.ts";
import { note, readNotes } from "./session-notes.ts";

export async function afterTool(event: HookEvent, ports: HookPorts): Promise<undefined> {
  const { tool } = event;
  if (!tool) return undefined;
  if (/^(?:Read|read_file|view)$/.test(tool.name)) return await noteRead(event, ports);
  const edits = isShell(tool.name) ? await editsOfShell(event, ports) : (editsOfTool(tool, event.cwd) ?? []);
  await logEdits(ports, event, edits);
  const place = await ports.place(event.cwd);
  if (place?.team)
    await showPresence(ports, place, place.team, { agent: agentOf(event, place.team), state: "working" });
  return undefined;
}

async function noteRead({ tool, cwd, ...event }: HookEvent, ports: HookPorts): Promise<undefined> {
  const given = tool?.input.file_path ?? tool?.input.path ?? tool?.input.absolute_path;
  if (typeof given !== "string") return undefined;
  const path = realPath(absolutePath(given, cwd));
  const place = await ports.place(dirname(path));
  const file = place && insidePath(place, path);
  if (!place?.team || file === undefined || !place.settings.does("reads") || place.settings.ignores(file))
    return undefined;
  const hash = fileHash(path);
  if (hash !== undefined) note(ports.home, agentOf({ ...event, cwd }, place.team).id, { is: "read", file, hash });
  return undefined;
}

async function editsOfShell(event: HookEvent, ports: HookPorts): Promise<ToolEdit[]> {
  const place = await ports.place(event.cwd);
  if (!place?.team || !place.settings.does("edits")) return [];
  const file = stateFile(ports.home, event);
  const before = loadState(file);
  rmSync(file, { force: true });
  if (!before) return [];
  const { hashes: known } = readNotes(ports.home, agentOf(event, place.team).id);
  const changed = (await changedSince(place.checkout, before, { signal: ports.signal, known })) ?? [];
  const own = changed.filter(({ path }) => !place.settings.ignores(path)).slice(0, maxEdits);
  const lines = await linesOf(
    place,
    before.head,
    own.map(({ path }) => path),
    ports.signal,
  );
  return own.map(({ path, hash, isGone, from }) => ({
    path: `${place.checkout.root}/${path}`,
    lines: isGone ? [] : (lines.get(path) ?? linesIn(`${place.checkout.root}/${path}`)),
    via: "bash",
    commit: before.head,
    isGone,
    ...(hash === undefined ? {} : { hash }),
    ...(from === undefined ? {} : { from }),
  }));
}

/** Against the commit before the command, so that what it committed counts too. */
async function linesOf(
  { checkout }: HookPlace,
  head: string | null,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LineRange[]>> {
  if (head === null || paths.length === 0) return new Map();
  const { git } = await import("@devflow/git");
  const { stdout } = await git(["diff", "--no-color", "--unified=0", "--no-renames"], {
    cwd: checkout.root,
    revisions: [head],
    paths,
    signal,
    maxOutput: 8_000_000,
  });
  return linesOfDiff(stdout);
}
