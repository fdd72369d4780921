/**
 * One agent's browser context with its tabs. Popups become tabs too; the current tab changes only on request, or when
 * it closes.
 */
import { DevflowError } from "@devflow/core/errors";
import type { BrowserContext, Cookie, Page } from "playwright-core";
import type { BrowseSession } from "../command.ts";
import { type LogFiles, Redactor } from "../logs/index.ts";
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
  #currentId: string | undefined;
  #nextTab: number;
  #opening: Promise<OpenTab> | undefined;
  /** The id for the next page, instead of a new one. */
  #reservedId: string | undefined;

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

  /** The current tab, opened when there is none. */
  async ready(): Promise<OpenTab> {
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
    await tab.page.close();
    this.#forget(tab);
  }

  /** Redacts cookie values wherever they appear. Asks Chromium's browser process, not a page. */
  async hideCookies(): Promise<Cookie[] | undefined> {
    const cookies = await tryWithin(this.context.cookies(), cookiesLimitMs);
    for (const { value } of cookies ?? []) if (value.length >= shortestCookieSecret) this.redactor.hide(value);
    return cookies;
  }

  /** Replaces a page that hangs by an empty one with the same id. */
  async replace(tab: OpenTab): Promise<OpenTab> {
    const wasCurrent = this.#currentId === tab.id;
    this.#forget(tab);
    void tab.page.close().catch(() => {});
    const current = this.#currentId;
    const replacement = await this.open(undefined, tab.id);
    if (!wasCurrent) this.#currentId = current;
    return replacement;
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
    this.#currentId ??= id;
    this.#prepareTab(tab);
    page.once("close", () => this.#forget(tab));
    return tab;
  }

  #forget(tab: OpenTab): void {
    this.#byPage.delete(tab.page);
    if (this.#tabs.get(tab.id) !== tab) return;
    this.#tabs.delete(tab.id);
    if (this.#currentId === tab.id) this.#currentId = [...this.#tabs.keys()].at(-1);
  }

  #noTab(tab: string): DevflowError {
    return new DevflowError("browse_no_tab", { details: { tab, session: this.name } });
  }
}
