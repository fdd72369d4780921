/**
 * The daemon: takes the workspace's lock, starts its servers, writes its state file, and runs commands until it is
 * stopped or has been idle for a while. When it ends, Chromium is gone and the state file is removed.
 *
 * - `runBrowseDaemon(options)` resolves when it has ended; false when another daemon holds the workspace.
 */
import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import { systemClock } from "@devflow/core/clock";
import type { Environment } from "@devflow/core/environment";
import { DevflowError, type ErrorReport, errorReport } from "@devflow/core/errors";
import { tryLock } from "@devflow/core/exclusive-lock";
import { plainText, plainValue } from "@devflow/core/plain-text";
import { proofOfSelf } from "@devflow/core/process-proof";
import {
  type Build,
  type CommandReply,
  type CommandRequest,
  commandPath,
  type DaemonState,
  findDaemon,
  findWorkspace,
  handoverPath,
  isNewerBuild,
  overviewPath,
  picturePath,
  prepareFolder,
  type QuickRequest,
  socketPath,
  type Workspace,
} from "../client/index.ts";
import { browseCommands } from "../commands/index.ts";
import { LogFiles } from "../logs/index.ts";
import { fileRefusal, openProxy, type SocksProxy, UrlPolicy, WorkspaceRules } from "../policy/index.ts";
import { attachTab } from "../tab-events/attach-tab.ts";
import { noteWorkspace } from "../workspaces/index.ts";
import { Chromium } from "./chromium.ts";
import { CommandTable } from "./command-table.ts";
import { type ControlParts, controlFor } from "./control.ts";
import { Dispatcher } from "./dispatcher.ts";
import { type DaemonRequest, type DaemonResponse, type HttpServer, startHttpServer } from "./http-server.ts";
import { keepState, takeState } from "./kept-state.ts";
import { sweepLeftovers } from "./leftovers.ts";
import { Overview, RecentCommands } from "./overview.ts";
import { printAnswer } from "./print-answer.ts";
import { sealingKey } from "./sealed.ts";
import { fromDisk, type RememberedSession } from "./session-memory.ts";
import { Sessions } from "./sessions.ts";
import { type LineAnswer, type Listen, type SocketServer, startSocketServer } from "./socket-server.ts";
import { type TokenEntry, Tokens } from "./tokens.ts";
import { watchTab } from "./watch-tab.ts";

export interface DaemonOptions {
  readonly workspace: Workspace;
  readonly build: Build;
  readonly settings: {
    readonly chromium: string | undefined;
    readonly sandbox: "auto" | "on" | "off";
    readonly idleMinutes: number;
    readonly allowHosts: readonly string[];
  };
  readonly env: Environment;
  /** `~/.devflow`. */
  readonly home: string;
  /** Folders of PATH. */
  readonly searchFolders: readonly string[];
  /** Folders besides the workspace where files may be written. */
  readonly tempFolders: readonly string[];
  /** The daemon's own temp folder, with Chromium's profiles; undefined when it has none. */
  readonly ownTemp: string | undefined;
  /** What a predecessor handed over, as JSON; empty when there was none. */
  readonly handover: string;
  /** For the socket in the home. */
  readonly listen: Listen;
  /** Aborted by SIGTERM and similar signals. */
  readonly signal: AbortSignal;
}

/** What a daemon hands over to its successor, through the client that replaces it. */
interface Handover {
  readonly sessions: readonly RememberedSession[];
  readonly tokens: readonly TokenEntry[];
  /** The process that hands over. Its successor waits for it to end; older versions do not say. */
  readonly from?: number;
}

export async function runBrowseDaemon(options: DaemonOptions): Promise<boolean> {
  const { workspace } = options;
  await prepareFolder(workspace);
  const given = options.handover === "" ? undefined : (JSON.parse(options.handover) as Handover);
  const lock = await waitForLock(workspace, given?.from);
  if (!lock) return false;
  try {
    if (options.ownTemp !== undefined) await sweepLeftovers(options.ownTemp);
    await new Daemon(options, given).run();
  } finally {
    lock.release();
  }
  return true;
}

