/**
 * Codex through its app server. See `Wire` for the contract.
 *
 * - A message is a `turn/start`: while a turn runs, Codex adds it to that turn, and otherwise begins one. The item of the
 *   thread that carries our id for it confirms it.
 * - There is no Stop hook on this wire. When a turn is complete and the phase is not done, the words that hold the agent
 *   begin another turn; for the host it is still the same one.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { MakeWire, Wire } from "../holder/wire.ts";
import { type CodexError, codexFailure, type RateLimits, renewedAt } from "./codex-failure.ts";
import { codexArguments, codexPlaces, userRules } from "./codex-options.ts";
import { type CodexServer, type Params, type RequestId, startCodexServer } from "./codex-server.ts";
import { type CodexItem, codexTranscript } from "./codex-transcript.ts";
import { type ThreadUsage, type TokenCount, turnUsage, usedBefore } from "./codex-usage.ts";
import { approvalAnswer, describeApproval, isAllowedCommand } from "./describe-approval.ts";
import { openThread } from "./open-thread.ts";
import { exitError, StoreTaken, untilStoreIsFree } from "./store-taken.ts";
import { threadHas } from "./thread-has.ts";

interface Delivery {
  /** The turn that Codex gave it to. */
  turnId?: string;
  resolve(): void;
  reject(error: Error): void;
}

interface Turn {
  readonly id: string;
  readonly status: "completed" | "interrupted" | "failed" | "inProgress";
  readonly error: CodexError | null;
}

interface Asked {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
}

