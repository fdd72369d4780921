/**
 * A tool call for which an agent asks permission, in words and with the files it touches.
 *
 * - `toolName(call)` which tool; `pathsOf(call, cwd)` the files it names.
 * - `describeRequest(call, paths, cwd)` what a person is asked, and what allowing it for a whole run would cover.
 * - `isAllowedAtOnce(call, paths, start, readable)` what nobody needs to be asked: edits where the session may write, reads
 *   where it may read, commands that the repository allows.
 */
import { isAbsolute, resolve } from "node:path";
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { HeldStart } from "../holder/held-start.ts";
import { isInside } from "./inside-folders.ts";

export interface DescribedRequest {
  readonly tool: string;
  readonly detail: string;
  readonly covers?: string;
}

/** Agents name the members of their tools' input in different ways. */
const pathMembers = ["path", "file_path", "filePath", "filepath", "fileName", "file", "absolute_path"];

export function describeRequest(call: ToolCallUpdate, paths: readonly string[], cwd: string): DescribedRequest {
  const tool = toolName(call);
  const command = commandOf(call);
  if (command !== undefined) return { tool, detail: command, covers: `${tool}: ${command}` };
  if (paths.length === 0) return { tool, detail: call.title ?? JSON.stringify(call.rawInput ?? {}) };
  const isInWorktree = paths.every((path) => isInside(path, [cwd]));
  const detail = paths.join(", ");
  return { tool, detail, covers: isInWorktree ? `${tool} in the worktree` : `${tool}: ${detail}` };
}

export function isAllowedAtOnce(
  call: ToolCallUpdate,
  paths: readonly string[],
  start: HeldStart,
  readable: readonly string[],
): boolean {
  const { cwd, writableFolders, launch } = start;
  if (call.kind === "execute") return launch.allowedCommands.includes(commandOf(call) ?? "");
  if (paths.length === 0) return false;
  if (call.kind === "read" || call.kind === "search") return paths.every((path) => isInside(path, readable));
  const writable = launch.mayEdit ? [...writableFolders, cwd] : writableFolders;
  return call.kind === "edit" && paths.every((path) => isInside(path, writable) && !isGitsOwn(path));
}

/** Wherever the call names them: a permission for some of its files is not one for all. */
export function pathsOf({ locations, content, rawInput }: ToolCallUpdate, cwd: string): string[] {
  const input = (typeof rawInput === "object" && rawInput !== null ? rawInput : {}) as Record<string, unknown>;
  const named = [
    ...(locations ?? []).map(({ path }) => path),
    ...(content ?? []).flatMap((one) => (one.type === "diff" ? [one.path] : [])),
    ...pathMembers.flatMap((name) => (typeof input[name] === "string" ? [input[name]] : [])),
  ];
  return [...new Set(named.map((path) => (isAbsolute(path) ? resolve(path) : resolve(cwd, path))))];
}

/** What git runs or obeys is not part of the work. */
const isGitsOwn = (path: string): boolean => path.split("/").includes(".git");

function commandOf({ kind, rawInput }: ToolCallUpdate): string | undefined {
  const { command } = (rawInput ?? {}) as { command?: unknown };
  if (kind !== "execute") return undefined;
  if (Array.isArray(command)) return command.join(" ");
  return typeof command === "string" ? command : undefined;
}

export function toolName({ name, kind, _meta }: ToolCallUpdate): string {
  const told = name ?? _meta?.toolName;
  return typeof told === "string" ? told : (kind ?? "tool");
}
