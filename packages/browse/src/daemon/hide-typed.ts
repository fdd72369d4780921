/**
 * Redacts text typed on a page with a password field from the page's logs. This happens before the typing, since a page
 * may log it at the first keystroke.
 */
import { askPage } from "../page-world/ask-page.ts";
import { tryWithin } from "./deadline.ts";
import type { OpenTab } from "./tab.ts";

const typing = new Set(["fill", "type", "press", "dialog"]);
const checkLimitMs = 300;

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
  const havePassword = await tryWithin(
    Promise.all(tab.page.frames().map((frame) => askPage(frame, { ask: "hasPassword" }, { timeoutMs: checkLimitMs }))),
    checkLimitMs,
  );
  // A page that does not answer is treated as one with a password field.
  if (havePassword?.every((one) => !one)) return;
  for (const text of texts) tab.logs.hide?.(text);
}
