/**
 * Performs an action on a page and reports what it changed.
 *
 * - `withReceipt(scope, action)` reads the page, acts, waits for the effect, reads the page again and compares.
 * - `openReceipt(scope)` for what someone else does: begins now, `finish` compares with the page as it was.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Tab, TabScope } from "../command.ts";
import { documentOf, type PageRef } from "../page-world/questions.ts";
import { lastTree } from "../snapshot/capture-tree.ts";
import type { NodeChange } from "../snapshot/diff.ts";
import { isField } from "../snapshot/interactive.ts";
import { quote } from "../snapshot/line.ts";
import { newsLines } from "../snapshot/news-lines.ts";
import { type PageNode, type PageTree, wordsIn } from "../snapshot/page-tree.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { attachTab } from "../tab-events/attach-tab.ts";
import { downloadsBegun, downloadsUnderWay } from "../tab-events/downloads.ts";
import { labelOfNode, withCloser } from "../targets/suggest.ts";
import { type Activity, watchActivity } from "./activity.ts";
import { isAtWork, isWayStation, saysItCloses, saysWorking } from "./at-work.ts";
import { type ActedOn, changeLines } from "./change-lines.ts";
import { type Changes, changesBetween } from "./describe-diff.ts";
import { firstRef, lateChanges } from "./late-changes.ts";
import { type LogMarks, markLogs, untoldDialogs } from "./log-lines.ts";
import { countLine, nothingNew, withNewClickables } from "./new-clickables.ts";
import { closedLines, openedLine, openerLines } from "./other-tabs.ts";
import { outOfReach } from "./out-of-reach.ts";
import { newPage, pathOf, stillLoading } from "./page-content.ts";
import { maxChanges, type Receipt, receiptText } from "./receipt.ts";
import { reorderedIn } from "./reordered.ts";
import { isRestless } from "./restless.ts";
import { seenChanges } from "./seen-changes.ts";
import { hasChosen, tellingChanges } from "./telling-changes.ts";
import {
  type PageState,
  rememberState,
  stateBefore,
  stateInView,
  type TabVersion,
  tabVersion,
  waitForEffect,
} from "./wait-for-effect.ts";

/** A download that takes longer is reported as started. */
const downloadMs = 3_000;
const closingMs = 2_000;

export interface ActionResult {
  /** `clicked @e3 button "Save"`; known after the action. */
  readonly did: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** What the action itself achieved, where the page may show nothing of it. */
  readonly effects?: readonly string[];
  /** What it achieved that is worth telling only where no words changed. */
  readonly ifQuiet?: () => Promise<readonly string[]>;
  /** What the page did before it. */
  readonly meanwhile?: readonly string[];
  /** It says itself what was downloaded. */
  readonly tellsDownload?: boolean;
  /** How long to wait for an effect that can be told. */
  readonly patienceMs?: number;
  /** The same for a change of any kind. */
  readonly signMs?: number;
  /** The element acted on, if its facts are already known. */
  readonly on?: ActedOn | undefined;
  /** The page as the action left it, if it was read along with the action. */
  readonly seen?: Promise<PageState | undefined> | undefined;
  /** The page when the next action began, or as it settled before: then there is nothing to wait for. */
  readonly now?: PageThen | undefined;
}

/** A page at a moment that has passed. */
export interface PageThen {
  readonly state: PageState;
  readonly url: string;
  readonly title: string;
  /** What was logged by then. */
  readonly logs?: Logs | undefined;
}

export interface Action<Prepared> {
  /** Finds what to act on. Must have no effect, since it runs while the page is being read. */
  prepare(): Promise<Prepared>;
  /** `before` is the page as it was. */
  act(prepared: Prepared, before: PageState): Promise<ActionResult>;
}

