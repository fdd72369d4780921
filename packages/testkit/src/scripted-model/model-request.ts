/**
 * A client's request, in one shape for all protocols, so that steps match on text and not on wire formats.
 *
 * - `readModelRequest(protocol, body, headers, path)` never throws: an invalid request is recorded as it is.
 */
import type { Protocol } from "./scenario.ts";

interface ToolResult {
  readonly id: string;
  readonly text: string;
}

export interface ModelRequest {
  readonly protocol: Protocol;
  readonly model: string;
  readonly apiKey: string;
  /** The agent's own id for its conversation; empty when it sends none. */
  readonly conversation: string;
  readonly isStreamed: boolean;
  readonly system: string;
  /** What the user wrote before the first answer, without what agents add. */
  readonly firstUserText: string;
  readonly lastUserText: string;
  /** Results of tools that came with the last message, in order. */
  readonly toolResults: readonly ToolResult[];
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
  /** Made by an agent for itself (a title, a summary, a quota check): it comes from an agent and offers no tools. */
  readonly isBackground: boolean;
  readonly body: unknown;
}

export type RequestHeaders = Readonly<Record<string, string>>;

export function readModelRequest(
  protocol: Protocol,
  body: unknown,
  headers: RequestHeaders,
  path: string,
): ModelRequest {
  const given = asObject(body);
  const turns = turnsOf[protocol](given);
  const tools = toolNames(given);
  const answered = turns.findIndex(({ role }) => role === "assistant");
  const opening = answered < 0 ? turns : turns.slice(0, answered);
  const textsBy = (some: readonly Turn[], isOne: (role: string) => boolean) =>
    some.filter(({ role, text }) => isOne(role) && text).map(({ text }) => text);
  const outside = [given.system, given.instructions, asObject(given.systemInstruction).parts].map(textOf);
  return {
    protocol,
    // Gemini has the model, and whether to stream, in the path.
    model: asText(given.model) || (/models\/([^/:]+):/.exec(path)?.[1] ?? ""),
    apiKey: headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization?.replace(/^Bearer /i, "") ?? "",
    conversation: headers["x-claude-code-session-id"] ?? headers["session-id"] ?? "",
    isStreamed: given.stream === true || path.endsWith(":streamGenerateContent"),
    system: [...outside, ...textsBy(turns, isSystem)].filter(Boolean).join("\n"),
    firstUserText: textsBy(opening, isUser).join("\n"),
    lastUserText: textsBy(turns, isUser).at(-1) ?? "",
    toolResults: trailingResults(turns),
    tools,
    isBackground: tools.length === 0 && agentNames.test(headers["user-agent"] ?? ""),
    body,
  };
}

const agentNames = /^(claude-cli|codex|QwenCode|GeminiCLI|opencode|copilot)/i;

const isUser = (role: string): boolean => role === "user";
const isSystem = (role: string): boolean => role === "system" || role === "developer";

interface Turn {
  readonly role: string;
  readonly text: string;
  readonly results: readonly ToolResult[];
}

const turnsOf: Readonly<Record<Protocol, (body: Record<string, unknown>) => Turn[]>> = {
  anthropic: anthropicTurns,
  responses: responsesTurns,
  chat: chatTurns,
  gemini: geminiTurns,
};

/** Each protocol nests them in its own way. */
function toolNames(body: Record<string, unknown>): string[] {
  return asArray(body.tools)
    .map(asObject)
    .flatMap((one) => {
      const declared = asArray(one.functionDeclarations);
      if (declared.length > 0) return declared.map((each) => asText(asObject(each).name));
      return [asText(one.name) || asText(asObject(one.function).name) || asText(one.type)];
    });
}

function anthropicTurns(body: Record<string, unknown>): Turn[] {
  return asArray(body.messages).map((message) => {
    const { role, content } = asObject(message);
    const results = asArray(content)
      .map(asObject)
      .filter(({ type }) => type === "tool_result")
      .map((block) => ({ id: asText(block.tool_use_id), text: textOf(block.content) }));
    return { role: asText(role), text: spokenText(content), results };
  });
}

function responsesTurns(body: Record<string, unknown>): Turn[] {
  if (typeof body.input === "string") return [{ role: "user", text: body.input, results: [] }];
  return asArray(body.input).map((item) => {
    const one = asObject(item);
    const type = asText(one.type);
    if (type.endsWith("_call_output") || type.endsWith("_tool_output")) {
      return { role: "tool", text: "", results: [{ id: asText(one.call_id), text: textOf(one.output) }] };
    }
    if (type === "message" || one.role !== undefined)
      return { role: asText(one.role), text: spokenText(one.content), results: [] };
    return { role: "assistant", text: "", results: [] };
  });
}

function chatTurns(body: Record<string, unknown>): Turn[] {
  return asArray(body.messages).map((message) => {
    const { role, content, tool_call_id } = asObject(message);
    if (role === "tool") return { role, text: "", results: [{ id: asText(tool_call_id), text: textOf(content) }] };
    return { role: asText(role), text: spokenText(content), results: [] };
  });
}

function geminiTurns(body: Record<string, unknown>): Turn[] {
  return asArray(body.contents).map((content) => {
    const { role, parts } = asObject(content);
    const results = asArray(parts)
      .map((part) => asObject(part).functionResponse)
      .filter((one) => one !== undefined)
      .map((one) => {
        const { id, name, response } = asObject(one);
        return { id: asText(id) || asText(name), text: JSON.stringify(response) };
      });
    return { role: role === "model" ? "assistant" : asText(role), text: spokenText(parts), results };
  });
}

function trailingResults(turns: readonly Turn[]): ToolResult[] {
  const found: ToolResult[] = [];
  for (const turn of turns.toReversed()) {
    if (isSystem(turn.role)) continue;
    if (turn.results.length === 0) break;
    found.unshift(...turn.results);
  }
  return found;
}

/** Agents put their context into the user's messages; a scenario matches only what was typed. */
function spokenText(content: unknown): string {
  return textOf(content)
    .replace(/<(system-reminder|environment_context)>[\s\S]*?<\/\1>/g, "")
    .trim();
}

/** Text in either protocol: a string, or blocks of which some have text. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = asArray(content).map((block) => asText(asObject(block).text));
  if (!Array.isArray(content) && content && typeof content === "object") return asText(asObject(content).content);
  return texts.filter(Boolean).join("\n");
}

const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const asText = (value: unknown): string => (typeof value === "string" ? value : "");
const asObject = (value: unknown): Record<string, unknown> =>
  value && typeof value === "object" ? (value as Record<string, unknown>) : {};
