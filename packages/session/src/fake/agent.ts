/**
 * The fake agent: a separate process that survives its driver, keeps a journal of the prompts it received, and follows its
 * script. It starts fast because it imports only built-ins and its own small files.
 *
 * Run as `bun agent.ts <folder>`, or through the executable.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { tryLock } from "@devflow/core/exclusive-lock";
import { processIdentity } from "@devflow/core/process-proof";
import type { NewFact, PermissionAnswer } from "../adapter.ts";
import { appendLine, completeLines, type SessionFolder, sessionFolder } from "../folder/session-folder.ts";
import { watchWorkerBeat } from "../folder/worker-beat.ts";
import { toolCallLines } from "../tool-call-lines.ts";
import { deliver, type Prompt, writeAtomic } from "./deliver.ts";
import { type FakeScript, stepFor } from "./steps.ts";

interface StartFile {
  readonly cwd: string;
  readonly script: FakeScript;
  readonly defaultDelayMs: number;
}

const idleLimitMs = 10 * 60_000;

export function runFakeAgent(root: string): void {
  const folder = sessionFolder(root);
  // A driver that was killed right after starting one starts another: the second finds the first and exits.
  if (!tryLock(folder.lock)) process.exit(0);
  const start = JSON.parse(readFileSync(folder.start, "utf8")) as StartFile;
  const received = new Set(completeLines(folder.journal).map(keyIn));
  /** Turns in progress; an interrupt removes them, and a removed turn writes nothing more. */
  const turns = new Map<string, Prompt>();
  let facts = completeLines(folder.facts).length;
  const tell = (fact: NewFact) => {
    facts += 1;
    appendLine(folder.facts, { seq: facts, ...fact });
  };
  const say = (text: string) => appendLine(folder.transcript, `[fake] ${text}`);
  const heard = new Set(
    completeLines(folder.facts)
      .map((line) => JSON.parse(line) as NewFact)
      .flatMap((fact) => (fact.kind === "said" ? [fact.messageId] : [])),
  );

  const takeInbox = () => {
    for (const name of readdirSync(folder.inbox).sort()) {
      const dedupKey = name.replace(/\.json$/, "");
      if (!name.endsWith(".json") || received.has(dedupKey)) continue;
      const prompt = JSON.parse(readFileSync(join(folder.inbox, name), "utf8")) as Prompt;
      received.add(dedupKey);
      // On disk before anything else happens: this proves whether a prompt was sent twice.
      appendLine(folder.journal, {
        dedupKey,
        phaseKey: prompt.phaseKey,
        roleId: prompt.roleId,
        attempt: prompt.attempt,
      });
      begin(prompt);
    }
  };

  const takeMessages = () => {
    for (const name of readdirSync(folder.messages).sort()) {
      const messageId = name.replace(/\.json$/, "");
      if (!name.endsWith(".json") || heard.has(messageId)) continue;
      heard.add(messageId);
      const { text } = JSON.parse(readFileSync(join(folder.messages, name), "utf8")) as { text: string };
      say(`heard: ${text}`);
      tell({ kind: "said", messageId });
    }
  };

  const begin = (prompt: Prompt) => {
    tell({ kind: "ack", dedupKey: prompt.dedupKey });
    turns.set(prompt.dedupKey, prompt);
    void work(prompt);
  };

  /** After a crash: prompts received but not acknowledged are started; a turn in progress is lost. */
  const takeUp = () => {
    const told = completeLines(folder.facts).map((line) => JSON.parse(line) as { kind: string; dedupKey?: string });
    const said = (kind: string, key: string) => told.some((one) => one.kind === kind && one.dedupKey === key);
    for (const key of received) {
      const path = join(folder.inbox, `${key}.json`);
      if (!said("ack", key) && existsSync(path)) begin(JSON.parse(readFileSync(path, "utf8")) as Prompt);
      else if (!said("idle", key)) tell({ kind: "idle", dedupKey: key });
    }
  };

  const interrupt = () => {
    say("interrupted");
    for (const dedupKey of turns.keys()) tell({ kind: "idle", dedupKey, outcome: "interrupted" });
    turns.clear();
  };

  let atWork = 0;
  let idleSince = Date.now();
  const work = async (prompt: Prompt) => {
    atWork += 1;
    await answer(prompt);
    atWork -= 1;
    idleSince = Date.now();
  };

  const answer = async (prompt: Prompt) => {
    const step = stepFor(start.script, prompt);
    const delayMs = step.delayMs ?? (step.scenario === "slow" ? 2_000 : start.defaultDelayMs);
    say(
      `received prompt ${prompt.uuid}; ${step.scenario === "timeout" ? "will write nothing" : `will write ${prompt.expectedArtifact} in ${delayMs}ms`}`,
    );
    for (const command of step.commands)
      for (const line of toolCallLines(`Bash ${command}`)) appendLine(folder.transcript, line);
    if (step.scenario === "permission") await askPermission(folder, prompt, step.commands[0] ?? "npm test", tell);
    await sleep(delayMs);
    if (!turns.has(prompt.dedupKey)) return;
    if (step.scenario === "crash") {
      say("crashing");
      process.exit(1);
    }
    await deliver(prompt, step, start.cwd);
    // It hangs: its turn goes on until somebody ends it.
    if (step.scenario === "timeout") return;
    if (!turns.delete(prompt.dedupKey)) return;
    say(`wrote ${prompt.expectedArtifact}`);
    const words = Math.ceil(prompt.instructions.length / 4);
    const tokens = { inputTokens: words, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };
    tell({ kind: "usage", model: "fake-1", ...tokens, costUsd: 0, ...step.usage });
    tell({ kind: "idle", dedupKey: prompt.dedupKey, outcome: "done" });
  };

  mkdirSync(folder.inbox, { recursive: true });
  mkdirSync(folder.answers, { recursive: true });
  mkdirSync(folder.messages, { recursive: true });
  writeAtomic(folder.process, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) }));
  process.on("SIGTERM", () => process.exit(0));
  watchWorkerBeat(root, interrupt);
  process.on("SIGINT", interrupt);
  takeUp();
  watch(folder.inbox, takeInbox);
  watch(folder.messages, takeMessages);
  // The watch begins after the first check, and some file systems send no events: check again now and then.
  setInterval(() => {
    takeInbox();
    takeMessages();
    // Its driver may be gone for good. One that comes back later starts the agent again, and the journal is still there.
    if (atWork === 0 && Date.now() - idleSince > idleLimitMs) process.exit(0);
  }, 500);
  takeInbox();
  takeMessages();
}

async function askPermission(folder: SessionFolder, prompt: Prompt, command: string, tell: (fact: NewFact) => void) {
  const permissionId = `permission-${prompt.dedupKey.slice(0, 12)}`;
  tell({ kind: "permission", permissionId, tool: "Bash", detail: command, covers: `Bash: ${command}` });
  const answer = join(folder.answers, `${permissionId}.json`);
  while (!existsSync(answer)) await sleep(25);
  const { answer: given } = JSON.parse(readFileSync(answer, "utf8")) as { answer: PermissionAnswer };
  tell({ kind: "permission_answered", permissionId, answer: given });
}

const keyIn = (line: string): string => (JSON.parse(line) as { dedupKey: string }).dedupKey;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

if (import.meta.main) runFakeAgent(process.argv[2] ?? ".");
