/**
 * `toolNamesIn(output)` the names of the tools that a model called, in the formats of OpenAI (chat and Responses), Anthropic
 * and Google, as values or written in a text between prose.
 */
import { isMembers } from "./assertion.ts";

export function toolNamesIn(output: unknown): Set<string> {
  if (typeof output === "string") return fromText(output);
  if (Array.isArray(output)) return new Set(output.filter(isMembers).flatMap((one) => nameOfCall(one)));
  if (!isMembers(output)) return new Set();
  if (Array.isArray(output.tool_calls)) return new Set(output.tool_calls.filter(isMembers).flatMap(bothNames));
  if (output.type === "tool_use" || output.type === "function_call") return new Set(textList(output.name));
  if (isMembers(output.functionCall)) return new Set(textList(output.functionCall.name));
  if (isMembers(output.toolCall)) {
    const calls = Array.isArray(output.toolCall.functionCalls) ? output.toolCall.functionCalls : [];
    return new Set(calls.filter(isMembers).flatMap(({ name }) => textList(name)));
  }
  return new Set();
}

type Members = Readonly<Record<string, unknown>>;
const textList = (value: unknown): string[] => (typeof value === "string" ? [value] : []);
const bothNames = (call: Members): string[] => [
  ...(isMembers(call.function) ? textList(call.function.name) : []),
  ...textList(call.name),
];

/** In a list, a block has one name. */
function nameOfCall(block: Members): string[] {
  if (block.type === "tool_use" && typeof block.name === "string") return [block.name];
  if (isMembers(block.functionCall)) return textList(block.functionCall.name);
  if (isMembers(block.function)) return textList(block.function.name);
  return textList(block.name);
}

function fromText(text: string): Set<string> {
  try {
    return toolNamesIn(JSON.parse(text));
  } catch {
    return new Set(blocksIn(text).flatMap((block) => [...toolNamesIn(block)]));
  }
}

const maxBlocks = 10_000;

/** JSON values that begin and end a line, outside of code blocks. */
function blocksIn(text: string): unknown[] {
  const lines = withoutFences(text).split("\n");
  const found: unknown[] = [];
  for (let first = 0; first < lines.length && found.length < maxBlocks; first += 1) {
    if (!/^\s*[[{]/.test(lines[first] ?? "")) continue;
    let source = "";
    let depth = 0;
    for (let last = first; last < lines.length; last += 1) {
      const line = lines[last] ?? "";
      source += `${line}\n`;
      depth += balance(line);
      if (depth > 0) continue;
      const value = parsed(source);
      if (value !== undefined) {
        found.push(value);
        first = last;
      }
      break;
    }
  }
  return found;
}

function parsed(source: string): unknown {
  try {
    return JSON.parse(source) as unknown;
  } catch {
    return undefined;
  }
}

/** Opened minus closed brackets, outside of strings. */
function balance(line: string): number {
  const bare = line.replace(/"(?:[^"\\]|\\.)*"/g, "");
  return (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0);
}

function withoutFences(text: string): string {
  let fence: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const marker = /^[ \t]{0,3}(?:(?:[-+*]|\d+[.)])[ \t]+)?(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === undefined) {
        if (marker) fence = marker;
        return marker ? "" : line;
      }
      if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
      return "";
    })
    .join("\n");
}