export const codexWire: MakeWire = (host): Wire => {
  const { start } = host;
  let server: CodexServer;
  let threadId = "";
  let model = "";
  /** The turn that runs. */
  let running: string | undefined;
  let ended: string | undefined;
  /** From a message until the end of its last turn, also while it is decided whether that may end. */
  let isAtWork = false;
  let isInterrupted = false;
  let limits: RateLimits = {};
  let before: TokenCount | undefined;
  let used: TokenCount | undefined;
  const unconfirmed = new Map<string, Delivery>();
  const permissions = new Map<string, Asked>();
  const changes = new Map<string, readonly string[]>();

  /** Resolves when the message is in the thread. */
  const deliver = (text: string, id: string): Promise<void> => {
    isAtWork = true;
    const confirmed = new Promise<void>((resolve, reject) => unconfirmed.set(id, { resolve, reject }));
    const input = [{ type: "text", text }];
    server.request<{ turn: Turn }>("turn/start", { threadId, clientUserMessageId: id, input }).then(
      ({ turn }) => {
        const delivery = unconfirmed.get(id);
        if (delivery) delivery.turnId = turn.id;
        if (turn.id === ended) dropFrom(turn.id, "it had just ended");
      },
      (error: Error) => {
        unconfirmed.get(id)?.reject(error);
        unconfirmed.delete(id);
      },
    );
    return confirmed;
  };

  /** Messages that a turn was given and did not take. The driver has the session continued, and sends them again. */
  const dropFrom = (turn: string, why: string) => {
    for (const [id, { turnId, reject }] of unconfirmed) {
      if (turnId !== turn) continue;
      unconfirmed.delete(id);
      reject(new Error(`the turn ended without the message: ${why}`));
    }
  };

  const interruptTurn = () => {
    // It is not answered when the turn has just ended; the end of the turn is.
    if (running) void server.request("turn/interrupt", { threadId, turnId: running }).catch(() => undefined);
  };

  const onApproval = (id: RequestId, method: string, params: Params) => {
    const described = describeApproval(method, params, start.cwd, changes.get(String(params.itemId)) ?? []);
    if (!described) return server.refuse(id, "Nobody can answer this here. Go on without it.");
    if (isAllowedCommand(method, params, start.cwd, start.launch.allowedCommands))
      return server.respond(id, approvalAnswer(method, params, "allow"));
    // Codex counts its requests from 0 in each process.
    const permissionId = randomUUID();
    permissions.set(permissionId, { id, method, params });
    host.permission({ permissionId, ...described });
  };

  const onItem = (item: CodexItem, isComplete: boolean) => {
    if (item.type === "userMessage") {
      unconfirmed.get(item.clientId ?? "")?.resolve();
      unconfirmed.delete(item.clientId ?? "");
    } else if (item.type === "fileChange") {
      changes.set(item.id, item.changes?.map(({ path }) => path) ?? []);
    }
    if (isComplete) for (const line of codexTranscript(item)) host.output(line);
  };

  const onError = (error: CodexError, willRetry: boolean) => {
    const { reason, isRateLimit } = codexFailure(error);
    if (willRetry) host.output(`Waiting: ${reason}; trying again`);
    if (isRateLimit) host.rateLimited(reason, renewedAt(limits));
    else host.activity("retrying");
  };

  const onUsage = (turnId: unknown, usage: ThreadUsage) => {
    // A thread that is continued reports what its earlier turns used.
    if (turnId === running) before ??= usedBefore(usage);
    used = usage.total;
  };

  const reportUsage = () => {
    const turn = before && used && turnUsage(before, used);
    if (turn) host.usage({ model, ...turn, costUsd: null });
    before = undefined;
  };

  const onTurnEnd = async ({ id, status, error }: Turn) => {
    running = undefined;
    ended = id;
    permissions.clear();
    changes.clear();
    dropFrom(id, error?.message ?? status);
    // A message that came too late for this turn has begun the next one.
    const isGoingOn = () => running !== undefined || unconfirmed.size > 0;
    if (status === "completed" && !isInterrupted) {
      if (isGoingOn()) return;
      const words = await host.mayEndTurn();
      if (isGoingOn()) return;
      if (words !== undefined && !isInterrupted) return await deliver(words, randomUUID());
    }
    reportUsage();
    const wasStopped = isInterrupted || status === "interrupted";
    isInterrupted = false;
    isAtWork = false;
    if (wasStopped) host.turnEnded("interrupted");
    else if (status === "failed") host.turnEnded("failed", error ? codexFailure(error).reason : "unknown");
    else host.turnEnded("done");
  };

  const onNotification = (method: string, params: Params) => {
    if (method === "account/rateLimits/updated") limits = { ...limits, ...(params.rateLimits as RateLimits) };
    if (params.threadId !== threadId) return;
    switch (method) {
      case "turn/started":
        running = (params.turn as Turn).id;
        if (isInterrupted) interruptTurn();
        return;
      case "turn/completed":
        onTurnEnd(params.turn as Turn).catch((error: Error) => host.ended(error.message));
        return;
      case "item/started":
      case "item/completed":
        host.activity((params.item as CodexItem).type);
        onItem(params.item as CodexItem, method === "item/completed");
        return;
      case "thread/tokenUsage/updated":
        onUsage(params.turnId, params.tokenUsage as ThreadUsage);
        return;
      case "serverRequest/resolved":
        for (const [permissionId, { id }] of permissions) {
          if (id !== params.requestId) continue;
          permissions.delete(permissionId);
          host.permissionGone(permissionId);
        }
        return;
      case "error":
        onError(params.error as CodexError, params.willRetry === true);
        return;
      default:
        if (method.endsWith("elta")) host.activity("working");
    }
  };

  const openOnce = async (): Promise<void> => {
    const places = codexPlaces(start, host.root, host.env);
    const taken = Promise.withResolvers<never>();
    let isOpening = true;
    server = await startCodexServer({
      command: [...start.command, ...codexArguments(start)],
      cwd: start.cwd,
      env: places.temporary === undefined ? host.env : { ...host.env, TMPDIR: places.temporary },
      onRequest: onApproval,
      onNotification,
      onNoise: (line) => host.output(line),
      onExit: (reason) => {
        const error = exitError(reason);
        if (isOpening && error instanceof StoreTaken) taken.reject(error);
        else host.ended(reason);
      },
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      throw new Error(`Codex is not at ${start.command[0]}. Install it with: npm install -g @openai/codex`, {
        cause: error,
      });
    });
    host.started(server.pid);
    try {
      const sessionToken = host.env.DEVFLOW_SESSION_TOKEN;
      const opening = openThread(server, { start, places, threadId: host.agentSessionId, sessionToken });
      const opened = await Promise.race([opening, taken.promise]);
      threadId = opened.thread.id;
      model = opened.model;
    } catch (error) {
      await server.end();
      throw error;
    } finally {
      isOpening = false;
      taken.promise.catch(() => undefined);
    }
  };

  return {
    async open() {
      const { temporary } = codexPlaces(start, host.root, host.env);
      if (temporary !== undefined) mkdirSync(temporary, { recursive: true, mode: 0o700 });
      const rules = userRules(host.env);
      if (rules.length > 0) host.output(`The user's own rules of Codex apply: ${rules.join(", ")}`);
      await untilStoreIsFree(openOnce);
      return { agentSessionId: threadId };
    },

    wasReceived: (uuid) => threadHas(server, threadId, uuid),

    prompt: (text, uuid) => deliver(text, uuid),

    say: (text) => deliver(text, randomUUID()),

    async interrupt() {
      if (!isAtWork) return;
      isInterrupted = true;
      interruptTurn();
    },

    async answer(permissionId, answer) {
      const asked = permissions.get(permissionId);
      if (!asked) return;
      permissions.delete(permissionId);
      server.respond(asked.id, approvalAnswer(asked.method, asked.params, answer));
    },

    close: () => server.end(),
  };
};
