/**
 * What is typed on a page that asks for a password is kept out of its logs from before it is typed: a page may log it
 * at the first keystroke.
 */
import { soon } from "./deadline.ts";
import type { OpenTab } from "./tab.ts";

const typing = new Set(["fill", "type", "press", "dialog"]);
const lookLimitMs = 300;

export async function hideTyped(
  command: string,
  input: Readonly<Record<string, unknown>>,
  tab: OpenTab,
): Promise<void> {
  if (!typing.has(command)) return;
  const texts = Object.entries(input).flatMap(([name, value]) =>
    name !== "target" && typeof value === "string" ? [value] : [],
  );
  if (texts.length === 0) return;
  const asks = await soon(
    Promise.all(
      tab.page.frames().map((frame) => frame.evaluate(() => document.querySelector("input[type=password]") !== null)),
    ),
    lookLimitMs,
  );
  // A page that does not say is taken for one that asks.
  if (asks?.every((one) => !one)) return;
  for (const text of texts) tab.logs.hide?.(text);
}
