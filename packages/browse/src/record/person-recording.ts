/**
 * A recording of what a person does in the tabs of a session: each act with its receipt, in the order in which it happened.
 *
 * - `startRecording(scope, records, note)` watches all tabs of the session, also those that are opened later; `note` gets
 *   each deed.
 * - `end()` finishes the last deed.
 *
 * A deed is noted when the next one begins: until then it may go on (typing), and its effect may still come. The page is
 * read at the beginning of each act, in the page itself, so the receipts are right however fast a person is. Pages with
 * frames and large pages are read from here, a moment later.
 */
import type { Page } from "playwright-core";
import type { AnyBrowseCommand, SessionScope, Tab, TabScope } from "../command.ts";
import type { Deed } from "../evidence/index.ts";
import { type Receipt, receiptText } from "../receipts/receipt.ts";
import { type PageState, stateFrom, stateNow } from "../receipts/wait-for-effect.ts";
import { type ActionResult, type OpenReceipt, openReceipt } from "../receipts/with-receipt.ts";
import { frameOf } from "../snapshot/capture-tree.ts";
import { pathOfFrame } from "../targets/recorded-target.ts";
import { type Act, didOf, replaces } from "./acts.ts";
import { watchPerson } from "./watch-person.ts";

export interface PersonRecording {
  end(): Promise<void>;
}

interface Pending {
  readonly act: Act;
  readonly before: PageState;
  readonly prefix: string;
  readonly url: string;
  readonly startedAt: number;
  /** Already known where the page has to be read from here. */
  readonly seen?: { readonly receipt: Receipt; readonly after: PageState };
}

interface Watched {
  readonly tab: Tab;
  /** The page after the last deed. */
  last: PageState;
  receipt: OpenReceipt;
  pending: Pending | undefined;
  stop: () => Promise<void>;
}

/** A page that does not become quiet is read after this. */
const effectMs = 5_000;