/** A daemon that is ending releases its lock soon; one that can be found keeps it, so there is no point in waiting. */
async function waitForLock(workspace: Workspace, ending: number | undefined): Promise<ReturnType<typeof tryLock>> {
  const deadline = Date.now() + lockLimitMs;
  for (;;) {
    const lock = tryLock(workspace.lockFile);
    const holder = lock ? undefined : findDaemon(workspace)?.pid;
    if (lock || (holder !== undefined && holder !== ending) || Date.now() > deadline) return lock;
    await systemClock.sleep(20);
  }
}

const lockLimitMs = 30_000;
const leaseCheckMs = 5_000;

class Daemon {
  readonly #options: DaemonOptions;
  /** What a predecessor handed over. */
  readonly #given: Handover | undefined;
  readonly #tokens = new Tokens();
  readonly #files: LogFiles;
  readonly #rules: WorkspaceRules;
  readonly #policy: UrlPolicy;
  readonly #chromium: Chromium;
  readonly #sessions: Sessions;
  readonly #dispatcher: Dispatcher;
  readonly #overview: Overview;
  readonly #startedAt = new Date().toISOString();
  readonly #ending = new AbortController();
  readonly #tabsFile: string;
  readonly #keptFile: string;
  readonly #keyFile: string;
  #proxy: SocksProxy | undefined;
  #httpPort = 0;
  #server: HttpServer | undefined;
  #socket: SocketServer | undefined;
  #leases: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #keepsTabs = false;
  #forgetsTabs = false;

