/**
 * The folder through which a fake agent and its driver communicate. Everything is a file, so that either may die at any
 * time without loss for the other. Only built-ins are imported here, because the agent loads it at start.
 */
import { join } from "node:path";

export const fakeFolder = (root: string) => ({
  root,
  /** The agent's configuration: written once by the driver. */
  start: join(root, "start.json"),
  /** The running process, written by the agent itself. */
  process: join(root, "process.json"),
  /** Held by the agent while it runs: one agent per folder. */
  lock: join(root, "agent.lock"),
  /** One file per prompt, named by its dedup key. */
  inbox: join(root, "inbox"),
  answers: join(root, "answers"),
  /** The agent's own record of the prompts it received: proves whether one was sent twice. */
  journal: join(root, "journal.jsonl"),
  facts: join(root, "facts.jsonl"),
  transcript: join(root, "transcript.log"),
});
export type FakeFolder = ReturnType<typeof fakeFolder>;

export const scenarios = [
  "ok",
  "invalid",
  "timeout",
  "crash",
  "slow",
  "partial",
  "wrong_path",
  "permission",
  "no_change",
  "symlink",
  "directory",
  "binary",
  "not_utf8",
] as const;
export type Scenario = (typeof scenarios)[number];

type Step =
  | Scenario
  | {
      readonly scenario: Scenario;
      readonly delayMs?: number | undefined;
      /** Instead of the built-in answer for the schema. */
      readonly artifact?: unknown;
      /** Files to write into the worktree, by relative path. */
      readonly files?: Readonly<Record<string, string>> | undefined;
      /** The usage the turn reports, instead of the fake's default figures. */
      readonly usage?: Readonly<Record<string, unknown>> | undefined;
    };

/** What to do, by phase, or by `phase/role`; a list has one entry per attempt, and its last one stays in effect. */
export type FakeScript = Readonly<Record<string, Step | readonly Step[]>>;

export interface FakeStep {
  readonly scenario: Scenario;
  readonly delayMs: number | undefined;
  readonly artifact: unknown;
  readonly files: Readonly<Record<string, string>> | undefined;
  readonly usage: Readonly<Record<string, unknown>> | undefined;
}

interface Asked {
  readonly phaseKey: string;
  readonly roleId: string;
  readonly attempt: number;
  readonly instructions: string;
}

/** The script takes precedence; then a line `Scenario: <name>` in the instructions; then `ok`. */
export function stepFor(script: FakeScript, asked: Asked): FakeStep {
  const entry =
    script[`${asked.phaseKey}/${asked.roleId}`] ?? script[asked.phaseKey] ?? headerScenario(asked.instructions) ?? "ok";
  const steps: readonly Step[] = Array.isArray(entry) ? entry : [entry as Step];
  const step = steps[Math.min(asked.attempt, steps.length) - 1] ?? "ok";
  const { scenario, delayMs, artifact, files, usage } =
    typeof step === "string" ? ({ scenario: step } as Exclude<Step, Scenario>) : step;
  return { scenario, delayMs, artifact, files, usage };
}

function headerScenario(instructions: string): Scenario | undefined {
  const named = /^Scenario: (\w+)$/m.exec(instructions)?.[1];
  return scenarios.find((one) => one === named);
}
