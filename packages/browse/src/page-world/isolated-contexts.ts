/**
 * Devflow's world in each frame as Chromium's protocol addresses it, for the few questions that only the browser
 * itself can answer.
 *
 * - `isolatedContexts(tab)` one for each frame that has such a world, frames in processes of their own included.
 */
import type { CDPSession } from "playwright-core";
import type { Tab } from "../command.ts";

export interface IsolatedContext {
  readonly cdp: CDPSession;
  readonly contextId: number;
  evaluate(expression: string, options?: { readonly includeCommandLineAPI?: boolean }): Promise<unknown>;
}

/** Playwright's name for its isolated worlds. */
const worldName = "__playwright_utility_world";

export async function isolatedContexts(tab: Tab): Promise<IsolatedContext[]> {
  const main = await tab.cdp();
  const others = await Promise.all(
    tab.page
      .frames()
      .filter((frame) => frame !== tab.page.mainFrame())
      // Only frames in a process of their own have a session; the others are in the session of their parent.
      .map((frame) =>
        tab.page
          .context()
          .newCDPSession(frame)
          .catch(() => undefined),
      ),
  );
  const sessions = [main, ...others.filter((session) => session !== undefined)];
  return (await Promise.all(sessions.map(contextsIn))).flat();
}

async function contextsIn(cdp: CDPSession): Promise<IsolatedContext[]> {
  const found: IsolatedContext[] = [];
  const onContext = ({ context }: { context: { id: number; name: string } }) => {
    if (context.name.startsWith(worldName)) found.push(isolatedContext(cdp, context.id));
  };
  cdp.on("Runtime.executionContextCreated", onContext);
  try {
    // Enabling tells of every context there is, before it answers.
    await cdp.send("Runtime.enable");
    await cdp.send("Runtime.disable");
  } finally {
    cdp.off("Runtime.executionContextCreated", onContext);
  }
  return found;
}

function isolatedContext(cdp: CDPSession, contextId: number): IsolatedContext {
  return {
    cdp,
    contextId,
    async evaluate(expression, options = {}) {
      const { result } = await cdp.send("Runtime.evaluate", { expression, contextId, returnByValue: true, ...options });
      return result.value;
    },
  };
}
