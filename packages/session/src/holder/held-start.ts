/** What a holder finds in `start.json`: which agent, how to launch it, and where it works. No value of a variable. */
import type { LaunchOptions, StartInput } from "../adapter.ts";
import type { SandboxRules } from "../sandbox/sandbox-rules.ts";

export interface HeldStart {
  readonly sessionId: string;
  readonly runId: string;
  readonly roleId: string;
  /** Which wire the holder uses. */
  readonly wire: string;
  /** The agent's program and its first arguments. */
  readonly command: readonly string[];
  /** What the wire needs to know about this backend, such as its ACP profile. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** For agents in a terminal: the program of their hooks, see `runHook`. The socket is appended. */
  readonly hookCommand?: readonly string[] | undefined;
  /** For agents in the sandbox: the program that starts them there, see `runInside`. */
  readonly insideCommand?: readonly string[] | undefined;
  readonly sandbox?: SandboxRules | undefined;
  readonly cwd: string;
  readonly writableFolders: readonly string[];
  readonly launch: LaunchOptions;
  readonly prelude: string;
}

export function heldStart(
  { sessionId, runId, roleId, cwd, writableFolders, sandbox, launch, prelude }: StartInput,
  program: Pick<HeldStart, "wire" | "command" | "settings" | "hookCommand" | "insideCommand">,
): HeldStart {
  return { sessionId, runId, roleId, ...program, cwd, writableFolders, sandbox, launch, prelude };
}
