/**
 * What the Browse screen shows of the daemon: sessions, tabs, what the last commands changed, and a picture of a tab.
 * Only the owner may read it. It changes nothing, does not keep the daemon alive, and waits for no page.
 *
 * - `Overview.all()` everything except pictures; command arguments are left out, since they may contain secrets.
 * - `Overview.picture(session, tab)` what the tab shows. It comes from Chromium's compositor, so it works even while the
 *   page's script never ends. It is taken only on request, one at a time and at most twice a second per tab.
 *   Measured, 1280×800 with 300 coloured rows, 2 busy cores: 22–43 ms and 12–18 KB, where a screenshot takes 26–118 ms
 *   and 33 KB and never arrives from a page that hangs; 19 ms of CPU per picture. The page sees no resize and no script.
 * - `RecentCommands.note(done)` stores a finished command.
 */

import type { CommandEffect } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainText } from "@devflow/core/plain-text";
import type { DaemonStatus, TabStatus } from "../command.ts";
import { type ControlParts, statusOf, tabsOf } from "./control.ts";
import { tryWithin } from "./deadline.ts";
import type { DoneCommand } from "./dispatcher.ts";
import type { OpenTab } from "./tab.ts";

export interface RecentCommand {
  readonly seq: number;
  readonly at: string;
  readonly session: string;
  readonly tab?: string;
  readonly command: string;
  readonly effect: CommandEffect;
  readonly outcome: "done" | "failed";
  readonly text: string;
  readonly ms: number;
}

export interface DaemonOverview {
  readonly status: DaemonStatus;
  readonly tabs: readonly TabStatus[];
  readonly recent: readonly RecentCommand[];
}

export interface TabPicture {
  readonly state: "live" | "page does not answer" | "none";
  /** How long the page's script has not answered. */
  readonly silentMs?: number;
  readonly at?: string;
  /** Base64. */
  readonly jpeg?: string;
}

const maxRecent = 100;
const maxTextLength = 2_000;

export class RecentCommands {
  readonly #entries: RecentCommand[] = [];
  #seq = 0;

  note({ record, session, tab, startedAt, answer, error, clean }: DoneCommand): void {
    const failed = error !== undefined;
    const text = failed
      ? error.message
      : record.effect === "read"
        ? `read ${answer?.text.length ?? 0} characters`
        : (answer?.text ?? "");
    this.#entries.push({
      seq: ++this.#seq,
      at: new Date(startedAt).toISOString(),
      session,
      ...(tab === undefined ? {} : { tab }),
      command: record.name,
      effect: record.effect,
      outcome: failed ? "failed" : "done",
      text: bounded(plainText(clean(text.slice(0, 4 * maxTextLength)))),
      ms: Date.now() - startedAt,
    });
    if (this.#entries.length > maxRecent) this.#entries.shift();
  }

  newestFirst(): readonly RecentCommand[] {
    return this.#entries.toReversed();
  }
}

function bounded(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength).toWellFormed()}…` : text;
}

const pictureOfTab = Symbol("picture");
const keptMs = 500;
const frameLimitMs = 1_500;
/** A page that is busy for less than this does not count as hanging. */
const probeMs = 400;
const size = { maxWidth: 800, maxHeight: 1_200 };

interface PictureState {
  jpeg?: string;
  at?: string;
  takenAt: number;
  /** When the page was asked for an answer that has not come yet. */
  askedAt?: number;
  taking?: Promise<void>;
}

export class Overview {
  readonly #parts: ControlParts;
  readonly #recent: RecentCommands;

  constructor(parts: ControlParts, recent: RecentCommands) {
    this.#parts = parts;
    this.#recent = recent;
  }

  async all(): Promise<DaemonOverview> {
    const status = statusOf(this.#parts);
    const running = status.running.map((one) => ({ ...one, command: one.command.split(" ", 1)[0] ?? "" }));
    return {
      status: { ...status, running },
      tabs: (await tabsOf(this.#parts, undefined)).map((tab) => ({
        ...tab,
        url: bounded(plainText(tab.url)),
        ...(tab.title === undefined ? {} : { title: bounded(plainText(tab.title)) }),
      })),
      recent: this.#recent.newestFirst(),
    };
  }

  async picture(request: unknown): Promise<TabPicture> {
    const { session, tab: id } = request as { session?: unknown; tab?: unknown };
    if (typeof session !== "string" || typeof id !== "string") {
      throw new DevflowError("input_invalid", { details: { problem: "A picture needs a session and a tab." } });
    }
    const tab = this.#parts.sessions
      .find(session)
      ?.tabs()
      .find((one) => one.id === id);
    if (!tab) return { state: "none" };
    const seen = tab.memory<PictureState>(pictureOfTab, () => ({ takenAt: 0 }));
    if (Date.now() - seen.takenAt > keptMs) {
      seen.taking ??= take(tab, seen).finally(() => {
        delete seen.taking;
      });
      await seen.taking;
    }
    const silentMs = seen.askedAt === undefined ? 0 : Date.now() - seen.askedAt;
    const picture = seen.jpeg === undefined ? {} : { jpeg: seen.jpeg, at: seen.at ?? new Date().toISOString() };
    if (silentMs >= probeMs) return { state: "page does not answer", silentMs, ...picture };
    return { state: seen.jpeg === undefined ? "none" : "live", ...picture };
  }
}

/** Always ends within the limits; if no frame arrives, the last picture is kept. */
async function take(tab: OpenTab, seen: PictureState): Promise<void> {
  const cdp = await tryWithin(tab.cdp(), frameLimitMs);
  seen.takenAt = Date.now();
  if (!cdp) {
    seen.askedAt ??= Date.now();
    return;
  }
  if (seen.askedAt === undefined) {
    seen.askedAt = Date.now();
    void cdp
      .send("Runtime.evaluate", { expression: "1", returnByValue: true })
      .catch(() => {})
      .then(() => {
        delete seen.askedAt;
      });
  }
  let onFrame: (frame: { data: string; sessionId: number }) => void = () => {};
  const frame = new Promise<string>((resolve) => {
    onFrame = ({ data }) => resolve(data);
    cdp.once("Page.screencastFrame", onFrame);
  });
  try {
    cdp.send("Page.startScreencast", { format: "jpeg", quality: 60, ...size }).catch(() => {});
    const jpeg = await tryWithin(frame, frameLimitMs);
    if (jpeg !== undefined) Object.assign(seen, { jpeg, at: new Date().toISOString() });
  } finally {
    cdp.off("Page.screencastFrame", onFrame);
    cdp.send("Page.stopScreencast").catch(() => {});
  }
  const silent = () => seen.askedAt !== undefined;
  for (let waited = 0; silent() && waited < probeMs; waited += 50) await pause(50);
  seen.takenAt = Date.now();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
