/**
 * The holder of a real agent: a detached process that owns the agent's pipes, keeps the journal of its prompts, and
 * survives the server. It speaks with the driver through the session's folder, as the fake agent does, and with the agent
 * through a wire.
 *
 * - A prompt is in the journal before it is sent. After a crash in between, the agent's own history tells whether it
 *   arrived, so one envelope is in at most one message.
 * - An agent in the sandbox is started by the same wires, with other words before its command; the holder stays outside.
 * - The holder lives exactly as long as its agent: it ends when the agent does, and `SIGTERM` ends both. `SIGINT` ends the
 *   turn.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "@devflow/core/exclusive-lock";
import { faultPoint } from "@devflow/core/fault-point";
import { processIdentity } from "@devflow/core/process-proof";
import type { NewFact, PermissionAnswer, SaidMessage, TurnOutcome } from "../adapter.ts";
import { appendLine, completeLines, sessionFolder, startLimitMs } from "../folder/session-folder.ts";
import { watchWorkerBeat } from "../folder/worker-beat.ts";
import { isLong, type PromptEnvelope, renderEnvelope } from "../prompt-envelope.ts";
import { confine } from "../sandbox/confine.ts";
import { type AgentFile, endLeftAgent, readAgentFile, withProcess, withSession, writeAgentFile } from "./agent-file.ts";
import type { HeldStart } from "./held-start.ts";
import { openWithin } from "./open-within.ts";
import type { MakeWire, Wire } from "./wire.ts";
import { writeFileSyncAtomic } from "./write-file-sync-atomic.ts";

export interface HolderOptions {
  readonly wires: Readonly<Record<string, MakeWire>>;
  readonly env: Readonly<Record<string, string>>;
  /** What is wrong with the artifact that the prompt asked for, in words for the agent; empty when it is valid. */
  checkArtifact(envelope: PromptEnvelope, start: HeldStart): Promise<readonly string[]>;
  /** By default a little less than the driver waits. */
  readonly openLimitMs?: number;
}

/** How often the end of a turn is held back for a better artifact, per prompt. */
const mostHolds = 3;
const activityEveryMs = 5_000;

