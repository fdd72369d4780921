/**
 * Runs commands: checks the caller, picks the session and tab, enforces the deadline and explains failures. Commands
 * about the daemon wait for no page. Commands in a tab run one at a time, and a page that does not answer by the
 * deadline is freed.
 */

import { systemClock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import type { CommandRequest } from "../client/index.ts";
import type { Answer, AnyBrowseCommand, BrowseDaemon, CommandScope, PolicyGate } from "../command.ts";
import { createFileGate, type SocksProxy } from "../policy/index.ts";
import { letGo } from "../tab-events/leave-page.ts";
import { runWatched } from "../watch-commands.ts";
import { type CommandTable, checkCaller, type Handler, type Step } from "./command-table.ts";
import { answers, DeadlinePassed, type Freed, freeTab, type Limits, takePulse, tryWithin, within } from "./deadline.ts";
import { explainFailure } from "./explain-failure.ts";
import { hideTyped } from "./hide-typed.ts";
import type { OpenSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import type { OpenTab } from "./tab.ts";
import type { Caller } from "./tokens.ts";

export interface Call {
  readonly request: CommandRequest;
  readonly caller: Caller;
  readonly session: string;
  readonly signal: AbortSignal;
  readonly notes: string[];
  readonly stop: () => void;
}

export interface Running {
  readonly command: string;
  readonly session: string;
  readonly since: number;
}

/** A finished command of a session, for the overview. */
export interface DoneCommand {
  readonly record: AnyBrowseCommand;
  readonly session: string;
  /** The tab that was named, else the session's current one. */
  readonly tab: string | undefined;
  readonly startedAt: number;
  readonly answer?: Answer;
  readonly error?: Error;
  /** Redacts this session's secrets. */
  readonly clean: (text: string) => string;
}

export interface DispatcherOptions {
  readonly table: CommandTable;
  readonly sessions: Sessions;
  readonly policy: PolicyGate;
  readonly proxy: () => Pick<SocksProxy, "failureSince"> | undefined;
  /** Folders that commands may read and write; the workspace first. */
  readonly roots: readonly string[];
  readonly control: (call: Call, steps: Pick<BrowseDaemon, "runStep" | "describeStep">) => BrowseDaemon;
  readonly onDone: (done: DoneCommand) => void;
}

const defaultDeadlineMs = 30_000;
/** They type, and wait until they may. */
const hasReceipt = new Set(["fill", "type", "press"]);
/** A page that hangs must not keep them. */
const leavesPage = new Set(["goto", "reload", "back", "forward"]);
/** They print logs, which must not show a cookie value that was just set. */
const logCommands = new Set(["console", "errors", "network", "dialogs"]);

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #running = new Set<Running>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  running(): readonly Running[] {
    return [...this.#running];
  }

  async run(call: Omit<Call, "session">): Promise<Answer> {
    const step = this.#options.table.parse(call.request);
    const ownSession = call.caller.kind === "session" ? call.caller.session : undefined;
    const session = step.shared.session ?? ownSession ?? call.request.session ?? "default";
    return await this.#step(step, { ...call, session });
  }

  async #step(step: Step, call: Call): Promise<Answer> {
    checkCaller(call.caller, step, call.session);
    const running: Running = {
      get command() {
        return step.words;
      },
      session: call.session,
      since: Date.now(),
    };
    this.#running.add(running);
    try {
      const answer = await this.#withScope(step, call);
      this.#reportDone(step, running, { answer });
      if (step.record.needs !== "daemon") await this.#options.sessions.rememberMoved(call.session);
      return answer;
    } catch (cause) {
      const error = this.#explain(cause, step, running.since);
      this.#reportDone(step, running, { error });
      throw error;
    } finally {
      this.#running.delete(running);
      call.notes.push(...(this.#options.sessions.find(call.session)?.takeNotes() ?? []));
      // After the answer, which does not need it.
      if (step.record.needs !== "daemon") setImmediate(() => this.#options.sessions.remember(call.session));
    }
  }

  #reportDone(
    { record, shared }: Step,
    { session, since }: Running,
    outcome: Pick<DoneCommand, "answer" | "error">,
  ): void {
    if (record.needs === "daemon") return;
    const open = this.#options.sessions.find(session);
    const tab = shared.tab ?? open?.currentId;
    this.#options.onDone({
      record,
      session,
      tab,
      startedAt: since,
      ...outcome,
      // The secrets of a closed session are no longer known.
      clean: (text) => open?.redactor.clean(text) ?? "",
    });
  }

  async #withScope(step: Step, call: Call): Promise<Answer> {
    const { record, input, shared } = step;
    const ms = deadlineMsOf(step);
    const endsAt = performance.now() + ms;
    const timeLeft = () => Math.max(0, endsAt - performance.now());
    const over = new AbortController();
    const signal = AbortSignal.any([call.signal, over.signal]);
    const files = createFileGate({ cwd: call.request.cwd, roots: this.#options.roots });
    const scope: CommandScope = { signal, timeLeft, files, policy: this.#options.policy };
    const limits = (): Limits => ({ ms: timeLeft(), signal: call.signal, over });
    try {
      const handler = (await record.handler()) as Handler;
      if (record.needs === "daemon") {
        const daemon = this.#options.control(call, {
          runStep: (words) => this.#chained(words, { ...call, signal }),
          describeStep: (words) => this.#options.table.describe(words),
        });
        return await within(handler(input, { ...scope, daemon }), limits());
      }
      if (input.fresh) await within(this.#options.sessions.forget(call.session), limits());
      const { session, note } = await within(this.#options.sessions.get(call.session, call.request.pid), limits());
      if (note) call.notes.push(note);
      const context = { record, input, session: call.session };
      if (record.needs === "session") {
        return await runWatched(context, () => within(handler(input, { ...scope, session }), limits()));
      }
      const inTab = async (tab: OpenTab): Promise<Answer> => {
        const hasTurn = Promise.withResolvers<void>();
        const done = tab.inTurn(async (hold) => {
          hasTurn.resolve();
          signal.throwIfAborted();
          // It hung or crashed meanwhile; what waited for it goes to its replacement.
          const current = session.replacementOf(tab);
          if (current) return inTab(await current);
          const fresh = leavesPage.has(record.name) ? await this.#leave(session, tab, step, call) : undefined;
          if (fresh) return inTab(fresh);
          const work = async () => {
            const mayAct = hideTyped(record.name, input, tab);
            if (!hasReceipt.has(record.name)) await mayAct;
            if (logCommands.has(record.name)) await session.hideCookies();
            signal.throwIfAborted();
            return await handler(input, { ...scope, session, tab, mayAct });
          };
          const run = () => this.#inTab(step, ms, session, tab, work, limits(), hold);
          return await runWatched({ ...context, tab }, run).catch(async (error: unknown) => {
            const reopened = await reopenedAfter(error, session, tab);
            if (reopened && record.group === "Navigation") return inTab(reopened);
            throw reopened ? crashed(tab) : error;
          });
        });
        done.catch(() => {});
        await within(hasTurn.promise, limits()).catch((error: unknown) => {
          if (!(error instanceof DeadlinePassed)) throw error;
          throw deadline(step, ms, `${tab.id} was busy with another command`, seeRunning);
        });
        return await done;
      };
      return await inTab(await within(tabFor(session, shared.tab), limits()));
    } catch (error) {
      if (error instanceof DeadlinePassed) throw deadline(step, ms, "it was cancelled", seeRunning);
      throw error;
    }
  }

  /** The tab that takes the place of one whose page cannot be left. */
  async #leave(session: OpenSession, tab: OpenTab, { record }: Step, { notes }: Call): Promise<OpenTab | undefined> {
    const url = tab.page.url();
    const outcome = await letGo(tab);
    // A new tab on a busy machine has nothing to lose.
    if (outcome === "it answers" || url === "about:blank") return undefined;
    if (outcome === "its script was terminated") {
      notes.push(`${tab.id} did not answer, so the script of ${url} was terminated before it was left.`);
      return undefined;
    }
    notes.push(`${tab.id} hung at ${url} and was replaced; its history is lost.`);
    return await session.replace(tab, record.name === "goto" ? undefined : url);
  }

  async #inTab(
    step: Step,
    ms: number,
    session: OpenSession,
    tab: OpenTab,
    work: () => Promise<Answer>,
    limits: Limits,
    hold: (until: Promise<unknown>) => void,
  ): Promise<Answer> {
    limits.signal.throwIfAborted();
    const { errorPages } = tab;
    const pulse = takePulse(tab, limits.ms);
    const working = work();
    try {
      return await within(working, limits);
    } catch (error) {
      const isOver = error instanceof DeadlinePassed;
      if (!isOver && !limits.signal.aborted) {
        await untilErrorPage(tab, errorPages, error);
        throw error;
      }
      const url = tab.page.url();
      let known: Freed | undefined;
      const freeing = freeTab(tab, working, pulse, (freed) => {
        known = freed;
      });
      const isReplaced = freeing.then(async (freed) => {
        if (freed === "the tab must be replaced") await session.replace(tab);
      });
      hold(isReplaced);
      // The caller is told in time what is known by then; the turn is held until the tab is free.
      const freed = (await tryWithin(freeing, tellWithinMs)) ?? known ?? "it is being freed";
      if (!isOver) throw error;
      if (freed === "it is being freed") session.note(isReplaced.then(() => replacedNote(session, tab, url)));
      const [outcome, next] = outcomes(tab, url, step)[freed];
      throw deadline(step, ms, outcome, next);
    } finally {
      pulse.end();
    }
  }

  async #chained(words: readonly string[], call: Call): Promise<Answer> {
    const step = this.#options.table.parse({ words });
    if (step.record.name === "chain" || step.record.name === "batch") {
      throw new DevflowError("usage", { details: { problem: "A chain cannot contain another chain.", next: "" } });
    }
    return await this.#step(step, { ...call, session: step.shared.session ?? call.session });
  }

  /** Chromium only knows that its proxy refused; the proxy knows why. */
  #explain(error: unknown, step: Step, since: number): DevflowError {
    const explained = explainFailure(error, { command: step.words, acts: step.record.effect !== "read" });
    const message = `${explained.message} ${(explained.cause as Error | undefined)?.message ?? ""}`;
    const asked = String(explained.details.url ?? "");
    const failure = /ERR_SOCKS/.test(message) ? this.#options.proxy()?.failureSince(since, asked) : undefined;
    if (!failure) return explained;
    const { host, reason } = failure;
    if (failure.kind === "refused by policy") {
      return new DevflowError("browse_url_refused", { details: { url: host, reason }, cause: error });
    }
    const next =
      failure.kind === "nothing listens"
        ? "Start the server, then repeat the command."
        : "Check the spelling of the host.";
    const url = String(explained.details.url ?? host);
    return new DevflowError("browse_navigation_failed", { details: { url, reason, next }, cause: error });
  }
}

