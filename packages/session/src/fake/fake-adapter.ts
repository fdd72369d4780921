/** Drives fake agents: detached processes that communicate with their driver through a folder. See `SessionAdapter` for the contract. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { type Clock, systemClock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { isSameProcess } from "@devflow/core/process-proof";
import type {
  DriverCall,
  PermissionAnswer,
  ProbeResult,
  SessionAdapter,
  SessionFact,
  SessionHandle,
  StartInput,
  TranscriptChunk,
} from "../adapter.ts";
import type { PromptEnvelope } from "../prompt-envelope.ts";
import { fakeFolder } from "./folder.ts";
import { parseFakeScript } from "./script.ts";

interface FakeAdapterOptions {
  /** How to start the agent; the session's folder is appended. */
  readonly agentCommand: readonly string[];
  /** The agent's environment, with those of the repository's variables that it may have. */
  readonly environment: (variables: readonly string[]) => Readonly<Record<string, string>>;
  readonly defaultDelayMs?: number;
  readonly clock?: Clock;
}

const startLimitMs = 60_000;
const ackLimitMs = 30_000;
const pollMs = 10;
/** A prompt is acknowledged within a millisecond or two. */
const ackPollMs = 3;

export function createFakeAdapter(options: FakeAdapterOptions): SessionAdapter {
  const clock = options.clock ?? systemClock;
  const { defaultDelayMs = 50 } = options;

  async function launch(handle: SessionHandle, { signal }: DriverCall): Promise<SessionHandle> {
    const running = await livingAgent(handle.folder);
    if (running) return { ...handle, ...running };
    const [program = "", ...words] = [...options.agentCommand, handle.folder];
    const log = await open(join(handle.folder, "agent.err"), "a", 0o600);
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
      // It exits when another agent holds the folder, which may not have reported yet; an agent that fails reports why.
      if (gone && (await hasSpoken(handle.folder))) break;
      await clock.sleep(pollMs, signal).catch((error: unknown) => {
        // An interrupted start leaves no process behind that nobody could find.
        child.kill("SIGKILL");
        throw error;
      });
    }
    const said = await readFile(join(handle.folder, "agent.err"), "utf8").catch(() => "");
    throw new DevflowError("session_start_failed", {
      details: { session: handle.sessionId, reason: said.trim() || "it did not respond" },
    });
  }

  return {
    async start(input: StartInput, call) {
      const folder = fakeFolder(input.folder);
      await mkdir(folder.inbox, { recursive: true, mode: 0o700 });
      await mkdir(folder.answers, { recursive: true, mode: 0o700 });
      const script = parseFakeScript(input.launch.extra.script ?? {});
      const delay = input.launch.extra.delayMs;
      const { sessionId, cwd, variables } = input;
      const start = { cwd, script, defaultDelayMs: typeof delay === "number" ? delay : defaultDelayMs, variables };
      await writeFileAtomic(folder.start, JSON.stringify(start));
      const agentSessionId = `fake-${sessionId}`;
      return await launch({ sessionId, backend: "fake", folder: input.folder, agentSessionId }, call);
    },

    async sendPrompt(handle, envelope: PromptEnvelope, { signal }) {
      const folder = fakeFolder(handle.folder);
      const path = join(folder.inbox, `${envelope.dedupKey}.json`);
      const temporary = join(handle.folder, `.${envelope.dedupKey}.${randomUUID()}.tmp`);
      await writeFile(temporary, JSON.stringify(envelope), { mode: 0o600 });
      // A link never replaces: a second delivery of this key finds the first one.
      await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      faultPoint("after_prompt_linked");
      await rm(temporary, { force: true });
      const deadline = clock.now() + ackLimitMs;
      while (clock.now() < deadline) {
        // Liveness first: an agent that accepted the prompt and died at once has accepted it.
        const alive = (await livingAgent(handle.folder)) !== undefined;
        const facts = await readFacts(handle.folder, 0);
        if (facts.some((fact) => fact.kind === "ack" && fact.dedupKey === envelope.dedupKey))
          return { promptId: envelope.dedupKey };
        if (!alive) break;
        await clock.sleep(ackPollMs, signal);
      }
      throw new DevflowError("prompt_send_transient", { details: { session: handle.sessionId } });
    },

    async probe(handle): Promise<ProbeResult> {
      const turns = await turnsOf(handle.folder);
      const output = await stat(fakeFolder(handle.folder).transcript).catch(() => undefined);
      return {
        alive: (await livingAgent(handle.folder)) !== undefined,
        busy: turns.length > 0,
        ...(output ? { lastOutputAt: output.mtime } : {}),
      };
    },

    resume: launch,

    async rebootstrap(handle, call) {
      await end(handle, clock, call.signal);
      const folder = fakeFolder(handle.folder);
      const generation = join(handle.folder, `generation-${clock.now()}`);
      await mkdir(generation, { recursive: true });
      // The journal stays: it covers the whole session, not one process.
      await rename(folder.inbox, join(generation, "inbox")).catch(() => undefined);
      await mkdir(folder.inbox, { recursive: true });
      return await launch(handle, call);
    },

    async *capture(handle, afterSeq, signal): AsyncIterable<TranscriptChunk> {
      let offset = afterSeq;
      for await (const _tick of ticksAndLast(clock, signal)) {
        const text = await readFrom(fakeFolder(handle.folder).transcript, offset);
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
      for (let tries = 0; tries < 200; tries++) {
        const left = await turnsOf(handle.folder);
        if (!left.some((key) => turns.includes(key)) || !(await livingAgent(handle.folder))) return;
        await clock.sleep(pollMs, signal);
      }
    },

    async answerPermission(handle, permissionId: string, answer: PermissionAnswer) {
      await writeFileAtomic(
        join(fakeFolder(handle.folder).answers, `${permissionId}.json`),
        JSON.stringify({ answer }),
      );
    },

    dispose: (handle, { signal }) => end(handle, clock, signal),
  };
}

