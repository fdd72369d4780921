/** Waits for a condition by polling the page, and tells what happened meanwhile. */

import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Locator } from "playwright-core";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { untoldDialogs } from "../../receipts/log-lines.ts";
import { hasChanged, sinceTold } from "../../receipts/page-content.ts";
import { quote } from "../../snapshot/line.ts";
import { pendingNavigation } from "../../tab-events/navigations.ts";
import { quietMs } from "../../tab-events/requests.ts";
import { frameWith, isSentence, isShown } from "../../targets/is-shown.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import { firstLine } from "../run-action.ts";
import type { waitRecord } from "../write.ts";

type WaitInput = BrowseInput<typeof waitRecord>;

interface Condition {
  readonly what: string;
  /** More words for a wait in vain. */
  readonly inVain?: string;
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
  const until = start + Math.max(input.timeout, pauseOf(input.target) ?? 0);
  for (const { what, inVain = what, holds } of conditions) {
    for (;;) {
      const askedAt = performance.now();
      if (await holds()) break;
      scope.signal.throwIfAborted();
      if (performance.now() > until) {
        const next = [...(await whereItIs(scope)), "See the current page: devflow browse snapshot -i"].join("\n");
        throw new DevflowError("browse_wait_timeout", {
          details: { seconds: input.timeout / 1000, what: inVain, next },
        });
      }
      // The page gets as much time for itself as looking for a control takes, which is long on a large page.
      await sleep(Math.max(pollMs, performance.now() - askedAt));
    }
  }
  const ms = Math.round(performance.now() - start);
  const { found, words } = await whatIsThere(input, scope);
  const line = words === undefined ? undefined : await lineWith(words, scope);
  const what = conditions.map((one) => one.what).join(", ");
  const first = `after ${ms} ms: ${what}${found ? ` is ${found.label}` : ""}${line ? ` in ${quote(line, 200)}` : ""}`;
  const changes = (await meanwhile(scope, scope.timeLeft())).filter((one) => one !== `+ ${quote(line ?? "", 200)}`);
  const data = { ms, ...(found && { ref: found.ref }), ...(line && { line }), ...(changes.length > 0 && { changes }) };
  return { text: [first, ...changes].join("\n"), data, fromPage: true };
}

/** What the page did since it was last told. */
async function meanwhile({ tab }: TabScope, limitMs: number): Promise<readonly string[]> {
  const said = untoldDialogs(tab.logs);
  const since = await sinceTold(tab, Math.min(limitMs, changesMs));
  const where = since?.isNewPage ? [urlLine({ tab })] : [];
  return [...said, ...where, ...(since?.lines ?? [])];
}

const urlLine = ({ tab }: Pick<TabScope, "tab">): string => `url ${tab.page.url()}`;

/** A wait for the wrong thing may end on the right page. */
async function whereItIs(scope: TabScope): Promise<string[]> {
  const { page } = scope.tab;
  const title = await Promise.race([page.title(), sleep(lateMs, "")]).catch(() => "");
  const changes = (await meanwhile(scope, lateMs)).filter((line) => line !== urlLine(scope));
  const shown = changes.length > 0 ? ["Meanwhile:", ...changes.map((line) => `  ${line}`)] : [];
  return [`The page is ${quote(title, 80)} ${page.url()}`, ...shown];
}

async function whatIsThere({ target, hidden, text }: WaitInput, { tab }: TabScope) {
  if (target === undefined || hidden || pauseOf(target) !== undefined) return { words: text };
  if (isSentence(target)) return { words: text ?? target };
  return { found: await resolveTarget(tab, target), words: text };
}

/** `wait 500` waits half a second. */
const pauseOf = (target: string | undefined): number | undefined =>
  target !== undefined && /^\d+$/.test(target) ? Number(target) : undefined;

function pauseCondition(ms: number): Condition {
  if (ms > mostMs) {
    const problem = `A pause can be ${mostMs} ms at most.`;
    const next = "Wait for what should be there then: devflow browse wait --text Saved --timeout 60000";
    throw new DevflowError("usage", { details: { problem, next } });
  }
  const until = performance.now() + ms;
  return { what: "the pause is over", holds: async () => performance.now() >= until };
}

function conditionsOf(input: WaitInput, scope: TabScope): Condition[] {
  const { page } = scope.tab;
  const conditions: Condition[] = [];
  const pause = pauseOf(input.target);
  if (pause !== undefined) conditions.push(pauseCondition(pause));
  else if (input.target !== undefined) conditions.push(elementCondition(input.target, input.hidden, scope));
  if (input.text !== undefined) {
    const { text } = input;
    conditions.push({ what: JSON.stringify(text), holds: async () => (await withText(text, scope)) !== undefined });
  }
  if (input.url !== undefined) {
    const part = input.url;
    conditions.push({ what: `a URL with ${part}`, holds: async () => page.url().includes(part) });
  }
  if (input.fn !== undefined) conditions.push({ what: input.fn, holds: () => isTrue(scope, input.fn ?? "") });
  if (input.change)
    conditions.push({ what: "a change", inVain: "a change since the last answer", holds: () => hasChanged(scope.tab) });
  if (input.idle) {
    const holds = async () => !pendingNavigation(scope.tab) && quietMs(scope.tab) >= idleMs;
    conditions.push({ what: "an idle network", holds });
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

async function withText(words: string, { tab }: Pick<TabScope, "tab">): Promise<Locator | undefined> {
  const frame = await frameWith(tab, words);
  return frame?.getByText(words).filter({ visible: true }).first();
}

const lineMs = 500;
const idleMs = 500;
const changesMs = 1_500;
/** A timeout is kept to within half a second. */
const lateMs = 150;
/** Longer pauses are for what can be waited for. */
const mostMs = 30_000;

function elementCondition(word: string, hidden: boolean, { tab }: TabScope): Condition {
  return { what: hidden ? `${word} to be gone` : word, holds: async () => (await isShown(tab, word)) !== hidden };
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
