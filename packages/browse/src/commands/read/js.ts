import { DevflowError } from "@devflow/core/errors";
import type { Answer, Tab, TabScope } from "../../command.ts";
import { plainValue } from "../../page-world/plain-value.ts";

const maxCharacters = 100_000;

export async function js(input: { readonly script: string }, { tab }: TabScope): Promise<Answer> {
  const value = await evaluate(tab, input.script);
  const flat = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  const text = typeof value === "string" || flat.length < 200 ? flat : JSON.stringify(value, undefined, 1);
  const cut =
    text.length > maxCharacters
      ? `${text.slice(0, maxCharacters)}\n… ${text.length - maxCharacters} more characters`
      : text;
  return { text: cut, data: { value: value ?? null }, fromPage: true };
}

/** Without a value the script gave undefined. */
type Outcome = { readonly value?: unknown } | { readonly thrown: unknown } | { readonly unparsable: string };

/** First as an expression, since most are; what does not parse as one is run as a function body. */
async function evaluate(tab: Tab, script: string): Promise<unknown> {
  const first = await run(tab, `(${script}\n)`);
  const outcome = "unparsable" in first ? await run(tab, `{${script}\n}`) : first;
  if ("unparsable" in outcome) throw failed(outcome.unparsable);
  if (!("thrown" in outcome)) return outcome.value;
  throw failed(typeof outcome.thrown === "string" ? outcome.thrown : JSON.stringify(outcome.thrown));
}

/** The page itself is asked in one message, which takes half the time of Playwright's way. */
async function run(tab: Tab, body: string): Promise<Outcome> {
  const expression = `(async () => {
    const plain = ${plainValue};
    try { return { value: plain(await (async () => ${body})()) }; } catch (error) { return { thrown: plain(error) }; }
  })()`;
  const frame = tab.frame();
  try {
    return frame === tab.page.mainFrame() ? await runDirectly(tab, expression) : await frame.evaluate(expression);
  } catch (error) {
    return explain(error);
  }
}

async function runDirectly(tab: Tab, expression: string): Promise<Outcome> {
  const cdp = await tab.cdp();
  const options = { awaitPromise: true, returnByValue: true, userGesture: true };
  const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", { expression, ...options });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}

/** What the script itself throws is caught in the page. */
function explain(error: unknown): Outcome {
  const text = error instanceof Error ? error.message : String(error);
  const unparsable = /SyntaxError: .*/.exec(text)?.[0];
  if (unparsable !== undefined) return { unparsable };
  if (/navigated or closed|context was destroyed|Promise was collected/.test(text)) {
    throw failed("the page went elsewhere before it ended", error);
  }
  throw error;
}

function failed(problem: string, cause?: unknown): DevflowError {
  return new DevflowError("browse_script_failed", { details: { problem: problem.split("\n")[0] }, cause });
}
