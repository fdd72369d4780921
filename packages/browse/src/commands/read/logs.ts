/** The tab's logs as lines, newest last. */

import type { Answer, BrowseInput, ConsoleEntry, TabScope } from "../../command.ts";
import { dialogLine, isFailure } from "../../receipts/log-lines.ts";
import { quote } from "../../snapshot/line.ts";
import type { networkRecord } from "../read.ts";
import { boundedLines } from "./bounded.ts";

const timeOf = (at: string): string => at.slice(11, 23);

export async function consoleLog(
  input: { readonly last: number; readonly level?: ConsoleEntry["level"] | undefined },
  { tab }: TabScope,
): Promise<Answer> {
  const entries = tab.logs.console.since(0).filter(({ level }) => input.level === undefined || level === input.level);
  return answer(entries, input.last, "the console is empty", ({ at, level, text, place }) => {
    return `${timeOf(at)} ${level} ${quote(text, 500)}${place ? ` ${place}` : ""}`;
  });
}

export async function errors(input: { readonly last: number }, { tab }: TabScope): Promise<Answer> {
  const logged = tab.logs.console
    .since(0)
    .filter(({ level }) => level === "error" || level === "uncaught")
    .map((entry) => ({ at: entry.at, kind: entry.level, text: entry.text, place: entry.place }));
  const failed = tab.logs.network
    .since(0)
    .filter(isFailure)
    .map((entry) => ({
      at: entry.at,
      kind: "request",
      text: `${entry.method} ${entry.url} ${entry.failure ?? entry.status}`,
      place: undefined,
    }));
  const entries = [...logged, ...failed].sort((a, b) => a.at.localeCompare(b.at));
  return answer(entries, input.last, "no errors", ({ at, kind, text, place }) => {
    return `${timeOf(at)} ${kind} ${kind === "request" ? text : quote(text, 500)}${place ? ` ${place}` : ""}`;
  });
}

type NetworkInput = BrowseInput<typeof networkRecord>;

export async function network(input: NetworkInput, { tab }: TabScope): Promise<Answer> {
  const entries = tab.logs.network.since(0).filter((entry) => {
    if (input.failed && !isFailure(entry)) return false;
    if (input.match !== undefined && !entry.url.includes(input.match)) return false;
    return input.type === undefined || entry.type === input.type;
  });
  return answer(entries, input.last, "no requests", ({ at, method, url, type, status, ms, bytes, failure }) => {
    const size = bytes === undefined ? "" : ` ${bytes} B`;
    return `${timeOf(at)} ${failure ?? status ?? "?"} ${method} ${url} ${type}${ms === undefined ? "" : ` ${ms} ms`}${size}`;
  });
}

export async function dialogs(input: { readonly last: number }, { tab }: TabScope): Promise<Answer> {
  return answer(
    tab.logs.dialogs.since(0),
    input.last,
    "no dialogs",
    (entry) => `${timeOf(entry.at)} ${dialogLine(entry)}`,
  );
}

function answer<Entry>(
  entries: readonly Entry[],
  last: number,
  nothing: string,
  line: (entry: Entry) => string,
): Answer {
  const text = boundedLines(entries.map(line), last, nothing);
  return { text, data: { entries: entries.slice(-last), total: entries.length }, fromPage: entries.length > 0 };
}
