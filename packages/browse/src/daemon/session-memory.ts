/**
 * What is kept of a session, so that it can be restored after Chromium or the daemon has ended.
 *
 * - `captureSession(session, lease, before)` its current state; for a page that does not answer, what was known before.
 * - `noteTabs(session, lease, before)` the tabs only, without asking a page.
 * - `forDisk(sessions)` what may be written: tabs, URLs and scroll positions. Values of cookies and storage are never
 *   written; they survive the end of Chromium in the daemon's memory, and an upgrade through a pipe.
 */
import { redactSecrets } from "@devflow/redact";
import type { SavedState } from "../command.ts";
import { tryWithin } from "./deadline.ts";
import type { Lease } from "./lease.ts";
import type { OpenSession } from "./session.ts";
import type { OpenTab } from "./tab.ts";

export interface RememberedTab {
  readonly id: string;
  readonly url: string;
  readonly scroll: { readonly x: number; readonly y: number };
  readonly origin?: string;
  readonly sessionStorage?: Readonly<Record<string, string>>;
  /** The URL contained a secret, so only its beginning was written. */
  readonly isCut?: boolean;
}

export interface RememberedSession {
  readonly name: string;
  readonly tabs: readonly RememberedTab[];
  readonly current: string | undefined;
  readonly nextTab: number;
  readonly lease: Lease;
  /** Why it has to be restored, if not because the browser ended. */
  readonly reason?: string;
  /** Undefined when only the tabs are known, because the daemon was killed. */
  readonly state?: SavedState;
}

/** What is known without asking a page: the tabs and their URLs. */
export function noteTabs(session: OpenSession, lease: Lease, before: RememberedSession | undefined): RememberedSession {
  const tabs = session.tabs().map((tab): RememberedTab => {
    const known = before?.tabs.find(({ id }) => id === tab.id);
    const url = tab.page.url();
    return known?.url === url ? known : { id: tab.id, url, scroll: { x: 0, y: 0 } };
  });
  const state = before?.state ?? { cookies: [], origins: [] };
  return { name: session.name, tabs, current: session.currentId, nextTab: session.nextTab, lease, state };
}

interface PageMemory {
  readonly origin: string;
  readonly scroll: { x: number; y: number };
  readonly local: Record<string, string>;
  readonly session: Record<string, string>;
}

const pageLimitMs = 1_000;

export async function captureSession(
  session: OpenSession,
  lease: Lease,
  before: RememberedSession | undefined,
): Promise<RememberedSession> {
  const origins = new Map(before?.state?.origins.map((one) => [one.origin, one]) ?? []);
  const tabs = await Promise.all(
    session.tabs().map(async (tab): Promise<RememberedTab> => {
      const memory = await tryWithin(askPage(tab), pageLimitMs);
      const url = tab.page.url();
      const known = before?.tabs.find(({ id }) => id === tab.id);
      if (!memory) return known?.url === url ? known : { id: tab.id, url, scroll: { x: 0, y: 0 } };
      const localStorage = Object.entries(memory.local).map(([name, value]) => ({ name, value }));
      if (memory.origin !== "null") origins.set(memory.origin, { origin: memory.origin, localStorage });
      const { origin, scroll } = memory;
      return { id: tab.id, url, scroll, origin, sessionStorage: memory.session };
    }),
  );
  const cookies = (await session.hideCookies()) ?? [...(before?.state?.cookies ?? [])];
  const state = { cookies, origins: [...origins.values()].filter((one) => one.localStorage.length > 0) };
  return { name: session.name, tabs, current: session.currentId, nextTab: session.nextTab, lease, state };
}

async function askPage(tab: OpenTab): Promise<PageMemory> {
  return await tab.page.evaluate(() => {
    const read = <T extends object>(source: () => T): Record<string, string> => {
      try {
        return { ...source() } as unknown as Record<string, string>;
      } catch {
        // A page without an origin has no storage.
        return {};
      }
    };
    // Chromium stores a cookie that a script sets after the script went on. Reading cookies waits for it.
    read(() => ({ cookie: document.cookie }));
    return {
      origin: location.origin,
      scroll: { x: scrollX, y: scrollY },
      local: read(() => localStorage),
      session: read(() => sessionStorage),
    };
  });
}

export function forDisk(sessions: readonly RememberedSession[]): string {
  const plain = sessions.map(({ name, tabs, current, nextTab, lease }) => ({
    name,
    current,
    nextTab,
    lease,
    tabs: tabs.map(({ id, url, scroll }) => ({ id, scroll, ...urlForDisk(url) })),
  }));
  return `${JSON.stringify({ sessions: plain })}\n`;
}

type WrittenUrl = { readonly url: string; readonly isCut?: boolean };
/** Every command writes the tabs, and looking for secrets takes longer than the rest. */
const written = new Map<string, WrittenUrl>();
const mostWritten = 200;

function urlForDisk(url: string): WrittenUrl {
  const known = written.get(url);
  if (known) return known;
  if (written.size >= mostWritten) written.clear();
  const made = withoutSecret(url);
  written.set(url, made);
  return made;
}

function withoutSecret(url: string): WrittenUrl {
  if (redactSecrets(url).found.length === 0) return { url };
  const cut = /^[a-z]+:\/\/(?:[^/@]*@)?([^/?#]*[^?#]*)/i.exec(url);
  const plain = cut ? `${new URL(url).protocol}//${cut[1]}` : "about:blank";
  return { url: redactSecrets(plain).found.length === 0 ? plain : "about:blank", isCut: true };
}

export function fromDisk(text: string | undefined): RememberedSession[] {
  try {
    const { sessions } = JSON.parse(text ?? "{}") as { sessions?: RememberedSession[] };
    return (sessions ?? []).filter(({ name, tabs }) => typeof name === "string" && Array.isArray(tabs));
  } catch {
    return [];
  }
}
