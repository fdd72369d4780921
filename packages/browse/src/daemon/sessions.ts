/**
 * The sessions of a daemon by name, each with a context of its own in the one Chromium.
 *
 * - `get(name)` the session, opened when there is none.
 */
import type { BrowserContextOptions } from "playwright-core";
import type { LogFiles } from "../logs/index.ts";
import type { Chromium } from "./chromium.ts";
import { OpenSession } from "./session.ts";

export const contextDefaults: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  acceptDownloads: true,
  // A certificate of one's own on localhost is the rule in development; other hosts are not excused: see goto.
  ignoreHTTPSErrors: false,
};

export class Sessions {
  readonly #chromium: Chromium;
  readonly #files: LogFiles;
  readonly #open = new Map<string, OpenSession>();
  readonly #opening = new Map<string, Promise<OpenSession>>();

  constructor(chromium: Chromium, files: LogFiles) {
    this.#chromium = chromium;
    this.#files = files;
  }

  find(name: string): OpenSession | undefined {
    return this.#open.get(name);
  }

  list(): readonly OpenSession[] {
    return [...this.#open.values()];
  }

  get(name: string): Promise<OpenSession> {
    const open = this.#open.get(name);
    if (open) return Promise.resolve(open);
    const opening = this.#opening.get(name) ?? this.#start(name).finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    return opening;
  }

  /** Chromium is gone, and all of them with it. */
  forgetAll(): void {
    this.#open.clear();
  }

  async #start(name: string): Promise<OpenSession> {
    const { browser } = await this.#chromium.ensure();
    const context = await browser.newContext(contextDefaults);
    const session = new OpenSession({ name, context, files: this.#files });
    this.#open.set(name, session);
    return session;
  }
}
