/**
 * Drives agents through their session folders: a detached process per session, the fake agent itself or the holder of a
 * real one. See `SessionAdapter` for the contract.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { type Clock, systemClock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import { tryLock } from "@devflow/core/exclusive-lock";
import { faultPoint } from "@devflow/core/fault-point";
import { isSameProcess } from "@devflow/core/process-proof";
import type {
  DriverCall,
  ProbeResult,
  SessionAdapter,
  SessionFact,
  SessionHandle,
  StartInput,
  TranscriptChunk,
} from "../adapter.ts";
import { readFacts, sessionFolder, startLimitMs } from "./session-folder.ts";

export interface FolderAdapterOptions {
  /** How to start the process; the session's folder is appended. */
  readonly command: readonly string[];
  /** Its environment, with those of the repository's variables that it may have. */
  readonly environment: (variables: readonly string[]) => Readonly<Record<string, string>>;
  /** What the process finds in `start.json`. No value of an environment variable belongs there. */
  readonly startFile: (input: StartInput) => object;
  /** Ends what a process that was killed left running. */
  readonly endLeft?: (root: string) => Promise<void>;
  readonly clock?: Clock;
}

/** A real agent accepts a prompt within seconds; one that has not after this time will not. */
const ackLimitMs = 60_000;
const pollMs = 10;
/** The fake acknowledges a prompt within a millisecond or two. */
const ackPollMs = 3;

