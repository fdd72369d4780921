/**
 * What is selected and copied, which changes nothing on the page that can be read.
 *
 * - `selectionWork(tab, key)` `begin` before a key and `end` after it, which gives what it selected or copied; undefined for keys that
 *   do neither.
 * - `selectedText(tab)` in any of its frames.
 * - `selectionLines(text)` pure.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { Tab } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import { quote } from "../../snapshot/line.ts";

export interface SelectionWork {
  begin(): Promise<unknown>;
  end(): Promise<string[]>;
}

/** Chromium copies some time after the page got the key. */
const copyMs = 150;
const pollMs = 15;
const askMs = 500;
const mostText = 120;
const options = { timeoutMs: askMs };
const selecting = /^(?:(?:Control|Meta|ControlOrMeta)\+a|(?=.*\bShift\+)(?:\w+\+)+(?:Arrow\w+|Home|End|Page\w+))$/i;

export function selectionWork(tab: Tab, key: string): SelectionWork | undefined {
  if (selecting.test(key)) {
    return { begin: async () => undefined, end: async () => selectionLines(await selectedText(tab)) };
  }
  if (!/^(?:Control|Meta|ControlOrMeta)\+[cx]$/i.test(key)) return undefined;
  return {
    begin: () => inAny(tab, (frame) => askPage(frame, { ask: "hearCopy" }, options)),
    async end() {
      const until = performance.now() + copyMs;
      for (;;) {
        const text = await inAny(tab, (frame) => askPage(frame, { ask: "copied" }, options));
        if (text !== undefined) return [`copied ${quote(text, mostText)}`];
        if (performance.now() > until) return [];
        await sleep(pollMs);
      }
    },
  };
}

export async function selectedText(tab: Tab): Promise<string> {
  return (await inAny(tab, async (frame) => (await askPage(frame, { ask: "selected" }, options)) || null)) ?? "";
}

export function selectionLines(text: string): string[] {
  if (text === "") return [];
  // How long it is stays hidden, too.
  if (/^•+$/.test(text)) return ["selected what is in a field that hides its value"];
  if (text.length <= mostText) return [`selected ${quote(text, mostText)}`];
  return [`selected ${text.length} characters: ${quote(text, mostText)}`];
}

async function inAny<T>({ page }: Tab, ask: (frame: Frame) => Promise<T | null>): Promise<T | undefined> {
  const answers = await Promise.all(page.frames().map((frame) => ask(frame).catch(() => null)));
  return answers.find((one) => one !== null) ?? undefined;
}
