/**
 * Fills a prompt with the input of a case. Pure.
 *
 * - `renderPrompt(prompt, input)` the text or messages, and which variables the input does not have.
 *
 * `{{question}}` is a member of the input, `{{order.id}}` a member of a member; text is inserted as it is, anything else as
 * JSON. A value is inserted once: `{{…}}` inside it stays as it is.
 */
import type { ChatMessage } from "../providers/provider.ts";

/** A prompt whose file has been read. */
export interface Prompt {
  readonly name: string;
  readonly content: string | readonly ChatMessage[];
  readonly output: "text" | "json";
}

export interface RenderedPrompt {
  readonly prompt: string | readonly ChatMessage[];
  readonly missing: readonly string[];
}

const variable = /\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu;

export function renderPrompt({ content }: Prompt, input: Readonly<Record<string, unknown>>): RenderedPrompt {
  const missing = new Set<string>();
  const fill = (text: string) =>
    text.replace(variable, (whole, path: string) => {
      const value = valueAt(input, path);
      if (value !== undefined) return typeof value === "string" ? value : JSON.stringify(value);
      missing.add(path);
      return whole;
    });
  const prompt =
    typeof content === "string" ? fill(content) : content.map((one) => ({ ...one, content: fill(one.content) }));
  return { prompt, missing: [...missing] };
}

function valueAt(input: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(input, path)) return input[path];
  return path.split(".").reduce<unknown>((at, name) => {
    const isHolder = typeof at === "object" && at !== null && Object.hasOwn(at, name);
    return isHolder ? (at as Record<string, unknown>)[name] : undefined;
  }, input);
}

/** Its length in characters, for estimates. */
export function promptLength(prompt: string | readonly ChatMessage[]): number {
  return typeof prompt === "string" ? prompt.length : prompt.reduce((sum, { content }) => sum + content.length, 0);
}
