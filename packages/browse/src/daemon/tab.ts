/**
 * One tab: its page, the frame that commands work in, its logs and its CDP session.
 *
 * Commands in a tab run one after the other (`inTurn`), so that a receipt covers exactly one command.
 */
import type { CDPSession, Frame, Page } from "playwright-core";
import type { ConsoleEntry, DialogEntry, DownloadEntry, NetworkEntry, Tab, TabLogs } from "../command.ts";
import { type LogKind, type Redactor, Ring } from "../logs/index.ts";
import { withoutCallSites } from "../page-world/without-call-sites.ts";

export interface TabOptions {
  readonly id: string;
  readonly page: Page;
  readonly redactor: Redactor;
  readonly keep: (kind: LogKind, entry: object) => void;
}

export class OpenTab implements Tab {
  readonly id: string;
  readonly page: Page;
  readonly logs: TabLogs;
  readonly #memory = new Map<symbol, unknown>();
  #frame: Frame | undefined;
  #cdp: Promise<CDPSession> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #turns = 0;
  /** How often Chromium has shown its error page. */
  errorPages = 0;
  /** Chromium's id for the tab, once known. */
  targetId: string | undefined;

  constructor({ id, page, redactor, keep }: TabOptions) {
    this.id = id;
    this.page = page;
    this.logs = {
      console: new Ring<ConsoleEntry>(redactor, (entry) => keep("console", entry)),
      network: new Ring<NetworkEntry>(redactor, (entry) => keep("network", entry)),
      dialogs: new Ring<DialogEntry>(redactor, (entry) => keep("dialogs", entry)),
      downloads: new Ring<DownloadEntry>(redactor, (entry) => keep("downloads", entry)),
      hide: (secret) => redactor.hide(secret),
    };
    // Opened now, since it is too late when the page hangs.
    void this.#connect().catch(() => {});
  }

  async #connect(): Promise<void> {
    const cdp = await this.cdp();
    const { targetInfo } = await cdp.send("Target.getTargetInfo");
    this.targetId = targetInfo.targetId;
  }

  frame(): Frame {
    if (this.#frame?.isDetached()) this.#frame = undefined;
    return this.#frame ?? this.page.mainFrame();
  }

  selectFrame(frame: Frame | undefined): void {
    this.#frame = frame;
  }

  cdp(): Promise<CDPSession> {
    this.#cdp ??= this.page.context().newCDPSession(this.page).then(withoutCallSites);
    return this.#cdp;
  }

  memory<T>(key: symbol, make: () => T): T {
    if (!this.#memory.has(key)) this.#memory.set(key, make());
    return this.#memory.get(key) as T;
  }

  /** Runs `work` after all earlier work has ended. `hold` keeps the turn for longer than the result takes. */
  inTurn<T>(work: (hold: (until: Promise<unknown>) => void) => Promise<T>): Promise<T> {
    const held: Promise<unknown>[] = [];
    this.#turns += 1;
    const result = this.#turn.then(() => work((until) => held.push(until)));
    const settled = () => Promise.allSettled(held);
    this.#turn = result.then(settled, settled).finally(() => {
      this.#turns -= 1;
    });
    return result;
  }

  /** A command works in it, or waits to. */
  get isBusy(): boolean {
    return this.#turns > 0;
  }
}
