/**
 * The fake agent: a process of its own that survives its driver, keeps a journal of the prompts it received, and does
 * what its script says. It starts fast because it imports nothing but built-ins and its own small files.
 *
 * Run as `bun agent.ts <folder>`, or through the executable.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  watch,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { processIdentity } from "@devflow/core/process-proof";
import { fakeAnswer, fakeFiles } from "./answers.ts";
import { type FakeFolder, type FakeScript, type FakeStep, fakeFolder, stepFor } from "./folder.ts";

interface StartFile {
  readonly cwd: string;
  readonly script: FakeScript;
  readonly defaultDelayMs: number;
}

interface Prompt {
  readonly dedupKey: string;
  readonly uuid: string;
  readonly phaseKey: string;
  readonly roleId: string;
  readonly attempt: number;
  readonly expectedArtifact: string;
  readonly expectedSchema: string;
  readonly instructions: string;
}

const idleLimitMs = 10 * 60_000;

export function runFakeAgent(root: string): void {
  const folder = fakeFolder(root);
  const start = JSON.parse(readFileSync(folder.start, "utf8")) as StartFile;
  const received = new Set(lines(folder.journal).map(keyIn));
  /** Turns in progress; an interrupt takes them out, and what is not here writes nothing any more. */
  const turns = new Map<string, Prompt>();
  let facts = lines(folder.facts).length;
  const tell = (fact: Record<string, unknown>) => {
    facts += 1;
    append(folder.facts, { seq: facts, ...fact });
  };
  const say = (text: string) => append(folder.transcript, `[fake] ${text}`);

  const takeInbox = () => {
    for (const name of readdirSync(folder.inbox).sort()) {
      const dedupKey = name.replace(/\.json$/, "");
      if (!name.endsWith(".json") || received.has(dedupKey)) continue;
      const prompt = JSON.parse(readFileSync(join(folder.inbox, name), "utf8")) as Prompt;
      received.add(dedupKey);
      // On disk before anything is done about it: this is the witness against a prompt sent twice.
      append(folder.journal, { dedupKey, phaseKey: prompt.phaseKey, roleId: prompt.roleId, attempt: prompt.attempt });
      begin(prompt);
    }
  };

  const begin = (prompt: Prompt) => {
    tell({ kind: "ack", dedupKey: prompt.dedupKey });
    turns.set(prompt.dedupKey, prompt);
    void work(prompt);
  };

  /** After a death: what was received and not yet said to be so is begun; a turn that was under way is lost. */
  const takeUp = () => {
    const told = lines(folder.facts).map((line) => JSON.parse(line) as { kind: string; dedupKey?: string });
    const said = (kind: string, key: string) => told.some((one) => one.kind === kind && one.dedupKey === key);
    for (const key of received) {
      const path = join(folder.inbox, `${key}.json`);
      if (!said("ack", key) && existsSync(path)) begin(JSON.parse(readFileSync(path, "utf8")) as Prompt);
      else if (!said("idle", key)) tell({ kind: "idle", dedupKey: key });
    }
  };

  const interrupt = () => {
    say("interrupted");
    for (const dedupKey of turns.keys()) tell({ kind: "idle", dedupKey });
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
    if (step.scenario === "permission") await askPermission(folder, prompt, tell);
    await sleep(delayMs);
    if (!turns.has(prompt.dedupKey)) return;
    if (step.scenario === "crash") {
      say("crashing");
      process.exit(1);
    }
    await deliver(prompt, step, start.cwd);
    if (!turns.delete(prompt.dedupKey)) return;
    if (step.scenario !== "timeout") say(`wrote ${prompt.expectedArtifact}`);
    const words = Math.ceil(prompt.instructions.length / 4);
    tell({ kind: "usage", model: "fake-1", inputTokens: words, outputTokens: 100, cachedTokens: 0, costUsd: 0 });
    tell({ kind: "idle", dedupKey: prompt.dedupKey });
  };

  mkdirSync(folder.inbox, { recursive: true });
  mkdirSync(folder.answers, { recursive: true });
  writeAtomic(folder.process, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) }));
  process.on("SIGTERM", () => process.exit(0));
  process.on("SIGINT", interrupt);
  takeUp();
  watch(folder.inbox, takeInbox);
  // The watch begins after the first look, and some file systems do not tell: look again now and then.
  setInterval(() => {
    takeInbox();
    // Its driver may be gone for good. One that comes back later starts it again, and the journal is still there.
    if (atWork === 0 && Date.now() - idleSince > idleLimitMs) process.exit(0);
  }, 500);
  takeInbox();
}