export async function withReceipt<Prepared>(scope: TabScope, action: Action<Prepared>): Promise<Answer> {
  const { tab } = scope;
  const dialogs = untoldDialogs(tab.logs);
  const opened = openReceipt(scope);
  try {
    const told = lastTree(tab);
    const [first, prepared] = await Promise.all([stateBefore(tab), action.prepare(), scope.mayAct]);
    const late = await lateChanges(tab, told, first.tree);
    // The next document knows nothing of what this one announced.
    const meanwhile = [...dialogs, ...late, ...newsLines(tab, late)];
    const before = await stateInView(tab, first);
    const result = await action.act(prepared, before);
    const { receipt } = await opened.finish(before, { ...result, meanwhile });
    return { text: receiptText(receipt), data: { ...receipt, ...result.data }, fromPage: true };
  } catch (error) {
    throw await withCloser(tab, error);
  } finally {
    opened.end();
  }
}

type Logs = Pick<Receipt, "console" | "failed" | "dialogs" | "downloads">;

export interface OpenReceipt {
  /** Waits for the effect and keeps the page as it is then, for `finish`; undefined if the next page has not arrived. */
  settle(before: PageState): Promise<PageThen | undefined>;
  /** What was logged until now. */
  logs(): Logs;
  /** Waits for the effect. May be called again when more was done in the meantime. */
  finish(before: PageState, result: ActionResult): Promise<{ readonly receipt: Receipt; readonly after: PageState }>;
  end(): void;
}

/** `url` is where the page was when it began, if the page may have left since then. */
export function openReceipt(scope: TabScope, url: string = scope.tab.page.url()): OpenReceipt {
  const { tab } = scope;
  const startedAt = performance.now();
  attachTab(tab);
  const downloads = downloadsBegun(tab);
  const marks = markLogs(tab.logs);
  const others = scope.session.tabs().filter((one) => one !== tab);
  const activity = watchActivity(tab, others);
  const isElsewhere = () => activity.opened.length > 0 || activity.elsewhere.size > 0;
  const hasMore = () => isElsewhere() || downloadsBegun(tab) > downloads;
  const hasSideEffect = () => marks.hasSideEffect() || hasMore();
  const onlyAsked = () => !hasMore() && marks.downloads().length === 0 && marks.dialogs().length > 0;
  const read = async (before: PageState, { patienceMs, signMs, seen, on }: Partial<ActionResult>) => {
    const look = (first?: ActionResult["seen"]) =>
      waitForEffect({
        tab,
        activity,
        before,
        hasSideEffect,
        onlyAsked,
        timeLeft: scope.timeLeft,
        patienceMs,
        signMs,
        seen: first,
        on: on?.page,
        opens: on?.readiness?.opens,
      });
    let after = await look(seen);
    // It may have left while it was being read: then it has another document by now.
    if (tab.page.url() !== url && after.waitingFor === undefined) {
      const now = (await tabVersion(tab)).document;
      if (isOtherDocument(after.version.document, now)) after = await look();
    }
    const lasts = async (isUnderWay: () => boolean, mostMs: number) => {
      for (const until = performance.now() + mostMs; isUnderWay() && performance.now() < until; ) await sleep(10);
    };
    await lasts(() => downloadsUnderWay(tab) > 0, downloadMs);
    if (others.length > 0 && saysItCloses(after.tree)) await lasts(() => !tab.page.isClosed(), closingMs);
    if (after.waitingFor === undefined) rememberState(tab, after);
    return after;
  };
  return {
    async settle(before) {
      const state = await read(before, {});
      if (state.waitingFor !== undefined) return undefined;
      return { state, url: tab.page.url(), title: await tab.page.title().catch(() => ""), logs: logged(marks) };
    },
    logs: () => logged(marks),
    async finish(before, result) {
      const after = result.now?.state ?? (await read(before, result));
      const receipt = await writeReceipt(scope, result, { before, after, url, activity, marks, startedAt });
      return { receipt, after };
    },
    end: () => activity.end(),
  };
}

const logged = (marks: LogMarks): Logs => ({
  console: marks.console(),
  failed: marks.failed(),
  dialogs: marks.dialogs(),
  downloads: marks.downloads(),
});

interface Observations {
  readonly before: PageState;
  readonly after: PageState;
  readonly url: string;
  readonly activity: Activity;
  readonly marks: LogMarks;
  readonly startedAt: number;
}

