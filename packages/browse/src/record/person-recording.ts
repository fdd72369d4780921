/**
 * A recording of what a person does in the tabs of a session: each act with its receipt, in the order in which it happened.
 *
 * - `startRecording(scope, records, note)` watches all tabs of the session, also those that are opened later; `note` gets
 *   each deed.
 * - `end()` finishes the last deed.
 *
 * A deed is noted when the next one begins: until then it may go on (typing). Its effect is what the page is like when it
 * has settled, as after a command of an agent, or when the next deed begins if that is earlier: the page is read at the
 * beginning of each act, in the page itself, so the receipts are right however fast a person is. Pages with frames and
 * large pages are read from here, a moment later.
 */
import type { Page } from "playwright-core";
import type { AnyBrowseCommand, SessionScope, Tab, TabScope } from "../command.ts";
import type { Deed } from "../evidence/index.ts";
import { type Receipt, receiptText } from "../receipts/receipt.ts";
import { type PageState, stateFrom, stateNow } from "../receipts/wait-for-effect.ts";
import { type OpenReceipt, openReceipt, type PageThen } from "../receipts/with-receipt.ts";
import { frameOf } from "../snapshot/capture-tree.ts";
import { pathOfFrame } from "../targets/recorded-target.ts";
import { surroundingsOf } from "../targets/surroundings.ts";
import { type Act, didOf, replaces } from "./acts.ts";
import { watchPerson } from "./watch-person.ts";

export interface PersonRecording {
  end(): Promise<void>;
}

interface Pending {
  readonly act: Act;
  /** Opened when the act was told: a page may be gone by the time that it is its turn. */
  readonly receipt: OpenReceipt;
  readonly before: PageState;
  readonly prefix: string;
  readonly url: string;
  readonly startedAt: number;
  /** How many pages the person had opened by then. */
  readonly visits: number;
  /** Known when the effect had come before the next act. What the page does later is not an effect. */
  readonly seen?: { readonly receipt: Receipt; readonly after: PageState } | undefined;
}

/** The last act that a tab told, which may have to wait for its turn. */
interface Told {
  readonly act: Act;
  readonly receipt: OpenReceipt;
  /** What was logged for the act before it. */
  readonly logsBefore: PageThen["logs"];
  /** How many pages the person had opened by then. */
  readonly visits: number;
}

interface Watched {
  readonly tab: Tab;
  /** The page after the last deed. */
  last: PageState;
  pending: Pending | undefined;
  told: Told | undefined;
  visits: number;
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

  const finish = async (one: Watched, now?: PageThen): Promise<void> => {
    const { pending, tab } = one;
    if (!pending) return;
    one.pending = undefined;
    const { act, receipt: opened, before, prefix, url, startedAt } = pending;
    // A page that a person left before its effect was read tells nothing about it; what was done in it is still known.
    const isThere = now !== undefined || pending.visits === one.visits;
    const seen = pending.seen ?? (isThere ? await finished(pending, now) : undefined);
    one.last = seen?.after ?? one.last;
    opened.end();
    const { isSecret, role, name } = act.on;
    const node = before.tree.nodes.find(({ ref }) => ref === act.on.ref);
    const selector = `${prefix}${act.on.selector}`;
    await note({
      record: recordOf(act.do),
      // The target's word is for readers of the journal; replays use its description.
      input: { target: `${role}:${name}`, ...act.with },
      tab,
      url,
      target: {
        ...{ selector, code: String(tab.page.locator(selector)), role, name },
        ...(node && surroundingsOf(before.tree, node)),
      },
      isSecret,
      answer: { text: seen ? receiptText(seen.receipt) : didOf(act), data: seen?.receipt, fromPage: true },
      ms: Math.round(performance.now() - startedAt),
    });
  };
  const finishOthers = async (one: Watched) => {
    for (const other of watched.values()) if (other !== one) await finish(other);
  };

  const onAct = async (
    one: Watched,
    { act, receipt, logsBefore, visits }: Told,
    path: Promise<string>,
  ): Promise<void> => {
    const { tab } = one;
    const startedAt = performance.now();
    await finishOthers(one);
    const now = lookOf(tab, act);
    if (one.pending?.receipt === receipt) one.pending = { ...one.pending, act, seen: undefined };
    else {
      await finish(one, now && { ...now, logs: logsBefore });
      const [prefix, before, url] = [await path, now?.state ?? one.last, now?.url ?? tab.page.url()];
      one.pending = { act, receipt, before, prefix, url, startedAt, visits };
    }
    const { pending } = one;
    // Where the page is not read when the next act begins, the effect is read now, if the person has not left yet.
    const isCurrent = () => (now ? one.told?.act === act : one.visits === visits);
    if (!isCurrent()) return;
    const settled = await receipt.settle(pending.before).catch(() => undefined);
    if (settled && isCurrent()) one.pending = { ...pending, seen: await finished(pending, settled) };
  };

  const onVisit = async (one: Watched, url: string): Promise<void> => {
    await finishOthers(one);
    await finish(one);
    const { tab } = one;
    const { title, status } = await arrivalAt(tab);
    const data = { url, title, ...(status > 0 && { status }), console: [], failed: [] };
    const answer = { text: title, data, fromPage: true };
    await note({ record: recordOf("goto"), input: { url }, tab, url, isSecret: false, answer, ms: 0 });
    one.last = await stateNow(tab);
  };

  const add = async (tab: Tab): Promise<void> => {
    if (watched.has(tab)) return;
    const nothing = { pending: undefined, told: undefined, visits: 0, stop: async () => {} };
    const one: Watched = { tab, last: await stateNow(tab), ...nothing };
    watched.set(tab, one);
    one.stop = await watchPerson(tab, {
      onAct: (act) => {
        // Now, since the frame may be gone when it is this act's turn.
        const path = paths.get(act.on.document) ?? prefixOf(tab, act).catch(() => "");
        paths.set(act.on.document, path);
        const before = one.told;
        const { visits } = one;
        const told: Told =
          before && replaces(act, before.act)
            ? { ...before, act }
            : { act, receipt: openReceipt(scopeOf(tab), act.look?.url), logsBefore: before?.receipt.logs(), visits };
        one.told = told;
        inTurn(() => onAct(one, told, path));
      },
      onVisit: (url) => {
        one.told = undefined;
        one.visits += 1;
        inTurn(() => onVisit(one, url));
      },
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
        await one.stop().catch(() => undefined);
      }
    },
  };
}

/** The field's value may be secret, and by now another page may be there that does not know. */
async function finished({ act, receipt, before }: Pending, now?: PageThen): Promise<Pending["seen"]> {
  const on = { page: act.on.ref, readiness: { secret: act.on.isSecret } };
  return await receipt.finish(before, { did: didOf(act), on, now }).catch(() => undefined);
}

/** The page at the beginning of an act, where it could be read there. */
function lookOf(tab: Tab, { look }: Act): PageThen | undefined {
  const { tree, ...state } = look ? stateFrom(tab, look.state) : { tree: undefined };
  return look && tree && "version" in state ? { ...look, state: { ...state, tree } } : undefined;
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
