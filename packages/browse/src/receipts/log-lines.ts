/**
 * What the tab's logs recorded during an action.
 *
 * - `markLogs(logs)` marks their current end; later entries belong to the action.
 * - `untoldDialogs(logs)` those that no answer has told, since they opened while no command ran.
 */
import type { ConsoleEntry, DialogEntry, DownloadEntry, NetworkEntry, TabLogs } from "../command.ts";
import { quote } from "../snapshot/line.ts";

const maxLines = 5;

export interface LogMarks {
  /** There was a dialog or a download, which is effect enough: no need to wait for more. */
  hasSideEffect(): boolean;
  console(): string[];
  failed(): string[];
  dialogs(): string[];
  downloads(): string[];
}

export function markLogs(logs: TabLogs): LogMarks {
  const from = {
    console: logs.console.seq,
    network: logs.network.seq,
    dialogs: logs.dialogs.seq,
    downloads: logs.downloads.seq,
  };
  return {
    hasSideEffect: () => logs.dialogs.seq > from.dialogs || logs.downloads.seq > from.downloads,
    console: () =>
      bounded(
        logs.console.since(from.console).filter(isError),
        ({ text, place }) => `${quote(text, 300)}${place ? ` at ${place}` : ""}`,
      ),
    failed: () =>
      bounded(
        logs.network.since(from.network).filter((entry) => isFailure(entry) && !isIcon(entry) && !isAborted(entry)),
        failureLine,
      ),
    dialogs() {
      noteTold(logs, logs.dialogs.seq);
      return bounded(logs.dialogs.since(from.dialogs), dialogLine);
    },
    downloads: () => bounded(logs.downloads.since(from.downloads), downloadLine),
  };
}

const toldDialogs = new WeakMap<TabLogs, number>();
const noteTold = (logs: TabLogs, seq: number): void => {
  toldDialogs.set(logs, seq);
};

export function untoldDialogs(logs: TabLogs): string[] {
  const entries = logs.dialogs.since(toldDialogs.get(logs) ?? 0);
  noteTold(logs, logs.dialogs.seq);
  return bounded(entries, dialogLine);
}

function bounded<Entry>(entries: readonly Entry[], line: (entry: Entry) => string): string[] {
  const lines = entries.slice(0, maxLines).map(line);
  return entries.length > maxLines ? [...lines, `… ${entries.length - maxLines} more`] : lines;
}

/** Chromium's console line about a failed request says less than the request itself, which is reported too. */
const isError = ({ level, text }: ConsoleEntry): boolean =>
  (level === "error" || level === "uncaught") && !text.startsWith("Failed to load resource:");

/** Chromium requests it on its own; that it is missing is not an effect of the action. */
const isIcon = ({ url }: NetworkEntry): boolean => /^[^?#]*\/favicon\.ico$/.test(url);

/** The page itself gave it up, or was left. */
const isAborted = ({ failure }: NetworkEntry): boolean => failure === "net::ERR_ABORTED";

export const isFailure = ({ status, failure }: NetworkEntry): boolean =>
  failure !== undefined || (status !== undefined && status >= 400);

function failureLine({ method, url, status, failure }: NetworkEntry): string {
  return `${method} ${url} ${failure ?? status}`;
}

export function dialogLine({ kind, message, answer, text }: DialogEntry): string {
  const withText = text === undefined ? "" : ` with ${quote(text, 80)}`;
  const next = answer === "dismissed" && kind !== "alert" ? "; to accept it: dialog accept, then repeat" : "";
  return `dialog ${kind} ${quote(message, 200)} ${answer}${withText}${next}`;
}

function downloadLine({ suggestedName, path, bytes, failure }: DownloadEntry): string {
  if (failure) return `download ${quote(suggestedName, 120)} failed: ${failure}`;
  const size = bytes === undefined ? "" : ` (${bytes} bytes)`;
  return `download ${quote(suggestedName, 120)}${path ? ` → ${path}` : " began"}${size}`;
}
