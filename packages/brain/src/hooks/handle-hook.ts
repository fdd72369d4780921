/**
 * What Devflow does at each moment of an agent's session.
 *
 * - `handleHook(event, ports)` the answer for the agent, or nothing. It may throw: its caller logs that and says nothing to the agent.
 *
 * | moment | what is done | what the agent hears |
 * |---|---|---|
 * | session-start | presence | the team's digest |
 * | prompt | the prompt is kept for the edits that follow; the intent is inferred | nothing |
 * | pre-bash | the worktree's state is taken; on a `git push` the precheck | the conflicts: the person is asked where one is there |
 * | pre-edit | | what the team knows about the file, once per session |
 * | post-tool | edits are logged, reads are noted | nothing |
 * | stop | presence, what was read | nothing |
 * | session-end | a handoff | nothing |
 */
import { assertNever } from "@devflow/core/assert-never";
import type { HookEvent } from "./hook-event.ts";
import type { HookAnswer, HookPorts } from "./hook-ports.ts";
import { afterTool } from "./on-post-tool.ts";
import { beforeBash } from "./on-pre-bash.ts";
import { beforeEdit } from "./on-pre-edit.ts";
import { onPrompt, onSessionEnd, onSessionStart, onStop } from "./on-session.ts";

export async function handleHook(event: HookEvent, ports: HookPorts): Promise<HookAnswer | undefined> {
  switch (event.moment) {
    case "session-start":
      return await onSessionStart(event, ports);
    case "prompt":
      return await onPrompt(event, ports);
    case "pre-bash":
      return await beforeBash(event, ports);
    case "pre-edit":
      return await beforeEdit(event, ports);
    case "post-tool":
      return await afterTool(event, ports);
    case "stop":
      return await onStop(event, ports);
    case "session-end":
      return await onSessionEnd(event, ports);
    case "self-test":
      return undefined;
    default:
      return assertNever(event.moment);
  }
}
