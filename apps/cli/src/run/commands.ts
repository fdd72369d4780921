/** `devflow run …` and `devflow attach`: runs from the terminal. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import {
  ArtifactView,
  BindingPreview,
  CleanupAnswer,
  CommandLog,
  DecisionAnswer,
  PermissionAnswer,
  PurgeAnswer,
  RunDetail,
  RunDiff,
  RunEventList,
  RunStarted,
  RunSummary,
  VerifyAnswer,
} from "@devflow/protocol";
import { z } from "zod";

const runOr = (leftOut: string) =>
  option(z.string().optional().describe(`Its id, or the beginning or end of it; ${leftOut} when left out`), {
    positional: 0,
    placeholder: "<run>",
  });
/** To look at. */
const run = () => runOr("the newest of this repository");
/** To steer. */
const activeRun = () => runOr("the only active one");
const namedRun = () =>
  option(z.string().describe("Its id, or the beginning or end of it"), { positional: 0, placeholder: "<run>" });
const clientToken = () => z.string().min(1).max(200).optional().describe("A name of yours that makes a retry harmless");
const message = (sentence: string) => option(z.string().optional().describe(sentence), { short: "m" });
const gate = () => z.string().optional().describe("Which gate, by its name or id");
const permission = () => z.string().optional().describe("Which request, when several agents ask");
const decision = {
  run: runOr("the only one that asks something"),
  message: message("A comment, kept with the decision"),
  gate: gate(),
  clientToken: clientToken(),
};

export const runStartRecord = defineRecord({
  name: "run start",
  summary: "Start a run: agents plan, build, test and review in a worktree of their own",
  description:
    "Needs nothing but a sentence: the template, the current repository and its branch have defaults. Starts the server when it is not running.",
  category: "Runs",
  effect: "write",
  args: z.object({
    text: option(z.array(z.string()).default([]).describe("What is to be done; - reads standard input"), {
      positional: 0,
      placeholder: "<text>",
    }),
    template: z.string().default("development@1").describe("Which kind of work: devflow template list"),
    repo: z.string().optional().describe("The repository; the current folder's when left out"),
    base: z.string().optional().describe("The branch to start from; the current one when left out"),
    requirements: option(z.string().optional().describe("A file with the requirements, or - for standard input"), {
      placeholder: "<file>",
    }),
    title: z.string().max(500).optional().describe("How lists call it; the first line of the text when left out"),
    override: option(
      z.array(z.string()).default([]).describe("Who plays a role: role=persona@version or role=backend"),
      {
        placeholder: "<role=who>",
      },
    ),
    queue: z.boolean().default(false).describe("Wait in line when too many runs are active"),
    dryRun: z.boolean().default(false).describe("Only tell who would play which role, and why"),
    watch: option(z.boolean().default(false).describe("Follow it to its end"), { short: "w" }),
    scenario: option(z.array(z.string()).default([]).describe("What a fake agent plays: phase=name[,name]"), {
      placeholder: "<phase=name>",
    }),
    extra: option(z.string().optional().describe("Further input of the run"), { placeholder: "<json>" }),
    clientToken: clientToken(),
  }),
  output: z.union([RunStarted, BindingPreview]),
  examples: [
    { run: "run start fix-the-login-bug", does: "with everything else by default" },
    { run: "run start --requirements spec.md --base main --watch", does: "from a file, and follow it" },
    { run: "run start --dry-run --template development-fake@1", does: "who would play which role, and why" },
  ],
});

export const runListRecord = defineRecord({
  name: "run list",
  summary: "List runs, newest first",
  category: "Runs",
  effect: "read",
  args: z.object({
    state: z.string().optional().describe("Only these states, joined by commas; active for all that go on"),
    repo: z.string().optional().describe("Only of this repository: its path or its name"),
    all: option(z.boolean().default(false).describe("All of them, not the last 20"), { short: "a" }),
  }),
  output: z.object({ runs: z.array(RunSummary) }),
  examples: [{ run: "run list --state active", does: "what goes on" }],
});

export const runShowRecord = defineRecord({
  name: "run show",
  summary: "Show where a run stands, what it asks, and what it has brought so far",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    artifact: option(z.string().optional().describe("Only the content of this artifact"), { placeholder: "<name>" }),
  }),
  output: z.union([RunDetail, ArtifactView.extend({ content: z.string() })]),
  examples: [
    { run: "run show 3f9a2c1b", does: "by the end of its id" },
    { run: "run show --artifact plan.json", does: "read the plan before approving it" },
  ],
});

