/**
 * The execution context of Devflow's isolated world in each frame, for the few questions that only the browser itself
 * can answer.
 *
 * - `isolatedContexts(tab)` one for each frame that has such a world, including frames in separate processes.
 * - `contextsOf(cdp)` those of one session of the DevTools protocol.
 */
import type { CDPSession, Frame } from "playwright-core";
import type { Tab } from "../command.ts";

export interface IsolatedContext {
  readonly cdp: CDPSession;
  readonly contextId: number;
  /** Unlike its number it never means another context, not even in another process. */
  readonly unique: string;
  /** The same for every document of a page. */
  readonly name: string;
  /** The page's main world in the same frame. */
  readonly pageContextId: number;
}

/** Playwright's name for its isolated worlds. */
const worldName = "__playwright_utility_world";

export async function isolatedContexts(tab: Tab): Promise<IsolatedContext[]> {
  const main = await tab.cdp();
  const others = await Promise.all(
    tab.page
      .frames()
      .filter((frame) => frame !== tab.page.mainFrame())
      .map(sessionOf),
  );
  const sessions = [main, ...others.filter((session) => session !== undefined)];
  return (await Promise.all(sessions.map(contextsOf))).flat();
}

const sessions = new WeakMap<Frame, CDPSession>();

/** Only frames in a separate process have a session; the others share their parent's. */
async function sessionOf(frame: Frame): Promise<CDPSession | undefined> {
  const known = sessions.get(frame);
  if (known) return known;
  const session = await frame
    .page()
    .context()
    .newCDPSession(frame)
    .catch(() => undefined);
  if (!session) return undefined;
  sessions.set(frame, session);
  session.on("close", () => sessions.delete(frame));
  return session;
}

/** One at a time in a session: a second `enable` would announce nothing. */
const turns = new WeakMap<CDPSession, Promise<unknown>>();

export function contextsOf(cdp: CDPSession): Promise<IsolatedContext[]> {
  const found = (turns.get(cdp) ?? Promise.resolve()).then(() => announced(cdp));
  turns.set(
    cdp,
    found.catch(() => undefined),
  );
  return found;
}

interface ContextCreated {
  readonly context: {
    readonly id: number;
    readonly uniqueId: string;
    readonly name: string;
    readonly auxData?: { readonly [key: string]: unknown };
  };
}

async function announced(cdp: CDPSession): Promise<IsolatedContext[]> {
  const isolated = new Map<unknown, { id: number; uniqueId: string; name: string }>();
  const own = new Map<unknown, number>();
  const onContext = ({ context: { id, uniqueId, name, auxData } }: ContextCreated) => {
    if (name.startsWith(worldName)) isolated.set(auxData?.frameId, { id, uniqueId, name });
    else if (auxData?.isDefault) own.set(auxData.frameId, id);
  };
  cdp.on("Runtime.executionContextCreated", onContext);
  try {
    // Enabling announces every existing context before it answers. It stays enabled: disabling it in one session means, for all
    // of them, that documents without a script get no context, and Playwright could not read a frame with such a document.
    await Promise.all([cdp.send("Runtime.disable"), cdp.send("Runtime.enable")]);
    forgetLogged(cdp);
  } finally {
    cdp.off("Runtime.executionContextCreated", onContext);
  }
  return [...isolated].flatMap(([frame, { id, uniqueId, name }]) => {
    const pageContextId = own.get(frame);
    return pageContextId === undefined ? [] : [{ cdp, contextId: id, unique: uniqueId, name, pageContextId }];
  });
}

const forgetful = new WeakSet<CDPSession>();
const mostLogged = 100;

/** What a page logs would be kept for this session as long as the page is open. */
function forgetLogged(cdp: CDPSession): void {
  if (forgetful.has(cdp)) return;
  forgetful.add(cdp);
  let logged = 0;
  cdp.on("Runtime.consoleAPICalled", () => {
    logged += 1;
    if (logged % mostLogged !== 0) return;
    void cdp.send("Runtime.releaseObjectGroup", { objectGroup: "console" }).catch(() => undefined);
  });
}
