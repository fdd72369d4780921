/**
 * A performance trace of a tab, recorded by Chromium. It contains URLs but no headers, bodies or cookies;
 * what looks like a secret in a URL is redacted before the file is written.
 */
import { DevflowError } from "@devflow/core/errors";
import { redactSecrets } from "@devflow/redact";
import type { Browser } from "playwright-core";
import type { Answer, Tab, TabScope } from "../../command.ts";
import { outputFile, sizeWords, writeOutput } from "../output-file.ts";

/** Chromium records one at a time. */
const traced = new WeakMap<Browser, string>();

/** No screenshots and no sources of scripts. */
const categories = ["-*", "devtools.timeline", "v8.execute", "blink.user_timing", "loading", "latencyInfo"];

export async function traceStart(_input: object, { tab }: TabScope): Promise<Answer> {
  const browser = browserOf(tab);
  const other = traced.get(browser);
  if (other !== undefined) throw failed(`${other} is already being traced.`, "Stop it: devflow browse trace stop");
  await browser.startTracing(tab.page, { categories });
  traced.set(browser, tab.id);
  return { text: `Tracing ${tab.id}.`, data: { tracing: tab.id } };
}

export async function traceStop({ path }: { path?: string | undefined }, { tab, files }: TabScope): Promise<Answer> {
  const browser = browserOf(tab);
  if (!traced.has(browser)) throw failed("No trace is being recorded.", "Start one: devflow browse trace start");
  const trace = await browser.stopTracing();
  traced.delete(browser);
  // One event per line: a long text is slower to search than many short ones.
  const lines = trace
    .toString("utf8")
    .split("\n")
    .map((line) => redactSecrets(line).text);
  const target = await outputFile(files, path, { folder: "traces", extension: "json" });
  await writeOutput(target, lines.join("\n"));
  return { text: `${target} (${sizeWords(trace.length)})`, data: { path: target, bytes: trace.length } };
}

function browserOf(tab: Tab): Browser {
  const browser = tab.page.context().browser();
  if (!browser) throw failed("Chromium has stopped.", "Repeat the command.");
  return browser;
}

function failed(reason: string, next: string): DevflowError {
  return new DevflowError("browse_page_failed", { details: { reason, next } });
}
