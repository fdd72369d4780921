/**
 * One agent's browser context with its tabs. Popups become tabs too; the current tab changes only on request, or when
 * it closes.
 */
import { DevflowError } from "@devflow/core/errors";
import type { BrowserContext, Cookie, Page } from "playwright-core";
import type { BrowseSession } from "../command.ts";
import { type LogFiles, Redactor } from "../logs/index.ts";
import { continueRefs } from "../snapshot/ref-book.ts";
import { tryWithin } from "./deadline.ts";
import { OpenTab } from "./tab.ts";

export interface SessionOptions {
  readonly name: string;
  readonly context: BrowserContext;
  readonly files: LogFiles;
  /** Everything a tab needs before its first command. */
  readonly prepareTab: (tab: OpenTab) => void;
  /** Numbering continues after a restore, so that a tab's id is never reused. */
  readonly nextTab?: number;
}

const cookiesLimitMs = 3_000;
const reopenLimitMs = 15_000;
const closeLimitMs = 3_000;
/** For an empty page. */
const openLimitMs = 6_000;
const mostTries = 3;
/** Of the same URL, before it is no longer opened again. */
const mostCrashes = 2;
/** Shorter values are settings ("dark", "en-GB"), not secrets. */
const shortestCookieSecret = 12;

export class OpenSession implements BrowseSession {
  readonly name: string;
  readonly context: BrowserContext;
  readonly redactor = new Redactor();
  readonly #files: LogFiles;
  readonly #prepareTab: (tab: OpenTab) => void;
  readonly #tabs = new Map<string, OpenTab>();
  readonly #byPage = new Map<Page, OpenTab>();
  /** The tab that opened it: where commands go on when it closes. */
  readonly #openers = new Map<string, string>();
  #currentId: string | undefined;
  #nextTab: number;
  #opening: Promise<OpenTab> | undefined;
  /** The id for the next page, instead of a new one. */
  #reservedId: string | undefined;
  readonly #replacing = new Map<string, Promise<OpenTab>>();
  readonly #crashes = new Map<string, number>();
  readonly #notes: string[] = [];
  /** Tabs that their pages closed, until that is told. */
  readonly #closed: string[] = [];

