/**
 * A browse command is one record. The command line, the daemon's dispatch, permissions, help and the skills are
 * derived from it.
 *
 * - `defineBrowseCommand(record)` types the handler by the record's arguments.
 * - `Answer` what a handler gives back; the daemon turns it into text or JSON in one place.
 */
import type { CommandEffect, CommandExample } from "@devflow/core/command";
import type { BrowserContext, CDPSession, Frame, Page } from "playwright-core";
import type { z } from "zod";

export const browseGroups = ["Navigation", "Read", "Write", "Meta"] as const;
export type BrowseGroup = (typeof browseGroups)[number];

/** How much of the browser must be there before a command can run. What needs none answers while every page hangs. */
const browseNeeds = ["tab", "session", "daemon"] as const;
export type BrowseNeed = (typeof browseNeeds)[number];

interface Scopes {
  readonly tab: TabScope;
  readonly session: SessionScope;
  readonly daemon: DaemonScope;
}

export interface BrowseCommand<Args extends z.ZodObject = z.ZodObject, Need extends BrowseNeed = BrowseNeed> {
  /** One word after `devflow browse`; two for `state save`. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly group: BrowseGroup;
  readonly effect: CommandEffect;
  readonly needs: Need;
  readonly args: Args;
  /** Without the leading `devflow browse`. */
  readonly examples: readonly CommandExample[];
  /** Of the answer's `data`. */
  readonly output?: z.ZodType;
  /** Until the page's script is ended, then the tab replaced. Default 30 s. */
  readonly deadlineMs?: number;
  /** Loaded when the command first runs. */
  readonly handler: () => Promise<(input: z.output<Args>, scope: Scopes[Need]) => Promise<Answer>>;
}

/** Any command, whatever its arguments. */
export type AnyBrowseCommand = Omit<BrowseCommand, "handler"> & {
  readonly handler: () => Promise<(input: never, scope: never) => Promise<Answer>>;
};

export function defineBrowseCommand<Args extends z.ZodObject, Need extends BrowseNeed>(
  record: BrowseCommand<Args, Need>,
): AnyBrowseCommand {
  return record as unknown as AnyBrowseCommand;
}

export interface Answer {
  /** For a reader of the terminal: an agent pays for every character. */
  readonly text: string;
  /** For `--json`. */
  readonly data: unknown;
  /** It holds words of the page: the daemon wraps them once in a nonce boundary and cleans them. */
  readonly fromPage?: boolean;
}

/** What every command gets. */
export interface CommandScope {
  /** Aborted when the caller goes away, the deadline passes or the daemon stops. */
  readonly signal: AbortSignal;
  readonly files: FileGate;
  readonly policy: PolicyGate;
}

/** For commands about the browser as a whole; none of it waits for a page. */
export interface DaemonScope extends CommandScope {
  readonly daemon: BrowseDaemon;
}

export interface SessionScope extends CommandScope {
  readonly session: BrowseSession;
}

export interface TabScope extends SessionScope {
  readonly tab: Tab;
}

/** The running daemon as its own commands see it. */
export interface BrowseDaemon {
  /** The session that the caller speaks for. */
  readonly sessionName: string;
  readonly workspace: string;
  /** Only what is known without asking a page. */
  status(): DaemonStatus;
  /** Tabs of the caller's session, or of all; no title when Chromium does not tell at once. */
  tabs(all: boolean): Promise<readonly TabStatus[]>;
  /** Ends the daemon when this command has been answered. */
  stop(): void;
  /** Ends Chromium; the next command starts it again, in a window or without, and restores everything. */
  restartBrowser(how?: { readonly window: boolean }): Promise<void>;
  /** One step of `chain` in the caller's session, with all checks that a command of its own gets. */
  runStep(words: readonly string[]): Promise<Answer>;
  /** What the session has, with the values of its cookies. */
  saveState(): Promise<SavedState>;
  loadState(state: SavedState): Promise<void>;
  /** Text that only this machine can read again. */
  seal(text: string): Promise<string>;
  unseal(sealed: string): Promise<string>;
  openSession(request: SessionRequest): OpenedSession;
  closeSession(name: string): Promise<boolean>;
  readonly rules: PolicyRules;
}

export interface DaemonStatus {
  readonly pid: number;
  readonly version: string;
  readonly workspace: string;
  readonly startedAt: string;
  readonly idleMinutes: number;
  readonly chromium: {
    readonly state: "not started" | "running" | "ended";
    readonly path?: string;
    readonly version?: string;
    readonly pid?: number;
    readonly sandbox: string;
    readonly window: boolean;
  };
  readonly sessions: readonly SessionStatus[];
  readonly running: readonly { readonly command: string; readonly session: string; readonly ms: number }[];
}