export const runWatchRecord = defineRecord({
  name: "run watch",
  summary: "Follow a run as it happens",
  description:
    "Redraws in place on a terminal, prints lines otherwise; --json prints every event. Exit code 0 when it completed, 1 otherwise.",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    untilGate: z.boolean().default(false).describe("End when a person is asked, too"),
  }),
  examples: [{ run: "run watch --until-gate", does: "until something is asked" }],
});

export const runEventsRecord = defineRecord({
  name: "run events",
  summary: "List what happened in a run",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    after: z.number().int().min(0).default(0).describe("Only those after this seq"),
    limit: option(z.number().int().min(1).max(100_000).default(1000).describe("At most so many"), { short: "n" }),
  }),
  output: RunEventList,
  examples: [{ run: "run events --json", does: "with hashes and payloads" }],
});

export const runApproveRecord = defineRecord({
  name: "run approve",
  summary: "Approve what a run asks",
  description: "Only people decide: a command typed inside an agent's session is refused.",
  category: "Runs",
  effect: "write",
  args: z.object(decision),
  output: DecisionAnswer,
  examples: [{ run: "run approve", does: "the only run that asks something" }],
});

export const runRejectRecord = defineRecord({
  name: "run reject",
  summary: "Reject what a run asks, which ends it as failed",
  category: "Runs",
  effect: "write",
  args: z.object(decision),
  output: DecisionAnswer,
  examples: [{ run: "run reject 3f9a2c1b -m no", does: "with a reason" }],
});

export const runRequestChangesRecord = defineRecord({
  name: "run request-changes",
  summary: "Send a phase back with a comment that goes into its next prompt",
  category: "Runs",
  effect: "write",
  args: z.object(decision),
  output: DecisionAnswer,
  examples: [{ run: "run request-changes -m tests-first", does: "to the only run that asks something" }],
});

export const runRetryRecord = defineRecord({
  name: "run retry",
  summary: "Try the phase again at which a run stopped",
  category: "Runs",
  effect: "write",
  args: z.object(decision),
  output: DecisionAnswer,
  examples: [{ run: "run retry", does: "with a fresh budget of attempts" }],
});

export const runAllowRecord = defineRecord({
  name: "run allow",
  summary: "Allow what an agent asks permission for",
  description: "Only people decide: a command typed inside an agent's session is refused.",
  category: "Runs",
  effect: "write",
  args: z.object({ run: activeRun(), permission: permission() }),
  output: PermissionAnswer,
  examples: [{ run: "run allow", does: "the only active run's agent" }],
});

export const runDenyRecord = defineRecord({
  name: "run deny",
  summary: "Deny what an agent asks permission for",
  category: "Runs",
  effect: "write",
  args: z.object({ run: activeRun(), permission: permission() }),
  output: PermissionAnswer,
  examples: [{ run: "run deny 3f9a2c1b", does: "and the agent goes on without it" }],
});

export const runPauseRecord = defineRecord({
  name: "run pause",
  summary: "Pause a run: no new prompts, no next phase",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: activeRun(),
    hard: z.boolean().default(false).describe("Interrupt agents at work"),
    clientToken: clientToken(),
  }),
  output: RunDetail,
  examples: [{ run: "run pause --hard", does: "and stop the current turn" }],
});

export const runResumeRecord = defineRecord({
  name: "run resume",
  summary: "Let a paused run go on",
  category: "Runs",
  effect: "write",
  args: z.object({ run: activeRun(), clientToken: clientToken() }),
  output: RunDetail,
  examples: [{ run: "run resume", does: "the only active one" }],
});

export const runAbortRecord = defineRecord({
  name: "run abort",
  summary: "End a run for good; its worktree and branch stay",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: activeRun(),
    message: message("Why, for the report"),
    gate: gate(),
    clientToken: clientToken(),
  }),
  output: z.union([RunDetail, DecisionAnswer]),
  examples: [{ run: "run abort 3f9a2c1b -m obsolete", does: "with a reason" }],
});

export const runLogsRecord = defineRecord({
  name: "run logs",
  summary: "Print what a command of a run printed: set-up, tests",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    command: option(
      z.string().optional().describe("Its number in run show; the last that failed, or the last, when left out"),
      { positional: 1, placeholder: "<number>" },
    ),
  }),
  output: CommandLog.extend({ command: z.unknown() }),
  examples: [{ run: "run logs", does: "why the tests are red" }],
});

