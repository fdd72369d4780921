import { sequenceDiff } from "@devflow/core/sequence-diff";
import type { Answer, SessionScope } from "../../command.ts";
import { completeUrl } from "../navigation/complete-url.ts";

const maxLines = 400;

export async function pageDiff(
  { before, after }: { before: string; after: string },
  scope: SessionScope,
): Promise<Answer> {
  const [first, second] = [await textOf(before, scope), await textOf(after, scope)];
  const changed = sequenceDiff(first, second).flatMap(({ kind, item }) =>
    kind === "same" ? [] : [{ sign: kind === "removed" ? "-" : "+", line: item }],
  );
  const shown = changed.slice(0, maxLines).map(({ sign, line }) => `${sign} ${line}`);
  if (changed.length > maxLines) shown.push(`… ${changed.length - maxLines} more`);
  const text = changed.length === 0 ? "The texts are the same." : shown.join("\n");
  return { text, data: { same: changed.length === 0, changes: changed }, fromPage: true };
}

/** Opened in a temporary tab with the session's cookies. */
async function textOf(given: string, { session, policy }: SessionScope): Promise<string[]> {
  const url = completeUrl(given);
  policy.checkUrl(url);
  const current = session.tabs().length > 0 ? session.current().id : undefined;
  const tab = await session.open();
  try {
    await tab.page.goto(url, { waitUntil: "load" });
    const text = await tab.page.evaluate(() => document.body?.innerText ?? "");
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  } finally {
    await session.close(tab.id);
    if (current !== undefined) session.select(current);
  }
}