async function writeReceipt(scope: TabScope, result: ActionResult, observations: Observations): Promise<Receipt> {
  const { tab } = scope;
  const { before, after, activity, marks } = observations;
  const isNewPage = isOtherDocument(documentIn(before), documentIn(after));
  const isClosed = tab.page.isClosed();
  const to = result.now?.url ?? tab.page.url();
  const away = isNewPage || isClosed ? undefined : await outOfReach(tab, before.tree, after.tree);
  const plain = away ? changesBetween(before.tree, after.tree, maxChanges, away) : noChanges;
  const isGrown = after.version.grown > before.version.version || plain.shown.some(({ kind }) => kind === "added");
  // A page that has gone on cannot be asked.
  const isAsked = away !== undefined && isGrown && result.now === undefined && after.waitingFor === undefined;
  const fresh = isAsked ? await withNewClickables(tab, before.tree, after.tree, away) : nothingNew(after.tree);
  const diff = fresh.tree === after.tree ? plain : changesBetween(before.tree, fresh.tree, maxChanges, away);
  // Where another view has taken its place, the last one is gone as a whole.
  const isNewView = pathOf(to) !== pathOf(observations.url);
  const isTick = (change: NodeChange) => isRestless(tab, fresh.tree, change);
  const telling = tellingChanges(diff.shown, { isTick, isNewView, did: result.did });
  const order = isNewPage || isNewView || isClosed ? [] : reorderedIn(before.tree, after.tree);
  const changes = [...(await changeLines(tab, telling, result.on)), ...countLine(fresh.wordless), ...order];
  const renewed = untold(tab, diff.renewed) + fresh.renewed;
  const loading = isClosed || after.waitingFor !== undefined ? undefined : stillLoading(activity, before, after);
  const isStation = (isNewPage || changes.length > 0) && isWayStation(after.tree) && after.tree.nodes.length > 0;
  const isWorking =
    !isNewPage && (isAtWork(before.tree, after.tree, result.on?.page) || saysWorking(after.tree, before.tree));
  // What goes on in another tab is waited for by nobody here.
  const atWork = activity.opened.length === 0 && (isStation || isWorking);
  const focus = isNewPage ? undefined : focusOf(after.tree);
  const effects = {
    ...(after.waitingFor !== undefined && { waitingFor: after.waitingFor }),
    ...(to !== observations.url && { url: { from: observations.url, to } }),
    ...(isNewPage && { page: await newPage(tab, after.tree, result.now?.title) }),
    ...(!isNewPage && scrolled(before.version, after.version)),
  };
  const isQuiet =
    !isClosed &&
    !("url" in effects || "waitingFor" in effects || isNewPage) &&
    changes.length + (result.effects?.length ?? 0) === 0;
  const shown = isQuiet && after.version.looks === undefined ? await tabVersion(tab, true) : after.version;
  const achieved = isQuiet && result.ifQuiet ? await result.ifQuiet() : [];
  const touched = achieved.length > 0 ? [] : shown.touched;
  const seen = isQuiet ? [...achieved, ...seenChanges(before.version, { ...shown, touched })] : [];
  const own = [
    ...(result.effects ?? []),
    ...changes,
    ...seen,
    ...(isUnchosen(after.tree, result.on) ? ["nothing is chosen yet: click an option"] : []),
    ...(isClosed ? await closedLines(scope) : []),
  ];
  const { meanwhile = [] } = result;
  const alerts = isNewPage ? alertsIn(after.tree) : [];
  const lists = {
    changes: [...own, ...newsLines(tab, [...meanwhile, ...own, ...alerts]), ...alerts],
    ...(result.now?.logs ?? logged(marks)),
    ...(result.tellsDownload && { downloads: [] }),
    opened: [
      ...(await Promise.all(activity.opened.map((page) => openedLine(scope, page)))),
      ...[...activity.elsewhere].map(({ id, page }) => `tab ${id} now shows ${page.url()}; go there: tab ${id}`),
    ],
  };
  if (isQuiet && Object.values(lists).every((list) => list.length === 0))
    lists.opened.push(...(await openerLines(scope)));
  // Usually it was scrolled to what was acted on.
  const { scrolled: _ownDoing, ...others } = effects;
  const isAside =
    result.on !== undefined && [others, ...Object.values(lists)].some((one) => Object.keys(one).length > 0);
  const isElsewhere = Object.keys(effects).length > 0 || Object.values(lists).some((list) => list.length > 0);
  const focused = focus && focus.ref !== focusOf(before.tree)?.ref ? focus : undefined;
  // A button that is pressed gets the focus. In a field the cursor is what a click is for.
  const isPressed = focused !== undefined && isAround(after.tree, focused, result.on);
  const isExpected = isPressed && (isElsewhere || !isField(focused));
  const effect = result.tellsDownload || isElsewhere || (focused !== undefined && !isExpected);
  const ms = Math.round(performance.now() - observations.startedAt);
  return {
    did: result.did,
    ...(meanwhile.length > 0 && { meanwhile }),
    ...(isAside ? others : effects),
    ...(loading && { loading }),
    ...(atWork && { atWork }),
    ...(focused && !isExpected && { focus: labelOfNode(tab, focused) }),
    ...lists,
    more: diff.more,
    ...(diff.moreControls > 0 && { moreControls: diff.moreControls }),
    ...(diff.moreIn && { moreIn: diff.moreIn }),
    ...(diff.moreRemoved > 0 && !isNewView && !hasChosen(result.did) && { moreRemoved: diff.moreRemoved }),
    ...(renewed > 0 && { renewed }),
    effect,
    ms,
  };
}

