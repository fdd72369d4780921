/**
 * What an agent tells a hook, in one form for all hosts. Hosts that use Claude Code's names for hooks and their members need nothing of
 * their own here.
 *
 * - `readHookEvent(host, moment, text)` undefined for what is no event: wrong JSON, no session, no folder.
 * - `hookMoments` the moments that a host can call us at.
 */
import { isAbsolute } from "node:path";

export const hookMoments = [
  "session-start",
  "prompt",
  "pre-bash",
  "pre-edit",
  "post-tool",
  "stop",
  "session-end",
  "self-test",
] as const;
export type HookMoment = (typeof hookMoments)[number];

export interface HookTool {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly response: unknown;
  /** The call, so that what is taken before it is found after it. */
  readonly call: string;
}

export interface HookEvent {
  readonly host: string;
  readonly moment: HookMoment;
  /** The host's own id. */
  readonly session: string;
  readonly cwd: string;
  readonly model?: string;
  readonly tool?: HookTool;
  readonly prompt?: string;
  readonly source?: string;
  readonly lastMessage?: string;
}

export function readHookEvent(host: string, moment: HookMoment, text: string): HookEvent | undefined {
  const given = objectOf(parse(text));
  const session = textOf(given.session_id);
  const cwd = textOf(given.cwd);
  if (session === undefined || cwd === undefined || !isAbsolute(cwd)) return undefined;
  const model = textOf(given.model);
  const prompt = textOf(given.prompt);
  const source = textOf(given.source);
  const lastMessage = textOf(given.last_assistant_message);
  const tool = toolOf(given);
  return {
    ...{ host, moment, session, cwd },
    ...(model ? { model } : {}),
    ...(tool ? { tool } : {}),
    ...(prompt ? { prompt } : {}),
    ...(source ? { source } : {}),
    ...(lastMessage ? { lastMessage } : {}),
  };
}

function toolOf(given: Readonly<Record<string, unknown>>): HookTool | undefined {
  const name = textOf(given.tool_name);
  if (name === undefined) return undefined;
  const call = textOf(given.tool_use_id) ?? "call";
  return { name, input: objectOf(given.tool_input), response: given.tool_response, call };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
