/**
 * What Codex asks for, in words.
 *
 * - `describeApproval` what a person is asked, and what allowing it for a whole run would cover; undefined for requests
 *   that nobody can answer here.
 * - `isAllowedCommand` whether the repository's settings allow it: the very command, in the worktree.
 * - `approvalAnswer` Codex's form of an answer. A denial lets the turn go on; `cancel` would end it.
 */
import type { PermissionAnswer } from "../adapter.ts";
import type { Params } from "./codex-server.ts";
import { isInside } from "./is-inside.ts";
import { shellCommand } from "./shell-command.ts";

export interface DescribedApproval {
  readonly tool: string;
  readonly detail: string;
  readonly covers?: string;
}

const command = "item/commandExecution/requestApproval";
const fileChange = "item/fileChange/requestApproval";
const permissions = "item/permissions/requestApproval";

export function describeApproval(
  method: string,
  params: Params,
  cwd: string,
  changedPaths: readonly string[],
): DescribedApproval | undefined {
  switch (method) {
    case command:
      return describeCommand(params, cwd);
    case fileChange: {
      const isInWorktree = changedPaths.length > 0 && changedPaths.every((path) => isInside(path, cwd));
      const detail = changedPaths.join(", ") || "unknown files";
      return { tool: "File change", detail, ...(isInWorktree ? { covers: "File change in the worktree" } : {}) };
    }
    case permissions:
      return { tool: "Permissions", detail: JSON.stringify(params.permissions) };
    default:
      return undefined;
  }
}

export function isAllowedCommand(method: string, params: Params, cwd: string, allowed: readonly string[]): boolean {
  const asked = plainCommand(method, params, cwd);
  return asked !== undefined && allowed.includes(asked);
}

export function approvalAnswer(method: string, params: Params, answer: PermissionAnswer): object {
  if (method !== permissions) return { decision: answer === "allow" ? "accept" : "decline" };
  return { permissions: answer === "allow" ? params.permissions : {}, scope: "turn" };
}

function describeCommand(params: Params, cwd: string): DescribedApproval {
  const host = (params.networkApprovalContext as { host?: string } | null | undefined)?.host;
  if (host !== undefined) return { tool: "Network", detail: host, covers: `Network: ${host}` };
  const plain = plainCommand(command, params, cwd);
  if (plain !== undefined) return { tool: "Command", detail: plain, covers: `Command: ${plain}` };
  const place = params.cwd === undefined || params.cwd === cwd ? "" : ` (in ${params.cwd})`;
  const line = String(params.command ?? "");
  const what = params.kind === "writeStdin" ? `Input for a running command: ${line}` : line;
  return { tool: "Command", detail: `${what}${place}` };
}

/** A new command in an ordinary shell at the top of the worktree; anything else is asked for each time. */
function plainCommand(method: string, params: Params, cwd: string): string | undefined {
  if (method !== command || params.networkApprovalContext || params.cwd !== cwd) return undefined;
  if (params.kind !== undefined && params.kind !== "command") return undefined;
  return shellCommand(String(params.command ?? ""));
}