/** Chromium shows its error page a moment after a navigation fails, which would abort the next navigation. */
async function untilErrorPage(tab: OpenTab, before: number, error: unknown): Promise<void> {
  const message = error instanceof Error ? `${error.message} ${(error.cause as Error | undefined)?.message ?? ""}` : "";
  if (!/net::ERR_(?!ABORTED)/.test(message)) return;
  const deadline = Date.now() + errorPageLimitMs;
  while (tab.errorPages === before && Date.now() < deadline) await systemClock.sleep(5);
}

/** The tab that took the place of one whose page crashed under this command. */
async function reopenedAfter(error: unknown, session: OpenSession, tab: OpenTab): Promise<OpenTab | undefined> {
  const message = error instanceof Error ? `${error.message} ${(error.cause as Error | undefined)?.message ?? ""}` : "";
  if (!/crashed|net::ERR_ABORTED|has been closed/.test(message)) return undefined;
  // The crash may be reported a moment after the failure. A page that answers has not crashed.
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  void answers(tab, crashNoticeMs).then((isAlive) => isAlive && over());
  const timer = setTimeout(over, crashNoticeMs);
  while (!session.replacementOf(tab) && !isOver) await systemClock.sleep(10);
  clearTimeout(timer);
  return await session.replacementOf(tab);
}

