/**
 * The permissions that an agent in a terminal waits for. Its hook waits as long as nobody has answered.
 *
 * - `ask(hook)` tells the host, or allows at once what the repository's settings allow.
 * - `answer(id, answer)` lets the hook go on; nothing happens if it was answered at the terminal.
 * - `forget()` the turn is over: whatever still waits gets no answer.
 */
import type { PermissionAnswer } from "../adapter.ts";
import { describeTool } from "../claude/describe-tool.ts";
import type { WireHost } from "../holder/wire.ts";
import type { Hook } from "./hook-socket.ts";

export interface TerminalPermissions {
  /** Whether the agent waits for an answer: it may show a dialog then. */
  readonly isWaiting: boolean;
  ask(hook: Hook): void;
  answer(permissionId: string, answer: PermissionAnswer): void;
  forget(): void;
}

export function terminalPermissions(host: WireHost): TerminalPermissions {
  const waiting = new Map<string, Hook>();
  return {
    get isWaiting() {
      return waiting.size > 0;
    },
    ask(hook) {
      const tool = String(hook.input.tool_name ?? "a tool");
      const input = (hook.input.tool_input ?? {}) as Record<string, unknown>;
      if (tool === "Bash" && host.start.launch.allowedCommands.includes(String(input.command)))
        return hook.answer(hookOutput("allow"));
      waiting.set(hook.id, hook);
      hook.onGone(() => {
        // Answered at the terminal.
        if (waiting.delete(hook.id)) host.permissionGone(hook.id);
      });
      host.permission({ permissionId: hook.id, tool, ...describeTool(tool, input, host.start.cwd) });
    },
    answer(permissionId, answer) {
      const hook = waiting.get(permissionId);
      waiting.delete(permissionId);
      hook?.answer(hookOutput(answer));
    },
    forget() {
      for (const [id, hook] of waiting) {
        hook.answer();
        host.permissionGone(id);
      }
      waiting.clear();
    },
  };
}

function hookOutput(answer: PermissionAnswer): object {
  const decision =
    answer === "allow"
      ? { behavior: "allow" }
      : { behavior: "deny", message: "A person denied this. Do not try it in another way." };
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}
