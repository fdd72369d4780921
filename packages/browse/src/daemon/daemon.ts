/**
 * The daemon: holds the workspace's lock, opens its door, says where it is, and runs commands until it is stopped or
 * nobody has asked anything for a while. It ends with Chromium gone and its state file removed.
 *
 * - `runBrowseDaemon(options)` resolves when it has ended; false when another daemon holds the workspace.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import type { Environment } from "@devflow/core/environment";
import { DevflowError, errorReport } from "@devflow/core/errors";
import { tryLock } from "@devflow/core/exclusive-lock";
import { proofOfSelf } from "@devflow/core/process-proof";
import {
  type Build,
  type CommandReply,
  type CommandRequest,
  commandPath,
  type DaemonState,
  prepareFolder,
  type Workspace,
} from "../client/index.ts";
import type { Answer, BrowseDaemon, CommandScope, DaemonStatus } from "../command.ts";
import { browseCommands } from "../commands/index.ts";
import { LogFiles } from "../logs/index.ts";
import { createFileGate, fileRefusal, openProxy, UrlPolicy } from "../policy/index.ts";
import { Chromium } from "./chromium.ts";
import { DeadlinePassed, freeTab, soon, within } from "./deadline.ts";
import { type DoorAnswer, type DoorRequest, openDoor } from "./door.ts";
import { printAnswer } from "./egress.ts";
import { explainFailure } from "./explain-failure.ts";
import { CommandTable, checkCaller, type Handler, type Step } from "./run-command.ts";
import { Sessions } from "./sessions.ts";
import { type Caller, Tokens } from "./tokens.ts";

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
  /** Folders of PATH. */
  readonly searchFolders: readonly string[];
  /** Where files may go besides the workspace. */
  readonly tempFolders: readonly string[];
  /** SIGTERM and friends. */
  readonly signal: AbortSignal;
}

export async function runBrowseDaemon(options: DaemonOptions): Promise<boolean> {
  const { workspace } = options;
  await prepareFolder(workspace);
  const lock = tryLock(workspace.lockFile);
  if (!lock) return false;
  try {
    await new Daemon(options).run();
  } finally {
    lock.release();
  }
  return true;
}

const defaultDeadlineMs = 30_000;

interface Running {
  readonly command: string;
  readonly session: string;
  readonly since: number;
}

