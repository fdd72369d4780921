/**
 * What a hook prints, in the words of the host.
 *
 * - `answerText(host, moment, answer, env)` one line of JSON; undefined when the host has no way to say it.
 *
 * A question needs a person: Claude Code in its terminal asks, elsewhere (`claude -p`, Codex, which does not know `ask`) the agent is told,
 * because there `ask` would refuse the tool.
 */
import type { HookAnswer, HookMoment } from "@devflow/brain/hooks";

const eventNames: Partial<Record<HookMoment, string>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "pre-bash": "PreToolUse",
  "pre-edit": "PreToolUse",
  "post-tool": "PostToolUse",
};

/** Hosts cut what is longer, or put it into a file. */
const maxCharacters = 9_000;

export function answerText(
  host: string,
  moment: HookMoment,
  { context, ask }: HookAnswer,
  env: { readonly CLAUDE_CODE_SESSION_ATTENDED?: string },
): string | undefined {
  const hookEventName = eventNames[moment];
  if (hookEventName === undefined) return undefined;
  const canAsk = host === "claude" && env.CLAUDE_CODE_SESSION_ATTENDED === "1";
  const said = [...(ask !== undefined && !canAsk ? [ask] : []), ...(context === undefined ? [] : [context])];
  const output = {
    hookEventName,
    ...(said.length > 0 ? { additionalContext: said.join("\n\n").slice(0, maxCharacters) } : {}),
    ...(ask !== undefined && canAsk
      ? { permissionDecision: "ask", permissionDecisionReason: ask.slice(0, maxCharacters) }
      : {}),
  };
  return JSON.stringify({ hookSpecificOutput: output });
}
