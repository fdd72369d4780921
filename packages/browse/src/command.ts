/**
 * A browse command is one record. The command line, the daemon's dispatcher, permissions, help and the skills are
 * derived from it.
 *
 * - `defineBrowseRecord(record)` describes a command; `defineBrowseCommand(record, handler)` adds its handler, loaded when it runs.
 * - `BrowseInput<typeof record>` the handler's input.
 * - `Answer` what a handler returns; the daemon renders it as text or JSON in one place.
 */
import type { CommandEffect, CommandExample } from "@devflow/core/command";
import type { BrowserContext, CDPSession, Frame, Page } from "playwright-core";
import type { z } from "zod";

export const browseGroups = ["Navigation", "Read", "Write", "Meta"] as const;
export type BrowseGroup = (typeof browseGroups)[number];

/** What a command needs before it can run. One that needs only the daemon answers while every page hangs. */
const browseNeeds = ["tab", "session", "daemon"] as const;
export type BrowseNeed = (typeof browseNeeds)[number];

interface Scopes {
  readonly tab: TabScope;
  readonly session: SessionScope;
  readonly daemon: DaemonScope;
}

/** A command without its handler. */
export interface BrowseRecord<Args extends z.ZodObject = z.ZodObject, Need extends BrowseNeed = BrowseNeed> {
  /** One word after `devflow browse`; two for `state save`. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly group: BrowseGroup;
  readonly effect: CommandEffect;
  /** It loses something of the browser: never suggested for a typo. */
  readonly destroys?: boolean;
  readonly needs: Need;
  readonly args: Args;
  /** Without the leading `devflow browse`. */
  readonly examples: readonly CommandExample[];
  /** Schema of the answer's `data`. */
  readonly output?: z.ZodType;
  /**
   * After this the page's script is terminated, and if that fails the tab is replaced. Default 30 s. A command with a
   * `timeout` argument of its own has that as its deadline.
   */
  readonly deadlineMs?: number;
}

export type BrowseInput<Record extends Pick<BrowseRecord, "args">> = z.output<Record["args"]>;

/** A command with any arguments. */
export interface AnyBrowseCommand extends BrowseRecord {
  /** Loaded when the command first runs. */
  readonly handler: () => Promise<(input: never, scope: never) => Promise<Answer>>;
}

export function defineBrowseRecord<Args extends z.ZodObject, Need extends BrowseNeed>(
  record: BrowseRecord<Args, Need>,
): BrowseRecord<Args, Need> {
  return record;
}

export function defineBrowseCommand<Args extends z.ZodObject, Need extends BrowseNeed>(
  record: BrowseRecord<Args, Need>,
  handler: () => Promise<(input: z.output<Args>, scope: Scopes[Need]) => Promise<Answer>>,
): AnyBrowseCommand {
  return { ...record, handler };
}

export interface Answer {
  /** For the terminal. An agent pays for every character. */
  readonly text: string;
  /** For `--json`. */
  readonly data: unknown;
  /** It contains text from the page: the daemon cleans it and wraps it once in a nonce boundary. */
  readonly fromPage?: boolean;
  /** The process's exit code, for an answer that reports a failure; 0 by default. */
  readonly exit?: number;
}

