/**
 * The sessions of a daemon by name, each with its own context in the one Chromium, a lease, and a memory from which it
 * is restored when Chromium or the daemon has ended.
 *
 * - `get(name, callerPid)` the session, opened or restored if necessary; `note` says what was restored.
 * - `remember(name)` stores its tabs at once and the rest soon after; `rememberAll()` stores everything now.
 * - `rememberMoved(name)` if a tab was opened, closed or went elsewhere, that is on disk when it resolves.
 * - `memory()` what a successor needs.
 * - `forget(name)` the session starts empty with its next command.
 * - `endLeases()` closes sessions whose agent is gone.
 */
import { writeFileAtomic } from "@devflow/core/atomic-file";
import type { BrowserContextOptions } from "playwright-core";
import type { PolicyGate, SavedState, SessionStatus } from "../command.ts";
import type { LogFiles } from "../logs/index.ts";
import type { Chromium } from "./chromium.ts";
import { tryWithin } from "./deadline.ts";
import { hasEnded, type Lease, leaseOf, leaseOn, leaseWords } from "./lease.ts";
import { restoredNote, restoreTabs } from "./restore.ts";
import { OpenSession } from "./session.ts";
import { captureSession, forDisk, noteTabs, type RememberedSession } from "./session-memory.ts";
import type { OpenTab } from "./tab.ts";

const contextDefaults: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, acceptDownloads: true };
/** A burst of commands is captured once, after its end. */
const rememberAfterMs = 200;
/** No answer waits longer for the disk. */
const slowDiskMs = 250;

export interface SessionsOptions {
  readonly chromium: Chromium;
  readonly files: LogFiles;
  readonly policy: PolicyGate;
  /** The file with the tabs, for a successor. */
  readonly tabsFile: string;
  readonly onEnded: (name: string) => void;
  readonly prepareTab: (tab: OpenTab) => void;
}