async function deliver(prompt: Prompt, step: FakeStep, cwd: string): Promise<void> {
  const asked = { ...prompt, findings: findingsIn(prompt.instructions) };
  const path = step.scenario === "wrong_path" ? `${prompt.expectedArtifact}.elsewhere` : prompt.expectedArtifact;
  const text = `${JSON.stringify(step.artifact ?? fakeAnswer(asked), null, 2)}\n`;
  mkdirSync(dirname(path), { recursive: true });
  const writesCode = !["invalid", "timeout", "no_change"].includes(step.scenario);
  const files = step.files ?? (writesCode ? fakeFiles(asked) : {});
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  switch (step.scenario) {
    case "timeout":
      return;
    case "invalid":
      return writeAtomic(path, `${JSON.stringify({ wrong: true })}\n`);
    case "no_change":
      return writeAtomic(path, `${JSON.stringify(withoutChange(JSON.parse(text) as object), null, 2)}\n`);
    case "partial": {
      // In place and in two halves, as a careless writer would: the first half must not be judged.
      writeFileSync(path, text.slice(0, Math.floor(text.length / 2)));
      await sleep(900);
      return writeFileSync(path, text);
    }
    case "symlink":
      writeFileSync(`${path}.target`, text);
      return symlinkSync(`${path}.target`, path);
    case "directory":
      mkdirSync(path);
      return;
    case "binary":
      return writeFileSync(path, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1]));
    case "not_utf8":
      return writeFileSync(path, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]));
    default:
      return writeAtomic(path, text);
  }
}

/** Only reports that know these members get them: the file stays valid. */
function withoutChange(report: object): object {
  return {
    ...report,
    ...("noChange" in report ? { noChange: true } : {}),
    ...("files" in report ? { files: [] } : {}),
  };
}

async function askPermission(folder: FakeFolder, prompt: Prompt, tell: (fact: Record<string, unknown>) => void) {
  const permissionId = `permission-${prompt.dedupKey.slice(0, 12)}`;
  tell({ kind: "permission", permissionId, tool: "Bash", detail: "npm test" });
  const answer = join(folder.answers, `${permissionId}.json`);
  while (!existsSync(answer)) await sleep(25);
  const { answer: given } = JSON.parse(readFileSync(answer, "utf8")) as { answer: string };
  tell({ kind: "permission_answered", permissionId, answer: given });
}

/** The engine lists findings as lines `- [<id>] …`. */
function findingsIn(instructions: string): { id: string; summary: string }[] {
  return [...instructions.matchAll(/^- \[([0-9a-f-]{36})\] (.*)$/gm)].map((match) => ({
    id: match[1] ?? "",
    summary: match[2] ?? "",
  }));
}

function append(path: string, entry: Record<string, unknown> | string): void {
  const file = openSync(path, "a", 0o600);
  writeSync(file, `${typeof entry === "string" ? entry : JSON.stringify(entry)}\n`);
  fsyncSync(file);
  closeSync(file);
}

const keyIn = (line: string): string => (JSON.parse(line) as { dedupKey: string }).dedupKey;

/** Complete lines only: the last one may have been cut by a kill. */
function lines(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").slice(0, -1);
}

function writeAtomic(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

if (import.meta.main) runFakeAgent(process.argv[2] ?? ".");
