/**
 * Playwright notes for each call from where in the code it came, for its traces and messages: 0.1 ms per message of the
 * DevTools protocol once the daemon is warm, and more before, while the message itself takes 0.3 ms. Calls that are made
 * inside another call of Playwright do without, so the messages of a session are made to look like that.
 *
 * - `withoutCallSites(session)` the same session. It works as before where Playwright has no such calls (version 1.65; the
 *   test fails when this changes).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CDPSession } from "playwright-core";

/** Runs something in the context in which it was made. */
type InContext = <T>(work: () => T) => T;
type Wrap = (work: () => Promise<InContext>, options: { readonly internal: boolean }) => Promise<InContext>;

export async function withoutCallSites(session: CDPSession): Promise<CDPSession> {
  const wrap = (session as unknown as { _wrapApiCall?: Wrap })._wrapApiCall;
  if (typeof wrap !== "function") return session;
  const inside = await wrap.call(session, async () => AsyncLocalStorage.snapshot(), { internal: true });
  const send = session.send.bind(session);
  session.send = ((...words: Parameters<typeof send>) => inside(() => send(...words))) as typeof session.send;
  return session;
}
