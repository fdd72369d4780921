/**
 * The shortest way to Devflow's code in a tab's page: one message of the DevTools protocol instead of a locator (CPU time of
 * a question in the daemon: 0.5 instead of 1.4 ms). It is open for the page itself, not for frames in it, and from the
 * second question to a document on: the first one goes through Playwright, which brings the code there.
 *
 * - `followWorld(tab)` from now on its page can be asked this way.
 * - `isDirect(frame)` whether the way is open.
 * - `askDirectly(frame, question)` the answer; undefined when the way is not open, or closed meanwhile. Questions that are
 *   asked at the same time travel in one message and are answered in their order.
 * - `readAfterTyping(frame)` the page as soon as it has reacted to what is typed next into the field that was selected last;
 *   undefined when the way is not open, or closed meanwhile. Never answers when nothing is typed.
 * - `lookForWorld(frame)` opens the way, in the background.
 * - `worldsOf(tab)` the contexts of Devflow's code in all frames, without a round trip where the way is open.
 */
import { type CDPSession, errors, type Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { contextsOf, type IsolatedContext, isolatedContexts } from "./isolated-contexts.ts";
import type { PageAnswers, PageQuestion, PageReading } from "./questions.ts";

export interface AskOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface Asked {
  readonly question: PageQuestion;
  readonly answer: PromiseWithResolvers<{ readonly value: unknown } | undefined>;
}

interface Way {
  readonly tab: Tab;
  world: IsolatedContext | undefined;
  looking: Promise<void> | undefined;
  waiting: Asked[];
}

const ways = new WeakMap<Frame, Way>();

export function followWorld(tab: Tab): void {
  const way: Way = { tab, world: undefined, looking: undefined, waiting: [] };
  const main = tab.page.mainFrame();
  ways.set(main, way);
  tab.page.on("framenavigated", (frame) => {
    if (frame === main) way.world = undefined;
  });
}

export function isDirect(frame: Frame): boolean {
  return ways.get(frame)?.world !== undefined;
}

export async function worldsOf(tab: Tab): Promise<readonly IsolatedContext[]> {
  const known = ways.get(tab.page.mainFrame())?.world;
  return known && tab.page.frames().length === 1 ? [known] : isolatedContexts(tab);
}

export async function askDirectly<Q extends PageQuestion>(
  frame: Frame,
  question: Q,
  { timeoutMs = 5_000, signal }: AskOptions = {},
): Promise<{ readonly value: PageAnswers[Q["ask"]] } | undefined> {
  const way = ways.get(frame);
  if (!way?.world) return undefined;
  const asked: Asked = { question, answer: Promise.withResolvers() };
  if (way.waiting.length === 0) setImmediate(() => sendAll(way));
  way.waiting.push(asked);
  const stopped = Promise.withResolvers<never>();
  const late = () => stopped.reject(new errors.TimeoutError(`Timeout ${timeoutMs}ms exceeded.`));
  const timer = setTimeout(late, timeoutMs);
  const onAbort = () => stopped.reject(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  try {
    const answer = await Promise.race([asked.answer.promise, stopped.promise]);
    return answer as { value: PageAnswers[Q["ask"]] } | undefined;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** A tree takes longer than all other questions, so their answers do not wait for it. */
function sendAll(way: Way): void {
  const all = way.waiting;
  way.waiting = [];
  const trees = all.filter(({ question }) => question.ask === "tree");
  const others = all.filter(({ question }) => question.ask !== "tree");
  for (const some of [others, trees]) if (some.length > 0) void send(way, some);
}

async function send(way: Way, all: readonly Asked[]): Promise<void> {
  const { world } = way;
  const answers = world && (await answersOf(world, all).catch(() => undefined));
  // The document is gone, or its renderer. Playwright waits for the next one.
  if (!answers && way.world === world) way.world = undefined;
  all.forEach(({ answer }, at) => {
    const one = answers?.[at];
    if (one && "error" in one) answer.reject(new Error(one.error));
    else answer.resolve(one);
  });
}

type Answered = { readonly value: unknown } | { readonly error: string };

async function answersOf({ cdp, unique }: IsolatedContext, all: readonly Asked[]): Promise<readonly Answered[]> {
  const { result, exceptionDetails } = await cdp.send("Runtime.callFunctionOn", {
    functionDeclaration: "function (questions) { return globalThis.__devflow.ask(questions); }",
    uniqueContextId: unique,
    arguments: [{ value: JSON.stringify(all.map(({ question }) => question)) }],
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return JSON.parse(result.value);
}

export async function readAfterTyping(frame: Frame): Promise<PageReading | undefined> {
  const world = ways.get(frame)?.world;
  const asked = world?.cdp.send("Runtime.callFunctionOn", {
    functionDeclaration: "function () { return globalThis.__devflow.stateAfterTyping(); }",
    uniqueContextId: world.unique,
    awaitPromise: true,
    returnByValue: true,
  });
  const answer = await asked?.catch(() => undefined);
  return answer === undefined || answer.exceptionDetails ? undefined : JSON.parse(answer.result.value);
}

export function lookForWorld(frame: Frame): void {
  const way = ways.get(frame);
  if (!way || way.world || way.looking) return;
  way.looking = findWorld(way).finally(() => {
    way.looking = undefined;
  });
}

async function findWorld(way: Way): Promise<void> {
  try {
    const cdp = await way.tab.cdp();
    for (const context of await contextsOf(cdp)) {
      if (!(await isOfPage(cdp, context))) continue;
      way.world = context;
      return;
    }
  } catch {
    // The page was closed or has crashed; the next question tries again.
  }
}

async function isOfPage(cdp: CDPSession, { unique }: IsolatedContext): Promise<boolean> {
  const expression = "window === window.top && typeof globalThis.__devflow === 'object'";
  const { result } = await cdp.send("Runtime.evaluate", { expression, uniqueContextId: unique, returnByValue: true });
  return result.value === true;
}
