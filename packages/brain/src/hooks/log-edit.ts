/**
 * Edits as records.
 *
 * - `editsOfTool(tool, cwd)` which files a tool of an agent changed, and where; undefined for tools that change none.
 * - `logEdits(ports, event, edits)` one record per file, each in the repository that the file is in.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { headCommit } from "@devflow/git/checkout";
import { fileHash, type LineRange, linesOfPatch, linesOfText } from "../edits/index.ts";
import type { AgentEdit } from "../records/index.ts";
import { agentOf } from "./hook-agent.ts";
import type { HookEvent, HookTool } from "./hook-event.ts";
import type { HookPlace, HookPorts } from "./hook-ports.ts";
import { patchedFiles } from "./patched-files.ts";
import { note, readNotes } from "./session-notes.ts";

export interface ToolEdit {
  /** Absolute. */
  readonly path: string;
  readonly lines: readonly LineRange[];
  readonly hash?: string;
  readonly via: "edit" | "bash";
  /** HEAD before it, where it is not the present one. */
  readonly commit?: string | null;
  /** Relative to the repository, as `path` is not. */
  readonly from?: string;
  readonly isGone?: boolean;
}

const maxContent = 5_000_000;
/** A generator may write thousands; these are the ones that are recorded. */
export const maxEdits = 100;

export function editsOfTool(tool: HookTool, cwd: string): ToolEdit[] | undefined {
  if (tool.name === "apply_patch") {
    const patch = textOf(tool.input.command) ?? textOf(tool.input.input) ?? textOf(tool.input.patch) ?? "";
    return patchedFiles(patch).map(({ path, part, isGone }) => {
      const absolute = absolutePath(path, cwd);
      return { path: absolute, lines: isGone ? [] : linesIn(absolute, part), via: "edit", isGone };
    });
  }
  if (!/^(?:Edit|MultiEdit|Write|NotebookEdit|edit|write_file|create)$/.test(tool.name)) return undefined;
  const path = textOf(tool.input.file_path) ?? textOf(tool.input.notebook_path) ?? textOf(tool.input.path);
  if (path === undefined) return undefined;
  const absolute = absolutePath(path, cwd);
  const reported = linesOfPatch((tool.response as { structuredPatch?: unknown } | null | undefined)?.structuredPatch);
  const lines = reported.length > 0 ? reported : linesIn(absolute, textOf(tool.input.new_string));
  return [{ path: absolute, lines, via: "edit" }];
}

export async function logEdits(ports: HookPorts, event: HookEvent, edits: readonly ToolEdit[]): Promise<void> {
  for (const edit of edits.slice(0, maxEdits)) {
    const path = realPath(edit.path);
    const place = await ports.place(dirname(path));
    if (!place?.team || !place.settings.does("edits")) continue;
    const file = insidePath(place, path);
    if (file === undefined || place.settings.ignores(file)) continue;
    const agent = agentOf(event, place.team);
    const { intent, prompt } = readNotes(ports.home, agent.id);
    const hash = edit.isGone ? undefined : (edit.hash ?? fileHash(path));
    const payload: AgentEdit & { from?: string; gone?: true } = {
      agent,
      file,
      tool: (event.tool?.name ?? "unknown").slice(0, 100),
      lines: edit.lines.map(([first, last]): [number, number] => [first, last]),
      branch: place.checkout.branch ?? null,
      commit: edit.commit === undefined ? (headCommit(place.checkout) ?? null) : edit.commit,
      ...(hash === undefined ? {} : { hash_after: hash }),
      ...(intent ? { intent_id: intent.id } : {}),
      via: edit.via,
      ...(prompt ? { prompt } : {}),
      ...(edit.from === undefined ? {} : { from: edit.from }),
      ...(edit.isGone ? { gone: true } : {}),
    };
    await ports.spool(place.team, { kind: "agent_edit", agent: agent.id, payload });
    note(ports.home, agent.id, { is: "edit", file, ...(hash === undefined ? {} : { hash }) });
  }
}

/** Relative to the repository; undefined for a file outside it or inside `.git`. */
export function insidePath({ checkout }: HookPlace, path: string): string | undefined {
  const inside = relative(realPath(checkout.root), path).split(sep).join("/");
  const isInside = inside !== "" && !isAbsolute(inside) && !/^\.\.(?:\/|$)/.test(inside);
  return isInside && !/^\.git(?:\/|$)/.test(inside) ? inside : undefined;
}

export function absolutePath(path: string, cwd: string): string {
  return isAbsolute(path) ? path : join(cwd, path);
}

/** The folder's real path, and the file's own name: the file may be a link, or gone. */
export function realPath(path: string): string {
  for (
    let folder = dirname(path), rest = basename(path);
    ;
    rest = join(basename(folder), rest), folder = dirname(folder)
  ) {
    try {
      return join(realpathSync(folder), rest);
    } catch {
      if (folder === dirname(folder)) return path;
    }
  }
}

/** Where the text stands in the file; all of it without one. */
export function linesIn(path: string, part?: string): LineRange[] {
  try {
    return statSync(path).size > maxContent ? [] : linesOfText(readFileSync(path, "utf8"), part);
  } catch {
    return [];
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