export async function runHolder(root: string, options: HolderOptions): Promise<void> {
  const { wires, env: given, checkArtifact, openLimitMs = startLimitMs - 5_000 } = options;
  const folder = sessionFolder(root);
  // A driver that was killed right after starting one starts another: the second finds the first and exits.
  if (!tryLock(folder.lock)) process.exit(0);
  const asked = JSON.parse(readFileSync(folder.start, "utf8")) as HeldStart;
  // The agent may be the first to write there, and what is not there cannot be allowed or put into a sandbox.
  for (const path of asked.writableFolders) mkdirSync(path, { recursive: true, mode: 0o700 });
  const confined = await confine(root, asked, given, {
    onRefused: (target) => appendLine(folder.transcript, `The sandbox did not connect to ${target}`),
  });
  const { start, env } = confined;
  const makeWire = wires[start.wire];
  if (!makeWire) throw new Error(`unknown wire ${start.wire}`);
  for (const path of [folder.inbox, folder.answers, folder.messages, folder.instructions])
    mkdirSync(path, { recursive: true, mode: 0o700 });

  let agent: AgentFile = readAgentFile(folder.agent);
  const keepAgent = (changed: AgentFile) => {
    agent = changed;
    writeAgentFile(folder.agent, agent);
  };

  const told = completeLines(folder.facts).map((line) => JSON.parse(line) as NewFact);
  let seq = told.length;
  const tell = (fact: NewFact) => {
    seq += 1;
    appendLine(folder.facts, { seq, ...fact });
  };
  const journaled = new Set(completeLines(folder.journal).map((line) => (JSON.parse(line) as PromptEnvelope).dedupKey));
  const acknowledged = keysOf(told, "ack");
  const heard = new Set(told.flatMap((fact) => (fact.kind === "said" ? [fact.messageId] : [])));
  /** Permissions that the agent waits for. */
  const waiting = new Set<string>();
  /** The prompt that the agent works on. */
  let current: PromptEnvelope | undefined;
  let holds = 0;
  let lastActivity = 0;
  let isClosing = false;
  let isReady = false;
  let isSending = false;

  const endTurn = (outcome: TurnOutcome, reason?: string) => {
    waiting.clear();
    if (!current) return;
    const { dedupKey } = current;
    current = undefined;
    tell({ kind: "idle", dedupKey, outcome, ...(reason ? { reason } : {}) });
    void next();
  };

  const wire: Wire = makeWire({
    root,
    start,
    env,
    agentSessionId: agent.agentSessionId,
    identified: (agentSessionId) => {
      if (agent.agentSessionId === agentSessionId) return;
      keepAgent({ ...agent, agentSessionId });
      sayReady();
    },
    started: (pid) => keepAgent(withProcess(agent, pid)),
    turnEnded: endTurn,
    async mayEndTurn() {
      if (!current || holds >= mostHolds) return undefined;
      const faults = await checkArtifact(current, start);
      if (faults.length === 0) return undefined;
      holds += 1;
      return stopWords(current, faults);
    },
    permission(permission) {
      waiting.add(permission.permissionId);
      tell({ kind: "permission", ...permission });
      void takeAnswers();
    },
    permissionGone: (permissionId) => void waiting.delete(permissionId),
    usage: (used) => tell({ kind: "usage", ...used }),
    rateLimited: (reason, resetAt) => tell({ kind: "rate_limit", reason, resetAt: resetAt?.toISOString() ?? null }),
    personTyping: () => tell({ kind: "person_typing" }),
    activity(what) {
      const now = Date.now();
      if (now - lastActivity < activityEveryMs) return;
      lastActivity = now;
      tell({ kind: "activity", what });
    },
    output: (text) => appendLine(folder.transcript, text),
    ended(reason) {
      if (isClosing) return;
      appendLine(folder.transcript, `The agent is gone: ${reason}`);
      appendLine(folder.errors, reason);
      process.exit(1);
    },
  });

  const sayReady = () => {
    if (!isReady) return;
    const { agentSessionId } = agent;
    const about = { pid: process.pid, identity: processIdentity(process.pid), agentSessionId, ...opened.terminal };
    writeFileSyncAtomic(folder.process, JSON.stringify(about));
  };

  const close = async () => {
    if (isClosing) return;
    isClosing = true;
    await wire.close();
    confined.close();
    process.exit(0);
  };
  process.on("SIGTERM", () => void close());
  process.on("SIGINT", () => void wire.interrupt());
  process.on("SIGHUP", () => undefined);

  endLeftAgent(wiresThatSurvive.has(start.wire) ? {} : agent);
  const opened = await openWithin(wire, openLimitMs);
  if (opened.agentSessionId !== undefined) keepAgent(withSession(agent, opened.agentSessionId));
  await takeUp();
  isReady = true;
  sayReady();
  watchWorkerBeat(root, () => void wire.interrupt());
  watch(folder.inbox, () => void next());
  watch(folder.answers, () => void takeAnswers());
  watch(folder.messages, () => void next());
  // Some file systems send no events: check again now and then.
  setInterval(() => {
    void next();
    void takeAnswers();
  }, 500);
  await next();

  /** After a crash: what became of the prompts that were on their way or at work. */
  async function takeUp(): Promise<void> {
    const finished = keysOf(told, "idle");
    for (const dedupKey of journaled) {
      if (finished.has(dedupKey)) continue;
      const envelope = promptAt(dedupKey);
      if (!acknowledged.has(dedupKey)) {
        // Sent, and never confirmed. If it did not arrive, it is sent again with the inbox.
        if (!envelope || !(await wire.wasReceived(envelope.uuid))) {
          journaled.delete(dedupKey);
          continue;
        }
        acknowledge(dedupKey);
      }
      if (envelope && opened.adopted?.isBusy) current = envelope;
      else if (opened.adopted?.outcome) tell({ kind: "idle", dedupKey, outcome: opened.adopted.outcome });
      else tell({ kind: "idle", dedupKey, outcome: "interrupted", reason: "the agent was restarted" });
    }
  }

  function acknowledge(dedupKey: string): void {
    acknowledged.add(dedupKey);
    if (!agent.isGreeted) keepAgent({ ...agent, isGreeted: true });
    tell({ kind: "ack", dedupKey });
  }

  function promptAt(dedupKey: string): PromptEnvelope | undefined {
    const path = join(folder.inbox, `${dedupKey}.json`);
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as PromptEnvelope) : undefined;
  }

  /** One thing at a time: a person's messages, then the next prompt. */
  async function next(): Promise<void> {
    if (isSending || isClosing) return;
    isSending = true;
    try {
      for (const id of namesIn(folder.messages).filter((one) => !heard.has(one))) await passOn(id);
      if (current) return;
      const dedupKey = namesIn(folder.inbox).find((one) => !journaled.has(one));
      const envelope = dedupKey === undefined ? undefined : promptAt(dedupKey);
      if (envelope) await send(envelope);
    } catch (error) {
      // The agent did not take it. Without a way to reach it, it is of no use: the driver resumes or replaces it.
      appendLine(folder.errors, `the agent could not be reached: ${(error as Error).message}`);
      await close();
    } finally {
      isSending = false;
    }
  }

  async function send(envelope: PromptEnvelope): Promise<void> {
    const { dedupKey, uuid, phaseKey, roleId, attempt } = envelope;
    journaled.add(dedupKey);
    appendLine(folder.journal, { dedupKey, uuid, phaseKey, roleId, attempt });
    faultPoint("after_prompt_journaled");
    const text = renderEnvelope(envelope, isLong(envelope.instructions) ? instructionsFile(envelope) : undefined);
    holds = 0;
    current = envelope;
    await wire.prompt(agent.isGreeted ? text : `${start.prelude}\n\n${text}`, uuid);
    faultPoint("after_prompt_confirmed");
    acknowledge(dedupKey);
  }

  function instructionsFile({ uuid, instructions }: PromptEnvelope): string {
    const path = join(folder.instructions, `${uuid}.md`);
    writeFileSync(path, instructions, { mode: 0o600 });
    return path;
  }

  async function passOn(id: string): Promise<void> {
    const { text } = JSON.parse(readFileSync(join(folder.messages, `${id}.json`), "utf8")) as SaidMessage;
    heard.add(id);
    await wire.say(text);
    tell({ kind: "said", messageId: id });
  }

  async function takeAnswers(): Promise<void> {
    for (const permissionId of namesIn(folder.answers).filter((one) => waiting.has(one))) {
      waiting.delete(permissionId);
      const text = readFileSync(join(folder.answers, `${permissionId}.json`), "utf8");
      const { answer } = JSON.parse(text) as { answer: PermissionAnswer };
      await wire.answer(permissionId, answer);
      tell({ kind: "permission_answered", permissionId, answer });
    }
  }
}

/** Agents that live on without a holder's pipes, and are found again. */
const wiresThatSurvive: ReadonlySet<string> = new Set(["tmux-claude", "tmux-codex"]);

const keysOf = (facts: readonly NewFact[], kind: "ack" | "idle"): Set<string> =>
  new Set(facts.flatMap((fact) => (fact.kind === kind ? [fact.dedupKey] : [])));

const namesIn = (path: string): string[] =>
  readdirSync(path)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => name.slice(0, -".json".length));

function stopWords({ expectedArtifact, expectedSchema }: PromptEnvelope, faults: readonly string[]): string {
  return [
    `The phase is not done: ${expectedArtifact} must be a JSON file that is valid for ${expectedSchema}.`,
    ...faults.map((fault) => `- ${fault}`),
    "Write the file, then end your turn.",
  ].join("\n");
}