export function createFolderAdapter(options: FolderAdapterOptions): SessionAdapter {
  const clock = options.clock ?? systemClock;

  async function launch(handle: SessionHandle, { signal }: DriverCall): Promise<SessionHandle> {
    const running = await livingAgent(handle.folder);
    if (running) return { ...handle, ...running };
    const [program = "", ...words] = [...options.command, handle.folder];
    const errors = sessionFolder(handle.folder).errors;
    await writeFile(errors, "", { mode: 0o600 });
    const log = await open(errors, "a", 0o600);
    const child = spawn(program, words, {
      cwd: handle.folder,
      // A process with this token is an agent, and may not decide gates.
      env: {
        ...options.environment(await variablesOf(handle.folder)),
        DEVFLOW_SESSION_TOKEN: `dfs_${handle.sessionId}`,
      },
      detached: true,
      stdio: ["ignore", "ignore", log.fd],
    });
    await log.close();
    let gone = false;
    child.once("exit", () => {
      gone = true;
    });
    child.once("error", () => {
      gone = true;
    });
    child.unref();
    faultPoint("after_agent_spawned");
    const deadline = clock.now() + startLimitMs;
    while (clock.now() < deadline) {
      const started = await livingAgent(handle.folder);
      if (started) return { ...handle, ...started };
      // It exits when another process holds the folder, which may not be ready yet; one that fails reports why.
      if (gone && (await hasSpoken(handle.folder))) break;
      await clock.sleep(pollMs, signal).catch((error: unknown) => {
        // An interrupted start leaves no process behind that nobody could find.
        child.kill("SIGKILL");
        throw error;
      });
    }
    const said = await readFile(errors, "utf8").catch(() => "");
    throw new DevflowError("session_start_failed", {
      details: { session: handle.sessionId, reason: said.trim() || "it did not respond" },
    });
  }

  async function endWhole(handle: SessionHandle, signal: AbortSignal): Promise<void> {
    await end(handle, clock, signal);
    await options.endLeft?.(handle.folder);
  }

  /** Not a newer one, which a driver started before it was killed. */
  async function endReplaced(handle: SessionHandle, signal: AbortSignal): Promise<void> {
    const running = await livingAgent(handle.folder);
    if (running && (running.pid !== handle.pid || running.processIdentity !== handle.processIdentity)) return;
    if (running) return await endWhole(handle, signal);
    // Its agent may have outlived it. While somebody holds the folder, that agent is theirs.
    const lock = options.endLeft ? tryLock(sessionFolder(handle.folder).lock) : undefined;
    if (!lock) return;
    try {
      await options.endLeft?.(handle.folder);
    } finally {
      lock.release();
    }
  }

  return {
    async start(input, call) {
      const folder = sessionFolder(input.folder);
      for (const path of [folder.inbox, folder.answers, folder.messages])
        await mkdir(path, { recursive: true, mode: 0o700 });
      const { sessionId, variables } = input;
      if (input.replaces) await endReplaced(input.replaces, call.signal);
      await writeFileAtomic(folder.start, JSON.stringify({ ...options.startFile(input), variables }));
      return await launch({ sessionId, backend: input.backend, folder: input.folder }, call);
    },

    async sendPrompt(handle, envelope, { signal }) {
      await placeOnce(handle, "inbox", envelope.dedupKey, envelope);
      faultPoint("after_prompt_linked");
      let deadline = clock.now() + ackLimitMs;
      let typed = 0;
      while (clock.now() < deadline) {
        // Liveness first: an agent that accepted the prompt and died at once has accepted it.
        const alive = (await livingAgent(handle.folder)) !== undefined;
        const facts = await readFacts(handle.folder, 0);
        if (facts.some((fact) => fact.kind === "ack" && fact.dedupKey === envelope.dedupKey))
          return { promptId: envelope.dedupKey };
        if (!alive) break;
        // While a person uses the agent, the prompt waits for them.
        const typing = facts.filter(({ kind }) => kind === "person_typing").length;
        if (typing > typed) deadline = clock.now() + ackLimitMs;
        typed = typing;
        await clock.sleep(ackPollMs, signal);
      }
      throw new DevflowError("prompt_send_transient", { details: { session: handle.sessionId } });
    },

    async say(handle, message) {
      await placeOnce(handle, "messages", message.id, message);
    },

    async probe(handle): Promise<ProbeResult> {
      const turns = await turnsOf(handle.folder);
      const output = await stat(sessionFolder(handle.folder).transcript).catch(() => undefined);
      return {
        alive: (await livingAgent(handle.folder)) !== undefined,
        busy: turns.length > 0,
        ...(output ? { lastOutputAt: output.mtime } : {}),
      };
    },

    resume: launch,

    async rebootstrap(handle, call) {
      await endWhole(handle, call.signal);
      const folder = sessionFolder(handle.folder);
      const generation = join(handle.folder, `generation-${clock.now()}`);
      await mkdir(generation, { recursive: true });
      // The journal stays: it covers the whole session, not one process. The agent's own session does not.
      await rename(folder.inbox, join(generation, "inbox")).catch(() => undefined);
      await rename(folder.agent, join(generation, "agent.json")).catch(() => undefined);
      await mkdir(folder.inbox, { recursive: true, mode: 0o700 });
      return await launch(handle, call);
    },

    async *capture(handle, afterSeq, signal): AsyncIterable<TranscriptChunk> {
      let offset = afterSeq;
      for await (const _tick of ticksAndLast(clock, signal)) {
        const text = await readFrom(sessionFolder(handle.folder).transcript, offset);
        if (text.length === 0) continue;
        offset += text.length;
        yield { seq: offset, content: text.toString("utf8"), capturedAt: new Date(clock.now()) };
      }
    },

    async *facts(handle, afterSeq, signal): AsyncIterable<SessionFact> {
      let last = afterSeq;
      for await (const _tick of ticks(clock, signal)) {
        // Liveness first: then everything a process wrote before it died is in the file.
        const alive = (await livingAgent(handle.folder)) !== undefined;
        for (const fact of await readFacts(handle.folder, last)) {
          last = fact.seq;
          yield fact;
        }
        if (!alive) {
          yield { seq: last + 1, kind: "exit", code: null };
          return;
        }
      }
    },

    async interrupt(handle, { signal }) {
      const turns = await turnsOf(handle.folder);
      const running = await livingAgent(handle.folder);
      if (!running || turns.length === 0) return;
      process.kill(running.pid, "SIGINT");
      // A signal takes effect a moment later; until the agent confirms it, it may still write.
      for (let tries = 0; tries < interruptTries; tries++) {
        const left = await turnsOf(handle.folder);
        if (!left.some((key) => turns.includes(key)) || !(await livingAgent(handle.folder))) return;
        await clock.sleep(pollMs, signal);
      }
      // An agent that does not stop may write at any time. Without it, nothing more is written.
      await endWhole(handle, signal);
    },

    async answerPermission(handle, permissionId, answer) {
      const path = join(sessionFolder(handle.folder).answers, `${permissionId}.json`);
      await writeFileAtomic(path, JSON.stringify({ answer }));
    },

    dispose: (handle, { signal }) => endWhole(handle, signal),
  };
}