export async function startRecording(
  scope: SessionScope,
  records: readonly AnyBrowseCommand[],
  note: (deed: Deed) => Promise<void>,
): Promise<PersonRecording> {
  const watched = new Map<Tab, Watched>();
  /** By document: how selectors in it begin. */
  const paths = new Map<string, Promise<string>>();
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<unknown>) => {
    // An act that cannot be read is left out; those after it are not.
    turn = turn.then(work).catch(() => undefined);
  };
  const recordOf = (name: string) => records.find((one) => one.name === name)!;
  const scopeOf = (tab: Tab): TabScope => ({ ...scope, tab, timeLeft: () => effectMs });

  const finish = async (one: Watched, now?: ActionResult["now"], isLeft = false): Promise<void> => {
    const { pending, tab } = one;
    if (!pending) return;
    one.pending = undefined;
    const { act, before, prefix, url, startedAt } = pending;
    // A page that is gone cannot be read; what was done in it is still known.
    const read = () => one.receipt.finish(before, { did: didOf(act), now }).catch(() => undefined);
    const seen = pending.seen ?? (await read());
    const known = seen?.receipt ?? unseen(didOf(act));
    const receipt = isLeft ? withoutLeaving(known) : known;
    one.last = seen?.after ?? one.last;
    one.receipt.end();
    one.receipt = openReceipt(scopeOf(tab));
    const { isSecret, role, name } = act.on;
    const selector = `${prefix}${act.on.selector}`;
    await note({
      record: recordOf(act.do),
      // The target's word is for readers of the journal; replays use its description.
      input: { target: `${role}:${name}`, ...act.with },
      tab,
      url,
      target: { selector, code: String(tab.page.locator(selector)), role, name },
      isSecret,
      answer: { text: receiptText(receipt), data: receipt, fromPage: true },
      ms: Math.round(performance.now() - startedAt),
    });
  };
  const finishOthers = async (one: Watched) => {
    for (const other of watched.values()) if (other !== one) await finish(other);
  };

  const onAct = async (one: Watched, act: Act, path: Promise<string>): Promise<void> => {
    const { tab } = one;
    const startedAt = performance.now();
    await finishOthers(one);
    const now = lookOf(tab, act);
    if (one.pending && replaces(act, one.pending.act)) one.pending = { ...one.pending, act };
    else {
      await finish(one, now);
      const prefix = await path;
      one.pending = { act, before: now?.state ?? one.last, prefix, url: now?.url ?? tab.page.url(), startedAt };
    }
    if (now) return;
    const seen = await one.receipt.finish(one.pending.before, { did: didOf(act) }).catch(() => undefined);
    if (seen) one.pending = { ...one.pending, seen };
  };

  const onVisit = async (one: Watched, url: string): Promise<void> => {
    await finishOthers(one);
    await finish(one, undefined, true);
    const { tab } = one;
    const { title, status } = await arrivalAt(tab);
    const data = { url, title, ...(status > 0 && { status }), console: [], failed: [] };
    const answer = { text: title, data, fromPage: true };
    await note({ record: recordOf("goto"), input: { url }, tab, url, isSecret: false, answer, ms: 0 });
    one.last = await stateNow(tab);
  };

  const add = async (tab: Tab): Promise<void> => {
    if (watched.has(tab)) return;
    const receipt = openReceipt(scopeOf(tab));
    const one: Watched = { tab, receipt, last: await stateNow(tab), pending: undefined, stop: async () => {} };
    watched.set(tab, one);
    one.stop = await watchPerson(tab, {
      onAct: (act) => {
        // Now, since the frame may be gone when it is this act's turn.
        const path = paths.get(act.on.document) ?? prefixOf(tab, act).catch(() => "");
        paths.set(act.on.document, path);
        inTurn(() => onAct(one, act, path));
      },
      onVisit: (url) => inTurn(() => onVisit(one, url)),
    });
  };
  const onPage = (page: Page) => {
    const tab = scope.session.tabs().find((one) => one.page === page);
    if (tab) inTurn(() => add(tab));
  };

  for (const tab of scope.session.tabs()) await add(tab);
  scope.session.context.on("page", onPage);
  // The recording begins with the page that is open, so that it can be repeated.
  const first = scope.session.tabs().length > 0 ? watched.get(scope.session.current()) : undefined;
  if (first && /^(https?|file):/.test(first.tab.page.url())) await onVisit(first, first.tab.page.url());

  return {
    async end() {
      scope.session.context.off("page", onPage);
      await turn;
      for (const one of watched.values()) {
        await finish(one).catch(() => undefined);
        one.receipt.end();
        await one.stop().catch(() => undefined);
      }
    },
  };
}

/** The page at the beginning of an act, where it could be read there. */
function lookOf(tab: Tab, { look }: Act): ActionResult["now"] {
  const { tree, ...state } = look ? stateFrom(tab, look.state) : { tree: undefined };
  return look && tree && "version" in state ? { ...look, state: { ...state, tree } } : undefined;
}

const unseen = (did: string): Receipt => ({
  did,
  changes: [],
  console: [],
  failed: [],
  dialogs: [],
  downloads: [],
  opened: [],
  more: 0,
  effect: false,
  ms: 0,
});

/** The person left the page; that is not an effect of what was done before. */
function withoutLeaving({ url: _, page: __, ...receipt }: Receipt): Receipt {
  const lists = [receipt.changes, receipt.console, receipt.failed, receipt.dialogs, receipt.downloads, receipt.opened];
  return { ...receipt, effect: receipt.focus !== undefined || lists.some((list) => list.length > 0) };
}

async function arrivalAt({ page }: Tab): Promise<{ title: string; status: number }> {
  await page.waitForLoadState("domcontentloaded", { timeout: effectMs }).catch(() => undefined);
  const seen = page.evaluate(() => {
    const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return { title: document.title, status: entry?.responseStatus ?? 0 };
  });
  return await seen.catch(() => ({ title: "", status: 0 }));
}

/** An act in a frame needs the way to that frame. */
async function prefixOf(tab: Tab, { on }: Act): Promise<string> {
  const frame = await frameOf(tab, `e${on.document}000001`).catch(() => undefined);
  return frame ? await pathOfFrame(frame) : "";
}
