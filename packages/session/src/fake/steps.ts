/** What the fake agent does, by phase and attempt. Only built-ins are imported here, because the agent loads it at start. */

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
  "huge",
] as const;
export type Scenario = (typeof scenarios)[number];

/** What becomes of a file: its text, a link to somewhere, or null to remove it. */
export type FakeFile = string | null | { readonly link: string };

type Step =
  | Scenario
  | {
      readonly scenario: Scenario;
      readonly delayMs?: number | undefined;
      /** Instead of the built-in answer for the schema. */
      readonly artifact?: unknown;
      /** Files to write into the worktree, by relative path. */
      readonly files?: Readonly<Record<string, FakeFile>> | undefined;
      /** Commands that it says it runs; with the scenario `permission` it asks for the first. None is run. */
      readonly commands?: readonly string[] | undefined;
      /** The usage the turn reports, instead of the fake's default figures. */
      readonly usage?: Readonly<Record<string, unknown>> | undefined;
    };

/** What to do, by phase, or by `phase/role`; a list has one entry per attempt, and its last one stays in effect. */
export type FakeScript = Readonly<Record<string, Step | readonly Step[]>>;

export interface FakeStep {
  readonly scenario: Scenario;
  readonly delayMs: number | undefined;
  readonly artifact: unknown;
  readonly files: Readonly<Record<string, FakeFile>> | undefined;
  readonly commands: readonly string[];
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
  const {
    scenario,
    delayMs,
    artifact,
    files,
    commands = [],
    usage,
  } = typeof step === "string" ? ({ scenario: step } as Exclude<Step, Scenario>) : step;
  return { scenario, delayMs, artifact, files, commands, usage };
}

function headerScenario(instructions: string): Scenario | undefined {
  const named = /^Scenario: (\w+)$/m.exec(instructions)?.[1];
  return scenarios.find((one) => one === named);
}