/** What every handler gets. */
export interface CommandScope {
  /** Aborted when the caller goes away, the deadline passes or the daemon stops. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  timeLeft(): number;
  readonly files: FileGate;
  readonly policy: PolicyGate;
}

/** For commands about the whole browser; nothing here waits for a page. */
export interface DaemonScope extends CommandScope {
  readonly daemon: BrowseDaemon;
}

export interface SessionScope extends CommandScope {
  readonly session: BrowseSession;
}

export interface TabScope extends SessionScope {
  readonly tab: Tab;
  /** Resolves when the page may be acted on: what will be typed is hidden from its logs by then. */
  readonly mayAct?: Promise<unknown>;
}

/** The running daemon as commands see it. */
export interface BrowseDaemon {
  /** The caller's session. */
  readonly sessionName: string;
  readonly workspace: string;
  /** What is known without asking a page. */
  status(): DaemonStatus;
  /** Tabs of the caller's session, or of all; without titles when Chromium does not answer at once. */
  tabs(all: boolean): Promise<readonly TabStatus[]>;
  /** Stops the daemon after this command has been answered. */
  stop(): void;
  /** Stops Chromium; the next command starts it again, with or without a window, and restores everything unless `fresh`. */
  restartBrowser(how?: { readonly window?: boolean; readonly fresh?: boolean }): Promise<void>;
  /** Runs one step of `chain` in the caller's session, with the same checks as a single command. */
  runStep(words: readonly string[]): Promise<Answer>;
  /** A step as it may be repeated in an answer: without what is typed into pages. */
  describeStep(words: readonly string[]): string;
  /** The session's cookies, with values, and storage. */
  saveState(): Promise<SavedState>;
  loadState(state: SavedState): Promise<void>;
  /** Encrypts text so that only this machine can read it. */
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
  /** When it ends, in words. */
  readonly lease: string;
}

export interface TabStatus {
  readonly session: string;
  readonly id: string;
  readonly url: string;
  readonly title?: string;
  readonly isCurrent: boolean;
}

/** A session's cookies and storage. */
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
  /** The session ends with this process. */
  readonly ownerPid?: number | undefined;
}

export interface OpenedSession {
  readonly name: string;
  readonly token: string;
  readonly lease: string;
}

/** The URL policy in force; `policy` shows and narrows it. */
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
  /** `t1`; never reused in a session. */
  readonly id: string;
  readonly page: Page;
  /** The frame commands work in: the one chosen with `frame`, else the main frame. */
  frame(): Frame;
  selectFrame(frame: Frame | undefined): void;
  /** The tab's CDP session, opened on first use. */
  cdp(): Promise<CDPSession>;
  readonly logs: TabLogs;
  /** State a feature keeps per tab (last snapshot, groups, routes): created on first use, dropped with the tab. */
  memory<T>(key: symbol, make: () => T): T;
}

/** What happened in a tab, oldest first, with increasing numbers. Secrets are redacted before an entry is stored. */
export interface TabLogs {
  readonly console: LogRing<ConsoleEntry>;
  readonly network: LogRing<NetworkEntry>;
  readonly dialogs: LogRing<DialogEntry>;
  readonly downloads: LogRing<DownloadEntry>;
  /** Redacts this value (one typed into a password field) from all later log entries, files and answers. */
  hide?(secret: string): void;
}

export interface LogRing<Entry> {
  /** Number of the newest entry; 0 when there is none. */
  readonly seq: number;
  /** Entries after `seq`, at most as many as the ring holds. */
  since(seq: number): readonly (Entry & { readonly seq: number; readonly at: string })[];
  push(entry: Entry): void;
}

export interface ConsoleEntry {
  readonly level: "log" | "info" | "warn" | "error" | "debug" | "uncaught";
  readonly text: string;
  /** `file:line:column`, when known. */
  readonly place?: string;
}

export interface NetworkEntry {
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly status?: number;
  readonly ms?: number;
  readonly bytes?: number;
  /** Why it failed: `net::ERR_…`, or `blocked by policy`. */
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

/** Which paths commands may write or read: inside the workspace or the temp folder, by realpath, never through a link. */
export interface FileGate {
  /** The workspace's root, for files written without a given name. */
  readonly workspace?: string;
  /** The absolute path; throws `browse_path_refused` when it may not be written. */
  forWriting(path: string): Promise<string>;
  forReading(path: string): Promise<string>;
}

/** Throws `browse_url_refused` for a URL that the policy forbids. */
export interface PolicyGate {
  checkUrl(url: string): void;
}