class Daemon {
  readonly #options: DaemonOptions;
  readonly #tokens = new Tokens();
  readonly #table = new CommandTable(browseCommands);
  readonly #files: LogFiles;
  readonly #policy: UrlPolicy;
  readonly #running = new Set<Running>();
  readonly #startedAt = new Date().toISOString();
  readonly #stopping = new AbortController();
  #proxyPort = 0;
  #doorPort = 0;
  readonly #chromium: Chromium;
  readonly #sessions: Sessions;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: DaemonOptions) {
    this.#options = options;
    const { workspace, settings } = options;
    const roots = [workspace.root, ...options.tempFolders];
    this.#files = new LogFiles(join(workspace.browseFolder, "logs"));
    this.#policy = new UrlPolicy({
      rules: () => ({ allow: settings.allowHosts, block: [] }),
      fileRefusal: (path) => fileRefusal(path, roots),
    });
    this.#chromium = new Chromium({
      configuredPath: settings.chromium,
      sandbox: settings.sandbox,
      searchFolders: options.searchFolders,
      env: options.env,
      proxyPort: () => this.#proxyPort,
      onLost: () => this.#sessions.forgetAll(),
    });
    this.#sessions = new Sessions(this.#chromium, this.#files);
  }

  async run(): Promise<void> {
    const proxy = await openProxy({
      hostRefusal: (host) => this.#policy.hostRefusal(host),
      ownPorts: () => [this.#doorPort, this.#proxyPort],
    });
    this.#proxyPort = proxy.port;
    const door = await openDoor(this.#tokens, (request) => this.#answer(request));
    this.#doorPort = door.port;
    await this.#writeState(door.port);
    this.#touch();
    const { signal } = this.#options;
    await new Promise<void>((resolve) => {
      const end = () => resolve();
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
      this.#stopping.signal.addEventListener("abort", end, { once: true });
    });
    clearTimeout(this.#idleTimer);
    if (!this.#stopping.signal.aborted)
      this.#stopping.abort(
        new DevflowError("browse_lost", { details: { command: "it", reason: "the browser was stopped" } }),
      );
    await rm(this.#options.workspace.stateFile, { force: true });
    await this.#chromium.close();
    await door.close();
    await proxy.close();
    await this.#files.close();
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

  /** Somebody is there: the idle time starts anew. */
  #touch(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#running.size > 0) this.#touch();
      else this.#stopping.abort(new Error("idle"));
    }, this.#options.settings.idleMinutes * 60_000);
  }

  async #answer({ path, body, caller, signal }: DoorRequest): Promise<DoorAnswer> {
    if (path === commandPath) return await this.#command(body as CommandRequest, caller, signal);
    throw new DevflowError("not_found", { details: { what: path.slice(0, 100), next: "" } });
  }

  async #command(request: CommandRequest, caller: Caller, signal: AbortSignal): Promise<DoorAnswer> {
    if (this.#stopping.signal.aborted) {
      const error = errorReport(
        new DevflowError("browse_lost", { details: { command: "it", reason: "it is ending" } }),
      );
      return { status: 503, body: { ok: false, error, retry: true } satisfies CommandReply };
    }
    this.#touch();
    const step = this.#table.parse(request);
    const sessionName =
      step.shared.session ?? (caller.kind === "session" ? caller.session : (request.session ?? "default"));
    checkCaller(caller, step, sessionName);
    const running: Running = { command: step.words, session: sessionName, since: Date.now() };
    this.#running.add(running);
    let stopAfter = false;
    try {
      const answer = await this.#run(step, {
        request,
        caller,
        sessionName,
        signal: AbortSignal.any([signal, this.#stopping.signal]),
        stop: () => {
          stopAfter = true;
        },
      });
      const out = printAnswer(answer, { json: request.json });
      const afterwards = () => this.#stopping.abort(new Error("stopped"));
      return { status: 200, body: { ok: true, out } satisfies CommandReply, ...(stopAfter ? { afterwards } : {}) };
    } catch (error) {
      const explained = explainFailure(error, { command: step.words });
      const trace = request.debug ? { trace: String((error as Error)?.stack ?? error) } : {};
      return { status: 200, body: { ok: false, error: errorReport(explained), ...trace } satisfies CommandReply };
    } finally {
      this.#running.delete(running);
      this.#touch();
    }
  }

  async #run(
    step: Step,
    call: { request: CommandRequest; caller: Caller; sessionName: string; signal: AbortSignal; stop: () => void },
  ): Promise<Answer> {
    const { record, shared, input } = step;
    const handler = (await record.handler()) as Handler;
    const ms = shared.timeout ?? record.deadlineMs ?? defaultDeadlineMs;
    const given = new AbortController();
    const scope: CommandScope = {
      signal: AbortSignal.any([call.signal, given.signal]),
      files: createFileGate({
        cwd: call.request.cwd,
        roots: [this.#options.workspace.root, ...this.#options.tempFolders],
      }),
      policy: this.#policy,
    };
    if (record.needs === "daemon") {
      return await within(handler(input, { ...scope, daemon: this.#control(call) }), { ms, signal: call.signal });
    }
    const session = await this.#sessions.get(call.sessionName);
    if (record.needs === "session") {
      return await within(handler(input, { ...scope, session }), { ms, signal: call.signal });
    }
    if (!session.hasTabs()) await session.open();
    const tab = shared.tab ? session.find(shared.tab) : session.current();
    return await tab.inTurn(async () => {
      try {
        return await within(handler(input, { ...scope, session, tab }), { ms, signal: call.signal });
      } catch (error) {
        given.abort(error);
        if (!(error instanceof DeadlinePassed)) throw error;
        const freed = await freeTab(tab);
        if (freed === "the tab must be replaced") await session.replace(tab);
        throw new DevflowError("browse_deadline", {
          details: {
            command: step.words,
            seconds: ms / 1000,
            outcome: freed,
            next: "See the tabs: devflow browse tabs",
          },
        });
      }
    });
  }

  #control(call: { sessionName: string; stop: () => void }): BrowseDaemon {
    return {
      sessionName: call.sessionName,
      status: async () => this.#status(),
      tabs: async (all: boolean) => {
        const sessions = all
          ? this.#sessions.list()
          : [this.#sessions.find(call.sessionName)].filter((one) => one !== undefined);
        const cdp = this.#chromium.running?.cdp;
        const targets = cdp ? await soon(cdp.send("Target.getTargets"), 500) : undefined;
        return sessions.flatMap((session) =>
          session.tabs().map((tab) => {
            const target = targets?.targetInfos.find(({ targetId }) => targetId === tab.targetId);
            return {
              session: session.name,
              id: tab.id,
              url: target?.url ?? tab.page.url(),
              ...(target?.title ? { title: target.title } : {}),
              isCurrent: session.current() === tab,
            };
          }),
        );
      },
      stop: call.stop,
      restartBrowser: () => this.#chromium.close(),
    } as unknown as BrowseDaemon;
  }

  #status(): DaemonStatus {
    const running = this.#chromium.running;
    const { workspace, build, settings } = this.#options;
    return {
      pid: process.pid,
      version: build.version,
      workspace: workspace.root,
      startedAt: this.#startedAt,
      idleMinutes: settings.idleMinutes,
      chromium: {
        state: this.#chromium.state,
        ...(running ? { path: running.path, version: running.version, pid: running.pid } : {}),
        sandbox: this.#chromium.sandbox.words,
      },
      sessions: this.#sessions.list().map((session) => ({
        name: session.name,
        tabs: session.tabs().length,
        lease: "no lease",
        lastUsedAt: "",
      })),
      running: [...this.#running].map(({ command, session, since }) => ({ command, session, ms: Date.now() - since })),
    };
  }
}
