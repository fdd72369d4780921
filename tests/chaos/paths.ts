/** The ways of a run that are killed everywhere: what its agents do and what its person decides. */
import { type AgentPrograms, type DrivenAgent, planPhase, smallTemplate, workPhase } from "@devflow/runs/testing";

export interface CellInput {
  readonly path: PathName;
  readonly target: { readonly host: string; readonly port: number; readonly user: string; readonly password: string };
  readonly database: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** The machine's name, one per cell: an engine takes up the runs of its own machine only. */
  readonly host: string;
  readonly repository: string;
  readonly teamId: string;
  readonly userId: string;
  /** Runs on this server, instead of inline. */
  readonly temporal?: { readonly address: string; readonly namespace: string };
  /** This disk is full for a moment after each decision. */
  readonly smallDisk?: string;
  /** Instead of the fake; see real-agents.soak.ts. */
  readonly agents?: readonly DrivenAgent[];
  readonly programs?: AgentPrograms;
}

interface Path {
  readonly name: string;
  readonly template: string;
  readonly script: Readonly<Record<string, unknown>>;
  readonly abortsAt?: string;
  /** When the run has ended, it is forked at this phase, and the fork goes to its end too. */
  readonly forksAt?: string;
  /** Has a time limit, which a run that is killed dozens of times cannot keep: killed once per run only. */
  readonly isTimed?: boolean;
  /** Several drivers go on at the same time, so the order of its points is another one in each run. */
  readonly isConcurrent?: boolean;
  decide(attempt: number): { verdict: "approve" | "request_changes"; comment?: string };
}

const approve = { verdict: "approve" } as const;

export const paths = [
  { name: "happy", template: "development-fake@1", script: {}, decide: () => approve },
  { name: "repair", template: "chaos-plan@1", script: { plan: ["invalid", "ok"] }, decide: () => approve },
  {
    name: "request changes",
    template: "chaos-plan@1",
    script: {},
    decide: (attempt) => (attempt === 1 ? { verdict: "request_changes", comment: "Tests first" } : approve),
  },
  {
    name: "abort",
    template: "chaos-work@1",
    script: { implement: { scenario: "ok", delayMs: 60_000 } },
    abortsAt: "implement",
    decide: () => approve,
  },
  {
    name: "late agent",
    template: "chaos-late@1",
    script: { plan: ["timeout", "ok"] },
    isTimed: true,
    decide: () => approve,
  },
  { name: "permission", template: "chaos-plan@1", script: { plan: "permission" }, decide: () => approve },
  {
    name: "lanes",
    template: "chaos-lanes@1",
    isConcurrent: true,
    script: {
      plan: {
        artifact: {
          tasks: [
            // One after the other, so that the log of an undisturbed run is always the same.
            { id: "one", title: "One", dependsOn: [], writeSet: ["one.txt"] },
            { id: "two", title: "Two", dependsOn: ["one"], writeSet: ["two.txt"] },
          ],
        },
      },
    },
    decide: () => approve,
  },
  { name: "dying agent", template: "chaos-plan@1", script: { plan: ["crash", "ok"] }, decide: () => approve },
  { name: "fork", template: "chaos-work@1", script: {}, forksAt: "implement", decide: () => approve },
] as const satisfies readonly Path[];

/** Long enough at work to be frozen in the middle of it. */
const slowPath = {
  name: "slow agent",
  template: "chaos-plan@1",
  script: { plan: { scenario: "ok", delayMs: 1_500 } },
  decide: () => approve,
} as const satisfies Path;

/** The agent is a real one, which knows from its model what to do. */
const realPath = {
  name: "real agent",
  template: "chaos-real@1",
  script: {},
  decide: () => approve,
} as const satisfies Path;

export type PathName = (typeof paths | readonly [typeof slowPath, typeof realPath])[number]["name"];

export function pathOf(name: PathName): Path {
  const found = [...paths, slowPath, realPath].find((one) => one.name === name);
  if (!found) throw new Error(`no path ${name}`);
  return found;
}

const gated = { ...planPhase, gates: ["plan_approved"] };
const cut = { ...planPhase, expectedArtifact: { path: "tasks.json", schema: "dev/dag@2" } };
export const chaosTemplates = [
  // The fake agent finds the files of its lane in what it is asked for.
  smallTemplate("chaos-lane", [{ ...workPhase, instructions: "{{requirements}}" }]),
  smallTemplate("chaos-lanes", [
    cut,
    {
      key: "lanes",
      kind: "lanes",
      title: "Lanes",
      risk: "low",
      lanes: { from: "plan", template: "chaos-lane@1" },
    },
  ]),
  smallTemplate("chaos-plan", [gated]),
  smallTemplate("chaos-work", [gated, workPhase]),
  smallTemplate("chaos-late", [{ ...gated, timeoutMs: 8_000 }]),
];

/** The role is played by one agent. */
export const realTemplate = (backend: string) =>
  smallTemplate("chaos-real", [gated], {
    roles: [{ id: "architect", requiredCapabilities: ["phase_planning"], preferredBackends: [backend] }],
  });

/** Green tests and a set-up command, so that a run has commands too. */
export const chaosRepository = {
  "README.md": "# Demo\n",
  ".devflow.json": JSON.stringify({ setup: [["git", "--version"]], test: [["git", "--version"]] }),
};
