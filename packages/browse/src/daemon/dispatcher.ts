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
import { runWatched } from "../watch-commands.ts";
import { type CommandTable, checkCaller, type Handler, type Step } from "./command-table.ts";
import { DeadlinePassed, freeTab, type Limits, within } from "./deadline.ts";
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
  readonly control: (call: Call, runStep: (words: readonly string[]) => Promise<Answer>) => BrowseDaemon;
  readonly onDone: (done: DoneCommand) => void;
}

const defaultDeadlineMs = 30_000;
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
    const running = { command: step.words, session: call.session, since: Date.now() };
    this.#running.add(running);
    try {
      const answer = await this.#withScope(step, call);
      this.#reportDone(step, running, { answer });
      return answer;
    } catch (cause) {
      const error = this.#explain(cause, step, running.since);
      this.#reportDone(step, running, { error });
      throw error;
    } finally {
      this.#running.delete(running);
      if (step.record.needs !== "daemon") this.#options.sessions.remember(call.session);
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
    const handler = (await record.handler()) as Handler;
    const ms = shared.timeout ?? record.deadlineMs ?? defaultDeadlineMs;
    const over = new AbortController();
    const signal = AbortSignal.any([call.signal, over.signal]);
    const files = createFileGate({ cwd: call.request.cwd, roots: this.#options.roots });
    const scope: CommandScope = { signal, files, policy: this.#options.policy };
    const limits = { ms, signal: call.signal, over };
    try {
      if (record.needs === "daemon") {
        const daemon = this.#options.control(call, (words) => this.#chained(words, call));
        return await within(handler(input, { ...scope, daemon }), limits);
      }
      const { session, note } = await this.#options.sessions.get(call.session, call.request.pid);
      if (note) call.notes.push(note);
      const context = { record, input, session: call.session };
      if (record.needs === "session") {
        return await runWatched(context, () => within(handler(input, { ...scope, session }), limits));
      }
      const tab = await tabFor(session, shared.tab);
      const work = async () => {
        await hideTyped(record.name, input, tab);
        if (logCommands.has(record.name)) await session.hideCookies();
        signal.throwIfAborted();
        return await handler(input, { ...scope, session, tab });
      };
      return await tab.inTurn(() =>
        runWatched({ ...context, tab }, () => this.#inTab(step, session, tab, work, limits)),
      );
    } catch (error) {
      if (error instanceof DeadlinePassed)
        throw deadline(step, ms, "it was cancelled", "See what is running: devflow browse status");
      throw error;
    }
  }

  async #inTab(
    step: Step,
    session: OpenSession,
    tab: OpenTab,
    work: () => Promise<Answer>,
    limits: Limits,
  ): Promise<Answer> {
    limits.signal.throwIfAborted();
    const { errorPages } = tab;
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
      const freed = await freeTab(tab, working);
      if (freed === "the tab must be replaced") await session.replace(tab);
      if (!isOver) throw error;
      const [outcome, next] = {
        "the page answers": ["the page still answers", "See it: devflow browse snapshot -i"],
        "its script was ended": ["the page's script was terminated", "See the page: devflow browse snapshot -i"],
        "the tab must be replaced": [
          `${tab.id} hung and was replaced by an empty one; other tabs are untouched`,
          `Open the page again: devflow browse goto ${url}`,
        ],
      }[freed] as [string, string];
      throw deadline(step, limits.ms, outcome, next);
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
    const explained = explainFailure(error, { command: step.words });
    const message = `${explained.message} ${(explained.cause as Error | undefined)?.message ?? ""}`;
    const failure = /ERR_SOCKS/.test(message) ? this.#options.proxy()?.failureSince(since) : undefined;
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

const errorPageLimitMs = 1_000;

async function tabFor(session: OpenSession, id: string | undefined): Promise<OpenTab> {
  if (id !== undefined) return session.find(id);
  return await session.ready();
}

function deadline(step: Step, ms: number, outcome: string, next: string): DevflowError {
  return new DevflowError("browse_deadline", {
    details: { command: step.words, seconds: ms / 1000, outcome, next },
  });
}