  constructor({ name, context, files, prepareTab, nextTab = 1 }: SessionOptions) {
    this.name = name;
    this.context = context;
    this.#files = files;
    this.#prepareTab = prepareTab;
    this.#nextTab = nextTab;
    context.on("page", (page) => this.#adopt(page));
  }

  get currentId(): string | undefined {
    return this.#currentId;
  }

  get nextTab(): number {
    return this.#nextTab;
  }

  tabs(): readonly OpenTab[] {
    return [...this.#tabs.values()];
  }

  /** Told with the next answer. */
  note(words: Promise<string | undefined>): void {
    void words.then((text) => text !== undefined && this.#notes.push(text)).catch(() => {});
  }

  takeNotes(): string[] {
    return [...this.#notes.splice(0), ...this.#closedNotes()];
  }

  /** The tab that took this one's place, once it is open; undefined if this one is still in use. */
  replacementOf(tab: OpenTab): Promise<OpenTab> | undefined {
    const replacing = this.#replacing.get(tab.id);
    if (replacing) return replacing;
    const now = this.#tabs.get(tab.id);
    return now === undefined || now === tab ? undefined : Promise.resolve(now);
  }

  /** The current tab, opened when there is none. */
  async ready(): Promise<OpenTab> {
    await this.replaced();
    if (this.#tabs.size > 0) return this.current();
    // Concurrent commands share one new tab.
    this.#opening ??= this.open().finally(() => {
      this.#opening = undefined;
    });
    return await this.#opening;
  }

  current(): OpenTab {
    const tab = this.#currentId === undefined ? undefined : this.#tabs.get(this.#currentId);
    if (!tab) throw this.#noTab("that is current");
    return tab;
  }

  find(id: string): OpenTab {
    const tab = this.#tabs.get(id) ?? this.#tabs.get(`t${id}`);
    if (!tab) throw this.#noTab(id);
    return tab;
  }

  select(id: string): OpenTab {
    const tab = this.find(id);
    this.#currentId = tab.id;
    return tab;
  }

  async open(url?: string, id?: string): Promise<OpenTab> {
    this.#reservedId = id;
    const page = await this.context.newPage();
    const tab = this.#adopt(page);
    this.#currentId = tab.id;
    if (url !== undefined) await page.goto(url);
    return tab;
  }

  async close(id: string): Promise<void> {
    const tab = this.find(id);
    this.#forget(tab);
    // A page that hangs is closed by Chromium in its own time.
    await tryWithin(tab.page.close(), closeLimitMs);
  }

  /** Redacts cookie values wherever they appear. Asks Chromium's browser process, not a page. */
  async hideCookies(): Promise<Cookie[] | undefined> {
    const cookies = await tryWithin(this.context.cookies(), cookiesLimitMs);
    for (const { value } of cookies ?? []) if (value.length >= shortestCookieSecret) this.redactor.hide(value);
    return cookies;
  }

  /** Waits until tabs that hung or crashed have a page again. */
  async replaced(): Promise<void> {
    await Promise.all(this.#replacing.values());
  }

  /** Replaces a page that hangs or crashed by one with the same id, which first opens `url`. */
  replace(tab: OpenTab, url?: string): Promise<OpenTab> {
    const known = this.replacementOf(tab);
    if (known) return known;
    const wasCurrent = this.#currentId === tab.id;
    this.#forget(tab);
    void tab.page.close().catch(() => {});
    const current = this.#currentId;
    const replacing = this.#openSurely(tab.id)
      .then((replacement) => {
        continueRefs(tab, replacement);
        if (!wasCurrent) this.#currentId = current;
        const open = () => replacement.page.goto(url ?? "", { waitUntil: "domcontentloaded", timeout: reopenLimitMs });
        if (url !== undefined) void replacement.inTurn(open).catch(() => {});
        return replacement;
      })
      .finally(() => this.#replacing.delete(tab.id));
    this.#replacing.set(tab.id, replacing);
    return replacing;
  }

  /**
   * A page that dies while it is opened never opens, and Chromium gives a new page the renderer that it had ready, which
   * may die together with the crashed one.
   */
  async #openSurely(id: string): Promise<OpenTab> {
    for (let tries = 1; tries < mostTries; tries++) {
      const opening = this.open(undefined, id);
      const tab = await tryWithin(opening, openLimitMs);
      if (tab && !tab.page.isClosed()) return tab;
      // If it opens after all, nobody waits for it.
      void opening.then((late) => this.close(late.id)).catch(() => {});
    }
    return await this.open(undefined, id);
  }

  /** A crashed page cannot be used again. Its URL is opened once more; a page that crashes every time stays away. */
  #reopen(tab: OpenTab): void {
    const url = tab.page.url();
    const crashes = (this.#crashes.get(url) ?? 0) + 1;
    this.#crashes.set(url, crashes);
    const isHopeless = crashes > mostCrashes;
    this.replace(tab, isHopeless ? undefined : url).catch(() => {});
    this.#notes.push(
      isHopeless
        ? `${tab.id} crashed again at ${url} and is empty now. Try once more: devflow browse goto ${url}`
        : `${tab.id} crashed and was opened again at ${url}; what was typed there is lost.`,
    );
  }

  #adopt(page: Page): OpenTab {
    const known = this.#byPage.get(page);
    if (known) return known;
    const id = this.#reservedId ?? `t${this.#nextTab++}`;
    this.#reservedId = undefined;
    const tab = new OpenTab({
      id,
      page,
      redactor: this.redactor,
      keep: this.#files.writer(this.name, id, this.redactor),
    });
    this.#tabs.set(id, tab);
    this.#byPage.set(page, tab);
    this.#noteOpener(tab);
    this.#currentId ??= id;
    this.#prepareTab(tab);
    page.once("close", () => this.#closedByPage(tab));
    page.once("crash", () => this.#reopen(tab));
    return tab;
  }

  #noteOpener({ id, page }: OpenTab): void {
    if (this.#currentId !== undefined && this.#currentId !== id) this.#openers.set(id, this.#currentId);
    // A link that hides its opener was clicked in the current tab.
    void page.opener().then(
      (opener) => {
        const known = opener && this.#byPage.get(opener);
        if (known) this.#openers.set(id, known.id);
      },
      () => undefined,
    );
  }

  /** The receipt of a command in it tells that itself. */
  #closedByPage(tab: OpenTab): void {
    const wasCurrent = this.#currentId === tab.id;
    this.#forget(tab);
    if (wasCurrent && !tab.isBusy) this.#closed.push(tab.id);
  }

  /** With the address at the time of telling: such a page often sends the one that opened it on. */
  #closedNotes(): string[] {
    const now = this.#currentId === undefined ? undefined : this.#tabs.get(this.#currentId);
    const next = now ? `commands go to ${now.id} now: ${now.page.url()}` : "no tab is left";
    return this.#closed.splice(0).map((id) => `The page closed tab ${id}; ${next}`);
  }

  #forget(tab: OpenTab): void {
    this.#byPage.delete(tab.page);
    if (this.#tabs.get(tab.id) !== tab) return;
    this.#tabs.delete(tab.id);
    const opener = this.#openers.get(tab.id) ?? "";
    this.#openers.delete(tab.id);
    if (this.#currentId !== tab.id) return;
    this.#currentId = this.#tabs.has(opener) ? opener : [...this.#tabs.keys()].at(-1);
  }

  #noTab(tab: string): DevflowError {
    return new DevflowError("browse_no_tab", { details: { tab, session: this.name } });
  }
}