const crashNoticeMs = 2_000;

function crashed({ id }: OpenTab): DevflowError {
  const reason = `The page of ${id} crashed and was opened again.`;
  return new DevflowError("browse_page_failed", { details: { reason, next: "See it: devflow browse snapshot -i" } });
}

const errorPageLimitMs = 1_000;
/** A deadline is kept to within half a second. */
const tellWithinMs = 400;
const seeRunning = "See what is running: devflow browse status";

/** A command's own `--timeout` (`wait`), with a moment to say what it waited for; else the shared one. */
function deadlineMsOf({ record, input, shared }: Step): number {
  if (typeof input.timeout === "number") return input.timeout + 250;
  return shared.timeout ?? record.deadlineMs ?? defaultDeadlineMs;
}

function outcomes(
  tab: OpenTab,
  url: string,
  { record }: Step,
): Readonly<Record<Freed | "it is being freed", readonly [string, string]>> {
  // Not the command that has just failed.
  const see =
    record.name === "snapshot"
      ? "Look for a part of it: devflow browse find <words>"
      : "See it: devflow browse snapshot -i";
  return {
    "the page answers": ["the page still answers", see],
    "its script was ended": ["the page's script was terminated", see],
    "the tab must be replaced": [
      `${tab.id} hung and was replaced by an empty one; other tabs are untouched`,
      `Open the page again: devflow browse goto ${url}`,
    ],
    "it is being freed": [
      `${tab.id} does not answer and is being freed; other tabs are untouched`,
      "See what became of it: devflow browse tabs",
    ],
  };
}

function replacedNote(session: OpenSession, tab: OpenTab, url: string): string | undefined {
  if (session.tabs().includes(tab)) return undefined;
  return `${tab.id} hung and was replaced by an empty one. Open the page again: devflow browse goto ${url}`;
}

async function tabFor(session: OpenSession, id: string | undefined): Promise<OpenTab> {
  if (id === undefined) return await session.ready();
  await session.replaced();
  return session.find(id);
}

function deadline(step: Step, ms: number, outcome: string, next: string): DevflowError {
  return new DevflowError("browse_deadline", {
    details: { command: step.words, seconds: ms / 1000, outcome, next },
  });
}