/** 10 s. */
const interruptTries = 1_000;

/** A file in one of the folder's boxes. A link never replaces: a second delivery under this name finds the first one. */
async function placeOnce(
  { folder: root }: SessionHandle,
  box: "inbox" | "messages",
  name: string,
  content: object,
): Promise<void> {
  const folder = sessionFolder(root);
  await mkdir(folder[box], { recursive: true, mode: 0o700 });
  const temporary = join(root, `.${name}.${randomUUID()}.tmp`);
  await writeFile(temporary, JSON.stringify(content), { mode: 0o600 });
  await link(temporary, join(folder[box], `${name}.json`)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(temporary, { force: true });
}

async function end(handle: SessionHandle, clock: Clock, stop: AbortSignal): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const running = await livingAgent(handle.folder);
    if (!running) return;
    process.kill(running.pid, signal);
    for (let tries = 0; tries < 300 && (await livingAgent(handle.folder)); tries++) await clock.sleep(pollMs, stop);
  }
}

const hasSpoken = async (root: string): Promise<boolean> =>
  ((await stat(sessionFolder(root).errors).catch(() => undefined))?.size ?? 0) > 0;

/** The running process of a session's folder; undefined when there is none. */
export async function livingAgent(
  root: string,
): Promise<{ pid: number; processIdentity: string; agentSessionId?: string | undefined } | undefined> {
  const text = await readFile(sessionFolder(root).process, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { pid, identity, ...found } = JSON.parse(text) as { pid: number; identity: string; agentSessionId?: string };
  return isSameProcess({ pid, identity }) ? { ...found, pid, processIdentity: identity } : undefined;
}

/** Names only: no value of a variable is written to disk. Folders of earlier versions have none. */
async function variablesOf(root: string): Promise<readonly string[]> {
  const { variables = [] } = JSON.parse(await readFile(sessionFolder(root).start, "utf8")) as { variables?: string[] };
  return variables;
}

/** Prompts that the agent accepted and has not finished. */
async function turnsOf(folder: string): Promise<string[]> {
  const facts = await readFacts(folder, 0);
  const ended = new Set(facts.flatMap((fact) => (fact.kind === "idle" ? [fact.dedupKey] : [])));
  return facts.flatMap((fact) => (fact.kind === "ack" && !ended.has(fact.dedupKey) ? [fact.dedupKey] : []));
}

async function readFrom(path: string, offset: number): Promise<Buffer> {
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return Buffer.alloc(0);
  try {
    const { size } = await file.stat();
    if (size <= offset) return Buffer.alloc(0);
    const fresh = Buffer.alloc(Math.min(size - offset, 1024 * 1024));
    const { bytesRead } = await file.read(fresh, 0, fresh.length, offset);
    // Complete lines only, so that no character is cut in two.
    return fresh.subarray(0, fresh.subarray(0, bytesRead).lastIndexOf(0x0a) + 1);
  } finally {
    await file.close();
  }
}

/** Once more after the end, to report the last lines too. */
async function* ticksAndLast(clock: Clock, signal: AbortSignal): AsyncIterable<void> {
  yield* ticks(clock, signal);
  yield;
}

async function* ticks(clock: Clock, signal: AbortSignal): AsyncIterable<void> {
  while (!signal.aborted) {
    yield;
    await clock.sleep(25, signal).catch(() => undefined);
  }
}
