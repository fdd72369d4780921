import { DevflowError } from "@devflow/core/errors";
import type { Answer, TabScope } from "../../command.ts";
import { firstLine } from "../run-action.ts";

const maxCharacters = 100_000;

export async function js(input: { readonly script: string }, scope: TabScope): Promise<Answer> {
  const value = await evaluate(scope, input.script);
  const json = value === undefined ? "undefined" : (JSON.stringify(value, undefined, 1) ?? "undefined");
  const flat = typeof value === "string" ? value : json.length < 200 ? JSON.stringify(value) : json;
  const text = flat ?? "undefined";
  const cut =
    text.length > maxCharacters
      ? `${text.slice(0, maxCharacters)}\n… ${text.length - maxCharacters} more characters`
      : text;
  return { text: cut, data: { value: value ?? null }, fromPage: true };
}

/** First as an expression, since most are; what does not parse as one is run as a function body. */
async function evaluate({ tab }: TabScope, script: string): Promise<unknown> {
  const frame = tab.frame();
  try {
    return await frame.evaluate(`(async () => (${script}\n))()`);
  } catch (error) {
    if (!/SyntaxError/.test(String(error))) throw explain(error);
    try {
      return await frame.evaluate(`(async () => {${script}\n})()`);
    } catch (again) {
      throw explain(again);
    }
  }
}

function explain(error: unknown): unknown {
  const text = error instanceof Error ? error.message : String(error);
  // Not the script's fault: the page is gone.
  if (/has been closed|Target closed|Target crashed|Page crashed/.test(text)) return error;
  const problem = firstLine(text.replace(/^\w+\.evaluate: /, ""));
  return new DevflowError("browse_script_failed", { details: { problem }, cause: error });
}