export interface SessionStatus {
  readonly name: string;
  readonly tabs: number;
  /** Until when it lives. */
  readonly lease: string;
}

export interface TabStatus {
  readonly session: string;
  readonly id: string;
  readonly url: string;
  readonly title?: string;
  readonly isCurrent: boolean;
}

/** Cookies and storage of a session. */
export interface SavedState {
  readonly cookies: Awaited<ReturnType<BrowserContext["cookies"]>>;
  readonly origins: readonly {
    readonly origin: string;
    readonly localStorage: readonly { readonly name: string; readonly value: string }[];
  }[];
}

export interface SessionRequest {
  readonly name: string;
  readonly scope: "read" | "write";
  /** The process with which the lease ends. */
  readonly ownerPid?: number | undefined;
}

export interface OpenedSession {
  readonly name: string;
  readonly token: string;
  readonly lease: string;
}

/** The URL policy in force, as `policy` shows and narrows it. */
export interface PolicyRules {
  describe(): {
    readonly allow: readonly string[];
    readonly block: readonly string[];
    readonly always: readonly string[];
  };
  allow(hosts: readonly string[]): Promise<void>;
  block(hosts: readonly string[]): Promise<void>;
  reset(): Promise<void>;
}

/** One agent's browser context with its tabs. */
export interface BrowseSession {
  readonly name: string;
  readonly context: BrowserContext;
  tabs(): readonly Tab[];
  current(): Tab;
  select(id: string): Tab;
  open(url?: string): Promise<Tab>;
  close(id: string): Promise<void>;
}

export interface Tab {
  /** `t1`; never given twice in a session. */
  readonly id: string;
  readonly page: Page;
  /** Where commands look; a frame after `frame`, else the page's main frame. */
  frame(): Frame;
  selectFrame(frame: Frame | undefined): void;
  /** One CDP session for the tab, opened on first use. */
  cdp(): Promise<CDPSession>;
  readonly logs: TabLogs;
  /** What a feature remembers about the tab (last snapshot, groups, routes), made on first use, gone with the tab. */
  memory<T>(key: symbol, make: () => T): T;
}

/** What happened in a tab, oldest first, with a number that only grows. Secrets are gone before an entry is kept. */
export interface TabLogs {
  readonly console: LogRing<ConsoleEntry>;
  readonly network: LogRing<NetworkEntry>;
  readonly dialogs: LogRing<DialogEntry>;
  readonly downloads: LogRing<DownloadEntry>;
  /** This value is secret from now on (typed into a password field): no entry, file or answer of a log shows it. */
  hide?(secret: string): void;
}

export interface LogRing<Entry> {
  /** Of the newest entry; 0 when there was none. */
  readonly seq: number;
  /** Entries after `seq`, at most as many as the ring holds. */
  since(seq: number): readonly (Entry & { readonly seq: number; readonly at: string })[];
  push(entry: Entry): void;
}

export interface ConsoleEntry {
  readonly level: "log" | "info" | "warn" | "error" | "debug" | "uncaught";
  readonly text: string;
  /** `file:line:column`, when the page said so. */
  readonly place?: string;
}

export interface NetworkEntry {
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly status?: number;
  readonly ms?: number;
  readonly bytes?: number;
  /** Why it came to nothing: `net::ERR_…`, or `blocked by policy`. */
  readonly failure?: string;
}

export interface DialogEntry {
  readonly kind: "alert" | "confirm" | "prompt" | "beforeunload";
  readonly message: string;
  readonly answer: "accepted" | "dismissed" | "waiting";
  readonly text?: string;
}

export interface DownloadEntry {
  readonly suggestedName: string;
  readonly path?: string;
  readonly bytes?: number;
  readonly failure?: string;
}

/** Paths that commands may write or read: inside the workspace or the temp folder, by realpath, never through a link. */
export interface FileGate {
  /** The workspace's root, for what is written without a name. */
  readonly workspace?: string;
  /** Absolute path that may be written; throws `browse_path_refused`. */
  forWriting(path: string): Promise<string>;
  forReading(path: string): Promise<string>;
}

/** Throws `browse_url_refused` for a URL that policy forbids. */
export interface PolicyGate {
  checkUrl(url: string): void;
}
