/** Waits for a condition by polling the page. */

import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Frame, Locator } from "playwright-core";
import type { Answer, BrowseInput, Tab, TabScope } from "../../command.ts";
import { elementByRef } from "../../page-world/ask-page.ts";
import { frameOf } from "../../snapshot/capture-tree.ts";
import { quote } from "../../snapshot/line.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { parseTarget } from "../../targets/parse-target.ts";
import { locate, resolveTarget } from "../../targets/resolve-target.ts";
import { firstLine } from "../run-action.ts";
import type { waitRecord } from "../write.ts";

type WaitInput = BrowseInput<typeof waitRecord>;

interface Condition {
  readonly what: string;
  holds(): Promise<boolean>;
}

const pollMs = 30;

export async function wait(input: WaitInput, scope: TabScope): Promise<Answer> {
  const conditions = conditionsOf(input, scope);
  if (conditions.length === 0) {
    const problem = "wait needs something to wait for.";
    const next = "For example: devflow browse wait --text Saved";
    throw new DevflowError("usage", { details: { problem, next } });
  }
  const start = performance.now();
  const until = start + input.timeout;
  for (const { what, holds } of conditions) {
    while (!(await holds())) {
      scope.signal.throwIfAborted();
      if (performance.now() > until) {
        throw new DevflowError("browse_wait_timeout", { details: { seconds: input.timeout / 1000, what } });
      }
      await sleep(pollMs);
    }
  }
  const ms = Math.round(performance.now() - start);
  const found = input.target !== undefined && !input.hidden ? await resolveTarget(scope.tab, input.target) : undefined;
  const line = input.text === undefined ? undefined : await lineWith(input.text, scope);
  const what = conditions.map((one) => one.what).join(", ");
  const text = `after ${ms} ms: ${what}${found ? ` is ${found.label}` : ""}${line ? ` in ${quote(line, 200)}` : ""}`;
  return { text, data: { ms, ...(found && { ref: found.ref }), ...(line && { line }) }, fromPage: true };
}

function conditionsOf(input: WaitInput, scope: TabScope): Condition[] {
  const { page } = scope.tab;
  const conditions: Condition[] = [];
  if (input.target !== undefined) conditions.push(elementCondition(input.target, input.hidden, scope));
  if (input.text !== undefined) {
    const { text } = input;
    conditions.push({ what: JSON.stringify(text), holds: async () => (await withText(text, scope)) !== undefined });
  }
  if (input.url !== undefined) {
    const part = input.url;
    conditions.push({ what: `a URL with ${part}`, holds: async () => page.url().includes(part) });
  }
  if (input.fn !== undefined) conditions.push({ what: input.fn, holds: () => isTrue(scope, input.fn ?? "") });
  if (input.idle) {
    const quiet = page.waitForLoadState("networkidle", { timeout: input.timeout }).then(yes, no);
    conditions.push({ what: "an idle network", holds: () => Promise.race([quiet, sleep(pollMs, false)]) });
  }
  return conditions;
}

/** The whole text that contains the words, which often says more; undefined when it is gone already. */
async function lineWith(words: string, { tab }: Pick<TabScope, "tab">): Promise<string | undefined> {
  const found = await withText(words, { tab });
  const text = await found?.innerText({ timeout: lineMs }).catch(() => undefined);
  const line = text?.replace(/\s+/g, " ").trim();
  return line === words ? undefined : line;
}

/** What a page shows in its frames is part of it. */
function framesOf(tab: Tab): readonly Frame[] {
  return tab.frame() === tab.page.mainFrame() ? tab.page.frames() : [tab.frame()];
}

async function withText(words: string, { tab }: Pick<TabScope, "tab">): Promise<Locator | undefined> {
  for (const frame of framesOf(tab)) {
    const all = frame.getByText(words).filter({ visible: true });
    if ((await all.count().catch(none)) > 0) return all.first();
  }
  return undefined;
}

const lineMs = 500;
const none = (): number => 0;
const yes = (): boolean => true;
const no = (): boolean => false;

function elementCondition(word: string, hidden: boolean, { tab }: TabScope): Condition {
  const target = parseTarget(word);
  const visible = async (): Promise<boolean> => {
    if (target.kind !== "ref") {
      // CSS is for one document.
      const isInAny = target.kind === "role" || target.kind === "text";
      for (const frame of isInAny ? framesOf(tab) : [tab.frame()]) {
        if ((await locate(frame, target).filter({ visible: true }).count().catch(none)) > 0) return true;
      }
      return false;
    }
    const known = refBookOf(tab).find(target.ref);
    if (!known) throw new DevflowError("browse_ref_unknown", { details: { ref: target.ref } });
    const frame = await frameOf(tab, known.page);
    return frame !== undefined && elementByRef(frame, known.page).isVisible().catch(no);
  };
  return { what: hidden ? `${word} to be gone` : word, holds: async () => (await visible()) !== hidden };
}

/** A page that is still loading counts as false; an invalid script is an error. */
async function isTrue({ tab }: TabScope, expression: string): Promise<boolean> {
  try {
    return Boolean(await tab.frame().evaluate(`(async () => (${expression}\n))()`));
  } catch (error) {
    if (/context was destroyed|navigat|detached/i.test(String(error))) return false;
    const problem = firstLine(error instanceof Error ? error.message : String(error));
    throw new DevflowError("browse_script_failed", { details: { problem }, cause: error });
  }
}