  constructor(options: DaemonOptions, given: Handover | undefined) {
    this.#options = options;
    this.#given = given;
    const { workspace, settings } = options;
    const roots = [workspace.root, ...options.tempFolders];
    this.#tabsFile = join(workspace.browseFolder, "tabs.json");
    this.#keptFile = join(workspace.browseFolder, "idle.state");
    this.#keyFile = join(options.home, "browse.key");
    this.#files = new LogFiles(join(workspace.browseFolder, "logs"), () => this.#sessions.hideCookies());
    this.#rules = new WorkspaceRules(join(workspace.browseFolder, "policy.json"), settings.allowHosts, () =>
      this.#proxy?.recheck(),
    );
    this.#policy = new UrlPolicy({
      rules: () => this.#rules.inForce(),
      fileRefusal: (path) => fileRefusal(path, roots),
    });
    this.#chromium = new Chromium({
      configuredPath: settings.chromium,
      sandbox: settings.sandbox,
      searchFolders: options.searchFolders,
      env: options.env,
      proxyPort: () => this.#proxy?.port ?? 0,
      onLost: () => this.#sessions.lost("Chromium had ended and was restarted"),
    });
    this.#sessions = new Sessions({
      chromium: this.#chromium,
      files: this.#files,
      policy: this.#policy,
      tabsFile: this.#tabsFile,
      onEnded: (name) => this.#tokens.revoke(name),
      prepareTab: (tab) => {
        attachTab(tab);
        watchTab(tab, {
          failureOf: (host, port) => this.#proxy?.failureOf(host, port),
          urlRefusal: (url) => this.#policy.urlRefusal(url),
        });
      },
    });
    const parts: ControlParts = {
      workspace: workspace.root,
      version: options.build.version,
      startedAt: this.#startedAt,
      idleMinutes: settings.idleMinutes,
      chromium: this.#chromium,
      sessions: this.#sessions,
      tokens: this.#tokens,
      rules: this.#rules,
      running: () => this.#dispatcher.running(),
      keyFile: this.#keyFile,
      hasScreen: process.platform === "darwin" || Boolean(options.env.DISPLAY || options.env.WAYLAND_DISPLAY),
    };
    const recent = new RecentCommands();
    this.#overview = new Overview(parts, recent);
    this.#dispatcher = new Dispatcher({
      table: new CommandTable(browseCommands),
      sessions: this.#sessions,
      policy: this.#policy,
      proxy: () => this.#proxy,
      roots,
      control: (call, steps) => controlFor(parts, call, steps),
      // After the answer, which need not wait until this is redacted.
      onDone: (done) => void setImmediate(() => recent.note(done)),
    });
  }

  async run(): Promise<void> {
    try {
      await this.#serve();
    } finally {
      // Also after a failed start: what listens would keep the process for ever.
      await this.#close();
    }
  }

  async #serve(): Promise<void> {
    await this.#rules.load();
    await this.#inherit();
    this.#proxy = await openProxy({
      hostRefusal: (host) => this.#policy.hostRefusal(host),
      ownPorts: () => [this.#httpPort, this.#proxy?.port ?? 0],
    });
    this.#server = await startHttpServer(this.#tokens, (request) => this.#answer(request));
    this.#httpPort = this.#server.port;
    await this.#writeState(this.#httpPort);
    // The first command needs a page, so Chromium starts while the command arrives. The command reports a failure.
    this.#chromium.ensure().catch(() => {});
    // Only the Browse screen needs it, so a home that cannot be written must not fail a command.
    await noteWorkspace(this.#options.home, this.#options.workspace.root).catch(() => {});
    this.#socket = await this.#openSocket();
    this.#touch();
    this.#leases = setInterval(() => void this.#sessions.endLeases(), leaseCheckMs);
    await this.#untilEnd();
    this.#forgetsTabs = !this.#keepsTabs;
  }

  async #close(): Promise<void> {
    clearInterval(this.#leases);
    clearTimeout(this.#idleTimer);
    // First, so that no client finds a daemon that no longer answers.
    await rm(this.#options.workspace.stateFile, { force: true });
    await this.#socket?.close();
    await this.#files.close();
    await this.#chromium.close();
    if (this.#forgetsTabs) await rm(this.#tabsFile, { force: true });
    await this.#server?.close();
    await this.#proxy?.close();
  }

  /** From a predecessor's handover, or from the tabs file if it was killed. */
  async #inherit(): Promise<void> {
    const given = this.#given;
    if (given) {
      this.#tokens.inherit(given.tokens);
      this.#sessions.inherit(given.sessions, "The browser was replaced by a newer Devflow");
      return;
    }
    const kept = await takeState(this.#keptFile, () => sealingKey(this.#keyFile));
    if (kept) {
      const { idleMinutes } = kept;
      const reason = `The browser ended after ${idleMinutes === 1 ? "an idle minute" : `${idleMinutes} idle minutes`}`;
      this.#sessions.inherit(kept.sessions, reason);
      return;
    }
    const written = fromDisk(await readPrivateFile(this.#tabsFile).catch(() => undefined));
    this.#sessions.inherit(written, "The browser had been killed and was restarted");
  }

  async #writeState(port: number): Promise<void> {
    const { build, workspace } = this.#options;
    const state: DaemonState = {
      ...proofOfSelf(),
      port,
      token: this.#tokens.owner,
      startedAt: this.#startedAt,
      binaryVersion: build.version,
      executable: build.executable,
      executableTime: build.executableTime,
    };
    await writeFileAtomic(workspace.stateFile, `${JSON.stringify(state)}\n`);
  }

  #untilEnd(): Promise<void> {
    const signals = [this.#options.signal, this.#ending.signal];
    return new Promise((resolve) => {
      const end = () => {
        this.#end("the browser was stopped");
        resolve();
      };
      for (const signal of signals) {
        if (signal.aborted) return end();
        signal.addEventListener("abort", end, { once: true });
      }
    });
  }

  #end(reason: string): void {
    if (!this.#ending.signal.aborted) {
      this.#ending.abort(new DevflowError("browse_lost", { details: { command: "the command", reason } }));
    }
  }

  /** Restarts the idle timer. */
  #touch(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#dispatcher.running().length > 0) this.#touch();
      else void this.#endIdle();
    }, this.#options.settings.idleMinutes * 60_000);
  }

  /** The next command opens the tabs again, with their log-ins. */
  async #endIdle(): Promise<void> {
    const { idleMinutes } = this.#options.settings;
    // Without the file the next browser only starts empty, so a full disk must not keep this one alive.
    await this.#sessions
      .rememberAll()
      .then(async () => {
        const sessions = this.#sessions.memory().filter(({ tabs }) => tabs.some(({ url }) => url !== "about:blank"));
        const kept = { endedAt: new Date().toISOString(), idleMinutes, sessions };
        if (sessions.length > 0) await keepState(this.#keptFile, await sealingKey(this.#keyFile), kept);
      })
      .catch(() => {});
    if (this.#dispatcher.running().length > 0) this.#touch();
    else this.#end("it was idle");
  }

  async #answer({ path, body, caller, signal }: DaemonRequest): Promise<DaemonResponse> {
    if (this.#ending.signal.aborted) return ending();
    if (path === commandPath) return await this.#command(body as CommandRequest, caller, signal);
    if (path === handoverPath && caller.kind === "owner") return await this.#handOver();
    if (path === overviewPath && caller.kind === "owner") return { status: 200, body: await this.#overview.all() };
    if (path === picturePath && caller.kind === "owner")
      return { status: 200, body: await this.#overview.picture(body) };
    throw new DevflowError("not_found", { details: { what: path.slice(0, 100), next: "" } });
  }

  /** Clients that do not find it use the state file. */
  async #openSocket(): Promise<SocketServer | undefined> {
    const { home, workspace } = this.#options;
    const path = socketPath(home, workspace.root);
    if (path === undefined) return undefined;
    return await startSocketServer(path, this.#options.listen, (request, signal) =>
      this.#answerQuickly(request, signal),
    ).catch(() => undefined);
  }

  /** What a client with the state file checks itself. */
  async #answerQuickly(request: QuickRequest, signal: AbortSignal): Promise<LineAnswer> {
    const isOurs = findWorkspace(request.cwd).root === this.#options.workspace.root;
    if (this.#ending.signal.aborted || !isOurs || (await this.#isNewer(request))) return ending();
    const caller = request.token === undefined ? owner : this.#tokens.callerOf(`Bearer ${request.token}`);
    if (caller) return await this.#command(request, caller, signal);
    return { body: { ok: false, error: errorReport(new DevflowError("browse_token_refused")) } satisfies CommandReply };
  }

  async #isNewer({ build }: QuickRequest): Promise<boolean> {
    const { version, executable, executableTime } = this.#options.build;
    const ours = { binaryVersion: version, executable, executableTime };
    const found = build.executable === executable ? statSync(executable, { throwIfNoEntry: false }) : undefined;
    return await isNewerBuild({ ...build, executableTime: found?.mtimeMs ?? 0 }, ours);
  }

  async #handOver(): Promise<DaemonResponse> {
    if (this.#dispatcher.running().length > 0) return { status: 409, body: { ok: false } };
    await this.#sessions.rememberAll();
    const given: Handover = {
      sessions: this.#sessions.memory(),
      tokens: this.#tokens.handOver(),
      from: process.pid,
    };
    this.#keepsTabs = true;
    return { status: 200, body: given, afterwards: () => this.#end("a newer one took over") };
  }

  async #command(
    request: CommandRequest,
    caller: DaemonRequest["caller"],
    signal: AbortSignal,
  ): Promise<DaemonResponse> {
    this.#touch();
    let isLast = false;
    const notes: string[] = [];
    const stop = () => {
      isLast = true;
    };
    const withNotes = () => (notes.length > 0 ? { notes: notes.map(plainText) } : {});
    try {
      const both = AbortSignal.any([signal, this.#ending.signal]);
      const answer = await this.#dispatcher.run({ request, caller, signal: both, notes, stop });
      const exit = answer.exit === undefined ? {} : { exit: answer.exit };
      const reply: CommandReply = { ok: true, out: printAnswer(answer, request), ...exit, ...withNotes() };
      return { status: 200, body: reply, ...(isLast ? { afterwards: () => this.#end("it was stopped") } : {}) };
    } catch (error) {
      const reply: CommandReply = { ok: false, error: cleanReport(error), ...withNotes(), ...traceOf(error, request) };
      return { status: 200, body: reply };
    } finally {
      this.#touch();
    }
  }
}

const owner = { kind: "owner" } as const;

function ending(): DaemonResponse {
  const error = errorReport(
    new DevflowError("browse_lost", { details: { command: "the command", reason: "the browser is stopping" } }),
  );
  return { status: 503, body: { ok: false, error, retry: true } satisfies CommandReply };
}

/** Error messages may quote the page, so they are cleaned like all text from a page. */
function cleanReport(error: unknown): ErrorReport {
  return plainValue(errorReport(error)) as ErrorReport;
}

function traceOf(error: unknown, { debug }: CommandRequest): { trace?: string } {
  if (!debug) return {};
  const lines: string[] = [];
  for (let one = error; one instanceof Error && lines.length < 5; one = one.cause) lines.push(one.stack ?? one.message);
  return { trace: plainText(lines.join("\ncaused by ")) };
}