export const runDiffRecord = defineRecord({
  name: "run diff",
  summary: "Show what a run changed against its base",
  category: "Runs",
  effect: "read",
  args: z.object({ run: run(), stat: z.boolean().default(false).describe("Only files and numbers") }),
  output: RunDiff,
  examples: [{ run: "run diff --stat", does: "files and numbers" }],
});

export const runReportRecord = defineRecord({
  name: "run report",
  summary: "Print the final report of a run that has ended",
  category: "Runs",
  effect: "read",
  args: z.object({ run: run() }),
  examples: [{ run: "run report 3f9a2c1b --json", does: "valid against common/final-report@2" }],
});

export const runVerifyRecord = defineRecord({
  name: "run verify",
  summary: "Check that events, artifacts, logs and report of a run are unaltered",
  description: "Exit code 0 when everything fits, 1 otherwise.",
  category: "Runs",
  effect: "read",
  args: z.object({ run: run() }),
  output: VerifyAnswer,
  examples: [{ run: "run verify 3f9a2c1b", does: "from rows and files alone" }],
});

export const runCleanupRecord = defineRecord({
  name: "run cleanup",
  summary: "Remove the worktree of a run that has ended; its branch stays",
  description:
    "Refuses a worktree with work in no commit. By force only with the run's whole id typed once more, which is recorded.",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: namedRun(),
    force: z.boolean().default(false).describe("Also one with work in no commit"),
    confirm: option(z.string().optional().describe("The run's whole id, with --force"), { placeholder: "<run id>" }),
  }),
  output: CleanupAnswer,
  examples: [{ run: "run cleanup 3f9a2c1b", does: "when its work is merged" }],
});

export const runPurgeRecord = defineRecord({
  name: "run purge",
  summary: "Blank what was said and written in a run and keep its hashes",
  description: "For admins of the team. Cannot be undone; recorded as an event of the run.",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: namedRun(),
    confirm: option(z.string().optional().describe("The run's whole id"), { placeholder: "<run id>" }),
  }),
  output: PurgeAnswer,
  examples: [
    {
      run: "run purge 3f9a2c1b --confirm 0198c0de-0000-7000-8000-00003f9a2c1b",
      does: "the whole id is the confirmation",
    },
  ],
});

export const attachRecord = defineRecord({
  name: "attach",
  summary: "See an agent's screen, or its transcript where it has none",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    role: option(z.string().optional().describe("Which agent, when several work in it"), {
      positional: 1,
      placeholder: "<role>",
    }),
  }),
  output: z.object({ session: z.unknown(), screen: z.null(), transcript: z.string() }),
  examples: [{ run: "attach 3f9a2c1b coder", does: "what the coder sees" }],
});

export const runCommands: readonly AnyCommand[] = [
  defineCommand(runStartRecord, async () => (await import("./start.ts")).start),
  defineCommand(runListRecord, async () => (await import("./list.ts")).list),
  defineCommand(runShowRecord, async () => (await import("./show.ts")).show),
  defineCommand(runWatchRecord, async () => (await import("./watch.ts")).watch),
  defineCommand(runEventsRecord, async () => (await import("./evidence.ts")).events),
  defineCommand(runApproveRecord, async () => (await import("./decide.ts")).approve),
  defineCommand(runRejectRecord, async () => (await import("./decide.ts")).reject),
  defineCommand(runRequestChangesRecord, async () => (await import("./decide.ts")).requestChanges),
  defineCommand(runRetryRecord, async () => (await import("./decide.ts")).retry),
  defineCommand(runAllowRecord, async () => (await import("./permit.ts")).allow),
  defineCommand(runDenyRecord, async () => (await import("./permit.ts")).deny),
  defineCommand(runPauseRecord, async () => (await import("./control.ts")).pause),
  defineCommand(runResumeRecord, async () => (await import("./control.ts")).resume),
  defineCommand(runAbortRecord, async () => (await import("./control.ts")).abort),
  defineCommand(runLogsRecord, async () => (await import("./logs.ts")).logs),
  defineCommand(runDiffRecord, async () => (await import("./evidence.ts")).diff),
  defineCommand(runReportRecord, async () => (await import("./evidence.ts")).report),
  defineCommand(runVerifyRecord, async () => (await import("./evidence.ts")).verify),
  defineCommand(runCleanupRecord, async () => (await import("./care.ts")).cleanup),
  defineCommand(runPurgeRecord, async () => (await import("./care.ts")).purge),
  defineCommand(attachRecord, async () => (await import("./attach.ts")).attach),
];
