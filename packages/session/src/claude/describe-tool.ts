/** A tool call of Claude Code in words: what a person is asked, and what allowing it for a whole run would cover. */
import { isAbsolute, relative } from "node:path";

export interface DescribedTool {
  readonly detail: string;
  readonly covers?: string;
}

export function describeTool(tool: string, input: Readonly<Record<string, unknown>>, cwd: string): DescribedTool {
  const text = (name: string): string | undefined => (typeof input[name] === "string" ? input[name] : undefined);
  const command = text("command");
  if (tool === "Bash" && command !== undefined) return { detail: command, covers: `Bash: ${command}` };
  const path = text("file_path") ?? text("notebook_path") ?? text("path");
  if (path !== undefined) return { detail: path, covers: placeOf(tool, path, cwd) };
  const url = text("url");
  if (url !== undefined) return { detail: url, covers: `${tool}: ${hostOf(url)}` };
  return { detail: JSON.stringify(input) };
}

/** Files of the worktree are one permission; any other file is one of its own. */
function placeOf(tool: string, path: string, cwd: string): string {
  const inside = relative(cwd, path);
  const isInside = !inside.startsWith("..") && !isAbsolute(inside);
  return isInside ? `${tool} in the worktree` : `${tool}: ${path}`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