async function end(handle: SessionHandle, clock: Clock, stop: AbortSignal): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const running = await livingAgent(handle.folder);
    if (!running) return;
    process.kill(running.pid, signal);
    for (let tries = 0; tries < 100 && (await livingAgent(handle.folder)); tries++) await clock.sleep(pollMs, stop);
  }
}

const hasSpoken = async (folder: string): Promise<boolean> =>
  ((await stat(join(folder, "agent.err")).catch(() => undefined))?.size ?? 0) > 0;

/** The running agent of a session's folder; undefined when there is none. */
export async function livingAgent(folder: string): Promise<{ pid: number; processIdentity: string } | undefined> {
  const text = await readFile(fakeFolder(folder).process, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { pid, identity } = JSON.parse(text) as { pid: number; identity: string };
  return isSameProcess({ pid, identity }) ? { pid, processIdentity: identity } : undefined;
}

/** Names only: no value of a variable is written to disk. Folders of earlier versions have none. */
async function variablesOf(folder: string): Promise<readonly string[]> {
  const { variables = [] } = JSON.parse(await readFile(fakeFolder(folder).start, "utf8")) as { variables?: string[] };
  return variables;
}

async function readFacts(folder: string, afterSeq: number): Promise<SessionFact[]> {
  const text = await readFile(fakeFolder(folder).facts, "utf8").catch(() => "");
  return text
    .split("\n")
    .slice(0, -1)
    .slice(afterSeq)
    .map((line) => JSON.parse(line) as SessionFact);
}

/** Prompts that the agent accepted and has not finished. */
async function turnsOf(folder: string): Promise<string[]> {
  const facts = await readFacts(folder, 0);
  const ended = new Set(facts.flatMap((fact) => (fact.kind === "idle" ? [fact.dedupKey] : [])));
  return facts.flatMap((fact) => (fact.kind === "ack" && !ended.has(fact.dedupKey) ? [fact.dedupKey] : []));
}

async function readFrom(path: string, offset: number): Promise<Buffer> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  const fresh = bytes.subarray(offset);
  // Complete lines only, so that no character is cut in two.
  return fresh.subarray(0, fresh.lastIndexOf(0x0a) + 1);
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