export interface Ready {
  readonly session: OpenSession;
  /** What was restored and what was lost, for the first caller. */
  readonly note?: string;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #open = new Map<string, OpenSession>();
  readonly #opening = new Map<string, Promise<Ready>>();
  readonly #leases = new Map<string, Lease>();
  readonly #memories = new Map<string, RememberedSession>();
  readonly #capturing = new Map<string, Promise<unknown>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Why sessions that are not open have to be restored. */
  #reason = "The browser was restarted";
  #written = "";
  #writing: Promise<void> = Promise.resolve();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  find(name: string): OpenSession | undefined {
    return this.#open.get(name);
  }

  list(): readonly OpenSession[] {
    return [...this.#open.values()];
  }

  status(): readonly SessionStatus[] {
    const names = new Set([...this.#open.keys(), ...this.#memories.keys(), ...this.#leases.keys()]);
    return [...names].map((name) => ({
      name,
      tabs: this.#open.get(name)?.tabs().length ?? this.#memories.get(name)?.tabs.length ?? 0,
      lease: leaseWords(this.#leases.get(name) ?? {}),
    }));
  }

  /** Sessions that are not open now, as they would be restored. */
  remembered(): readonly RememberedSession[] {
    return this.memory().filter(({ name }) => !this.#open.has(name));
  }

  async get(name: string, callerPid: number): Promise<Ready> {
    this.#options.chromium.reapIfKilled();
    const session = this.#open.get(name);
    if (session) return { session };
    const opening = this.#opening.get(name);
    // Only the first caller gets the note.
    if (opening) return { session: (await opening).session };
    if (name !== "default" && !this.#leases.has(name)) this.#leases.set(name, leaseOf(callerPid));
    const started = this.#startWithRetry(name).finally(() => this.#opening.delete(name));
    this.#opening.set(name, started);
    return await started;
  }

  /** Sets the process that the session ends with, before its first command. */
  leaseTo(name: string, pid: number | undefined): string {
    const lease = pid === undefined ? {} : leaseOn(pid);
    this.#leases.set(name, lease);
    return leaseWords(lease);
  }

  async close(name: string): Promise<boolean> {
    const session = this.#open.get(name);
    const isKnown = session !== undefined || this.#memories.has(name) || this.#leases.has(name);
    clearTimeout(this.#timers.get(name));
    for (const map of [this.#open, this.#memories, this.#leases, this.#timers]) map.delete(name);
    this.#options.onEnded(name);
    this.#write();
    await session?.context.close().catch(() => {});
    return isKnown;
  }

  /** Ends the session's context and forgets what would be restored. Its lease and tokens stay. */
  async forget(name: string): Promise<void> {
    const session = this.#open.get(name);
    clearTimeout(this.#timers.get(name));
    for (const map of [this.#open, this.#memories, this.#timers]) map.delete(name);
    this.#write();
    await session?.context.close().catch(() => {});
  }

  async endLeases(): Promise<void> {
    const ended = [...this.#leases].filter(([, lease]) => hasEnded(lease)).map(([name]) => name);
    await Promise.all(ended.map((name) => this.close(name)));
  }

  /** Chromium is gone, and all contexts with it. */
  lost(reason: string): void {
    this.#reason = reason;
    this.#open.clear();
  }

  remember(name: string): void {
    clearTimeout(this.#timers.get(name));
    const session = this.#open.get(name);
    if (!session) return;
    this.#memories.set(name, noteTabs(session, this.#leases.get(name) ?? {}, this.#memories.get(name)));
    this.#write();
    const timer = setTimeout(() => void this.#capture(name), rememberAfterMs);
    timer.unref();
    this.#timers.set(name, timer);
  }

  /** After an answer that a page was opened, it can be restored, even if the daemon is killed at once. */
  async rememberMoved(name: string): Promise<void> {
    const session = this.#open.get(name);
    if (!session) return;
    const known = this.#memories.get(name)?.tabs ?? [];
    const tabs = session.tabs();
    const isSame = tabs.length === known.length && tabs.every(({ page }, at) => page.url() === known[at]!.url);
    if (isSame) return;
    this.remember(name);
    await tryWithin(this.#writing, slowDiskMs);
  }

  async rememberAll(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all([...this.#open.keys()].map((name) => this.#capture(name)));
    await this.#writing;
  }

  async hideCookies(): Promise<void> {
    await Promise.all(this.list().map((session) => session.hideCookies()));
  }

  memory(): readonly RememberedSession[] {
    return [...this.#memories.values()];
  }

  /** What a predecessor left, before the first command. */
  inherit(sessions: readonly RememberedSession[], reason: string): void {
    this.#reason = reason;
    for (const one of sessions) {
      if (hasEnded(one.lease ?? {})) continue;
      this.#memories.set(one.name, one);
      this.#leases.set(one.name, one.lease ?? {});
    }
  }

  async stateOf(name: string): Promise<SavedState> {
    await this.#capture(name);
    return this.#memories.get(name)?.state ?? { cookies: [], origins: [] };
  }

  /** Reopens the session with this state and its tabs. */
  async loadState(name: string, state: SavedState): Promise<void> {
    await this.#capture(name);
    const memory = this.#memories.get(name);
    const session = this.#open.get(name);
    this.#open.delete(name);
    await session?.context.close().catch(() => {});
    const empty = { name, tabs: [], current: undefined, nextTab: 1, lease: this.#leases.get(name) ?? {} };
    this.#memories.set(name, { ...(memory ?? empty), state, reason: "The saved state was loaded" });
  }

  /** If Chromium dies while a session is opened, tries again: nothing has happened yet. */
  async #startWithRetry(name: string): Promise<Ready> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#start(name);
      } catch (error) {
        this.#options.chromium.reapIfKilled();
        if (attempt === 3 || !this.#options.chromium.wasLost(error)) throw error;
      }
    }
  }

  async #start(name: string): Promise<Ready> {
    const { chromium, files, policy, prepareTab } = this.#options;
    const { browser } = await chromium.ensure();
    const memory = this.#memories.get(name);
    const state = memory?.state;
    const context = await browser.newContext({
      ...contextDefaults,
      ...(state ? { storageState: { cookies: [...state.cookies], origins: plainOrigins(state) } } : {}),
    });
    const session = new OpenSession({
      name,
      context,
      files,
      prepareTab,
      ...(memory ? { nextTab: memory.nextTab } : {}),
    });
    if (state) await session.hideCookies();
    const failed = memory ? await restoreTabs(session, memory, policy) : [];
    this.#open.set(name, session);
    return memory && memory.tabs.length > 0
      ? { session, note: restoredNote(memory, memory.reason ?? this.#reason, failed) }
      : { session };
  }

  /** One after the other, so that an earlier capture cannot overwrite a later one. */
  #capture(name: string): Promise<void> {
    const next = (this.#capturing.get(name) ?? Promise.resolve()).then(() => this.#captureNow(name));
    const settled = next.catch(() => undefined);
    this.#capturing.set(name, settled);
    void settled.then(() => {
      if (this.#capturing.get(name) === settled) this.#capturing.delete(name);
    });
    return next;
  }

  async #captureNow(name: string): Promise<void> {
    const session = this.#open.get(name);
    if (!session) return;
    const captured = await captureSession(session, this.#leases.get(name) ?? {}, this.#memories.get(name));
    // Chromium may have ended meanwhile; then what was known before is better than nothing.
    if (this.#open.get(name) !== session) return;
    this.#memories.set(name, captured);
    this.#write();
  }

  #write(): void {
    const text = forDisk(this.memory());
    if (text === this.#written) return;
    this.#written = text;
    // A full disk must not fail the command; it only loses the tabs after a kill.
    this.#writing = this.#writing.then(() => writeFileAtomic(this.#options.tabsFile, text)).catch(() => {});
  }
}

const plainOrigins = ({ origins }: SavedState) =>
  origins.map(({ origin, localStorage }) => ({ origin, localStorage: localStorage.map((item) => ({ ...item })) }));