/** A ref that an agent has may lead to them. */
function untold(tab: Tab, refs: readonly PageRef[]): number {
  if (refs.length === 0) return 0;
  const known = new Set(
    refBookOf(tab)
      .all()
      .map(({ page, heir }) => heir ?? page),
  );
  return refs.filter((ref) => !known.has(ref)).length;
}

const noChanges: Changes = { shown: [], more: 0, moreControls: 0, moreRemoved: 0, renewed: [] };

/** An empty page has no refs, only a version; a page that hung has neither. */
const documentIn = ({ tree, version }: PageState): string => documentOf(firstRef(tree)) || version.document;

const isOtherDocument = (before: string, after: string): boolean => before !== "" && after !== "" && before !== after;

/** A new page may open with what went wrong. Evidence keeps it, without the page's other lines. */
function alertsIn(tree: PageTree): string[] {
  return tree.nodes.flatMap((node) => {
    const words = node.role === "alert" ? node.name || (node.text ?? wordsIn(tree.nodes, node)) : "";
    return words === "" ? [] : [`alert ${quote(words, 200)}`];
  });
}

/** Without generic elements: the body has the focus when nothing else has. */
function focusOf(tree: PageTree): PageNode | undefined {
  return tree.nodes.findLast(
    ({ ref, role, states }) => ref !== undefined && role !== "generic" && states.includes("focused"),
  );
}

/** Pressing what is in a control focuses the control. */
function isAround({ nodes }: PageTree, focused: PageNode, on: ActedOn | undefined): boolean {
  if (on === undefined || focused.ref === on.page) return on !== undefined;
  const pressed = nodes.find(({ ref }) => ref === on.page);
  return pressed !== undefined && pressed.index > focused.index && pressed.index < focused.end;
}

function scrolled(before: TabVersion, after: TabVersion): { scrolled?: string } {
  if (before.x === after.x && before.y === after.y) return {};
  return { scrolled: `from ${before.x},${before.y} to ${after.x},${after.y}` };
}

/** Words were typed into a box that offers options. */
function isUnchosen({ nodes }: PageTree, on: ActedOn | undefined): boolean {
  const box = on && nodes.find(({ ref }) => ref === on.page);
  const isOpen = box?.role === "combobox" && box.states.includes("expanded") && (box.text ?? "") !== "";
  return isOpen && nodes.some(({ role, ref }) => role === "option" && ref !== undefined);
}
