/** `devflow run …` and `devflow attach`: runs from the terminal. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import {
  ArtifactView,
  BindingPreview,
  CommandLog,
  DecisionAnswer,
  defaultTemplate,
  FindingView,
  PermissionAnswer,
  PullRequestAnswer,
  permissionScopes,
  RunDetail,
  RunDiff,
  RunEventList,
  RunStarted,
  RunSummary,
  VerifyAnswer,
} from "@devflow/protocol";
import { z } from "zod";
import { careCommands } from "./care-commands.ts";
import { forkCommands } from "./fork-commands.ts";
import { laneCommands } from "./lane-commands.ts";
import { talkCommands } from "./talk-commands.ts";

const runOr = (leftOut: string) =>
  option(z.string().optional().describe(`The run's id, or its beginning or end; by default ${leftOut}`), {
    positional: 0,
    placeholder: "<run>",
  });
/** For reading. */
const run = () => runOr("the newest of this repository");
/** For control. */
const activeRun = () => runOr("the only active one");
const clientToken = () =>
  z.string().min(1).max(200).optional().describe("A token of your choice that makes a retry harmless");
const message = (sentence: string) => option(z.string().optional().describe(sentence), { short: "m" });
const gate = () => z.string().optional().describe("The gate, by name or id");
const permission = () => z.string().optional().describe("The request, if several agents ask");
const decision = {
  run: runOr("the only one with an open question"),
  message: message("A comment, kept with the decision"),
  gate: gate(),
  clientToken: clientToken(),
};
const choice = () =>
  option(z.string().optional().describe("What to do, at a gate that offers several things; by default its first"), {
    placeholder: "<choice>",
  });

export const runStartRecord = defineRecord({
  name: "run start",
  summary: "Start a run: agents plan, build, test and review in a separate worktree",
  description:
    "One sentence is enough: template, repository and branch have defaults. Starts the server if it is not running.",
  category: "Runs",
  effect: "write",
  args: z.object({
    text: option(z.array(z.string()).default([]).describe("What to do; - reads standard input"), {
      positional: 0,
      placeholder: "<text>",
    }),
    maxUsd: option(z.number().positive().optional().describe("Ask before its agents cost more than this"), {
      placeholder: "<dollars>",
    }),
    maxTokens: option(
      z.number().int().positive().optional().describe("Ask before its agents use more tokens than this"),
      {
        placeholder: "<n>",
      },
    ),
    template: z.string().default(defaultTemplate).describe("The kind of work; see: devflow template list"),
    repo: z.string().optional().describe("The repository; by default the one of the current folder"),
    base: z.string().optional().describe("The branch to start from; by default the current one"),
    on: option(
      z
        .string()
        .optional()
        .describe("A machine of the fleet, or a label of machines; by default this one (devflow fleet list)"),
      { placeholder: "<host|label>" },
    ),
    requirements: option(z.string().optional().describe("A file with the requirements, or - for standard input"), {
      placeholder: "<file>",
    }),
    issue: option(
      z
        .string()
        .optional()
        .describe(
          "An issue on GitHub, GitLab or Gitea: its text and comments become the requirements, after your own text",
        ),
      { placeholder: "<url or number>" },
    ),
    attach: option(
      z.array(z.string()).default([]).describe("A picture or another file for the agents, up to 10 MB; repeatable"),
      { placeholder: "<file>" },
    ),
    title: z.string().max(500).optional().describe("Title of the run; by default the first line of the text"),
    override: option(
      z.array(z.string()).default([]).describe("Persona or backend for a role: role=persona@version or role=backend"),
      {
        placeholder: "<role=who>",
      },
    ),
    queue: z.boolean().default(false).describe("Queue the run if too many runs are active"),
    dryRun: z.boolean().default(false).describe("Only show which persona would play which role"),
    explain: z.boolean().default(false).describe("With --dry-run: also show why, and why no other persona"),
    watch: option(z.boolean().default(false).describe("Follow it to its end"), { short: "w" }),
    scenario: option(z.array(z.string()).default([]).describe("What a fake agent plays: phase=name[,name]"), {
      placeholder: "<phase=name>",
    }),
    extra: option(z.string().optional().describe("Additional input of the run"), { placeholder: "<json>" }),
    clientToken: clientToken(),
  }),
  output: z.union([RunStarted, BindingPreview]),
  examples: [
    { run: "run start fix-the-login-bug", does: "with defaults for everything else" },
    { run: "run start --requirements spec.md --base main --watch", does: "read a file, then follow the run" },
    { run: "run start --issue 12", does: "resolve an issue of this repository" },
    { run: "run start --requirements spec.md --attach sketch.png", does: "with a picture that the agents can look at" },
    { run: "run start --dry-run --explain", does: "show the bindings and their reasons" },
  ],
});

export const runListRecord = defineRecord({
  name: "run list",
  summary: "List runs, newest first",
  category: "Runs",
  effect: "read",
  args: z.object({
    state: z.string().optional().describe("Only these states, separated by commas; active means all unfinished ones"),
    repo: z.string().optional().describe("Only this repository: its path or name"),
    all: option(z.boolean().default(false).describe("All runs, not only the last 20"), { short: "a" }),
    lanes: z.boolean().default(false).describe("Also the lanes of runs"),
  }),
  output: z.object({ runs: z.array(RunSummary), total: z.number().int() }),
  examples: [{ run: "run list --state active", does: "list unfinished runs" }],
});

export const runShowRecord = defineRecord({
  name: "run show",
  summary: "Show a run's state, open questions and results so far",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    artifact: option(z.string().optional().describe("Only the content of this artifact"), { placeholder: "<name>" }),
  }),
  output: z.union([RunDetail, ArtifactView.extend({ content: z.string() })]),
  examples: [
    { run: "run show 3f9a2c1b", does: "select it by the end of its id" },
    { run: "run show --artifact plan.json", does: "read the plan before approving it" },
  ],
});

export const runWatchRecord = defineRecord({
  name: "run watch",
  summary: "Follow a run live",
  description:
    "Redraws in place on a terminal, prints lines otherwise; --json prints every event. Exit code 0 when it completed, 1 otherwise.",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    untilGate: z.boolean().default(false).describe("Also end when a person is asked"),
  }),
  examples: [{ run: "run watch --until-gate", does: "follow it until the next question" }],
});

export const runEventsRecord = defineRecord({
  name: "run events",
  summary: "List the events of a run",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    after: z.number().int().min(0).default(0).describe("Only events after this seq"),
    limit: option(z.number().int().min(1).max(100_000).default(1000).describe("Maximum number of events"), {
      short: "n",
    }),
  }),
  output: RunEventList,
  examples: [{ run: "run events --json", does: "include hashes and payloads" }],
});

export const runApproveRecord = defineRecord({
  name: "run approve",
  summary: "Approve a run's open gate",
  description: "Only people can decide: the command is refused inside an agent's session.",
  category: "Runs",
  effect: "write",
  args: z.object({ ...decision, choice: choice() }),
  output: DecisionAnswer,
  examples: [
    { run: "run approve", does: "approve the only open gate" },
    { run: "run approve --choice drop", does: "leave out the task whose lane failed" },
  ],
});

export const runRejectRecord = defineRecord({
  name: "run reject",
  summary: "Reject a run's open gate, which ends the run as failed",
  category: "Runs",
  effect: "write",
  destroys: true,
  args: z.object(decision),
  output: DecisionAnswer,
  examples: [{ run: "run reject 3f9a2c1b -m no", does: "reject with a reason" }],
});

export const runRequestChangesRecord = defineRecord({
  name: "run request-changes",
  summary: "Send a phase back with your comments, which go into its next prompt",
  description: "Takes all comments on lines that were not sent yet along; see: devflow run comment list",
  category: "Runs",
  effect: "write",
  args: z.object({
    ...decision,
    withoutComments: z.boolean().default(false).describe("Keep the comments on lines as drafts"),
  }),
  output: DecisionAnswer,
  examples: [
    { run: "run request-changes -m tests-first", does: "request changes at the only open gate" },
    { run: "run request-changes 3f9a2c1b", does: "send the comments on lines alone" },
  ],
});

export const runRetryRecord = defineRecord({
  name: "run retry",
  summary: "Retry the phase at which a run stopped",
  category: "Runs",
  effect: "write",
  args: z.object(decision),
  output: DecisionAnswer,
  examples: [{ run: "run retry", does: "with a fresh budget of attempts" }],
});

export const runWaiveRecord = defineRecord({
  name: "run waive",
  summary: "Let a reviewer's finding stand, with a reason",
  description:
    "The finding no longer blocks the run, and the report keeps the reason. Only people can decide: the command is refused inside an agent's session.",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: option(z.string().describe("The run's id, or its beginning or end"), { positional: 0, placeholder: "<run>" }),
    finding: option(z.string().describe("The finding's number in run show, or its id"), {
      positional: 1,
      placeholder: "<finding>",
    }),
    message: message("The reason; required"),
  }),
  output: FindingView,
  examples: [{ run: 'run waive 3f9a2c1b 2 -m "known, see issue 41"', does: "let finding 2 stand" }],
});

export const runAllowRecord = defineRecord({
  name: "run allow",
  summary: "Allow an agent's request for permission",
  description: "Only people can decide: the command is refused inside an agent's session.",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: runOr("the only one whose agent asks"),
    permission: permission(),
    for: z
      .enum(permissionScopes)
      .default("once")
      .describe("How far it reaches: this once, the rest of the run, or every run on the repository"),
  }),
  output: PermissionAnswer,
  examples: [
    { run: "run allow", does: "allow the only open request" },
    { run: "run allow --for run", does: "also when an agent of this run asks for the same again" },
  ],
});

export const runDenyRecord = defineRecord({
  name: "run deny",
  summary: "Deny an agent's request for permission",
  category: "Runs",
  effect: "write",
  args: z.object({ run: runOr("the only one whose agent asks"), permission: permission() }),
  output: PermissionAnswer,
  examples: [{ run: "run deny 3f9a2c1b", does: "deny it; the agent continues without it" }],
});

export const runPauseRecord = defineRecord({
  name: "run pause",
  summary: "Pause a run: no new prompts, no next phase",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: activeRun(),
    hard: z.boolean().default(false).describe("Interrupt active agents"),
    clientToken: clientToken(),
  }),
  output: RunDetail,
  examples: [{ run: "run pause --hard", does: "also interrupt the current turn" }],
});

export const runResumeRecord = defineRecord({
  name: "run resume",
  summary: "Resume a paused run",
  category: "Runs",
  effect: "write",
  args: z.object({ run: activeRun(), clientToken: clientToken() }),
  output: RunDetail,
  examples: [{ run: "run resume", does: "resume the only active run" }],
});

export const runAbortRecord = defineRecord({
  name: "run abort",
  summary: "End a run; its worktree and branch are kept",
  category: "Runs",
  effect: "write",
  destroys: true,
  args: z.object({
    run: activeRun(),
    message: message("The reason, for the report"),
    gate: gate(),
    clientToken: clientToken(),
  }),
  output: z.union([RunDetail, DecisionAnswer]),
  examples: [{ run: "run abort 3f9a2c1b -m obsolete", does: "abort with a reason" }],
});

export const runAdoptRecord = defineRecord({
  name: "run adopt",
  summary: "Take over a run of a machine that is gone, or end it",
  description:
    "The run continues on this machine, from its branch; its agents are started again. With --end it is aborted instead, which needs no repository.",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: option(z.string().describe("The run's id, or a part of it"), { positional: 0, placeholder: "<run>" }),
    from: z.string().describe("The machine that is gone, as `run show --json` names it"),
    repo: z.string().optional().describe("The repository on this machine, if its path differs"),
    end: z.boolean().default(false).describe("End the run instead of continuing it"),
  }),
  output: RunDetail,
  examples: [{ run: "run adopt 3f9a2c1b --from old-laptop-1a2b3c4d", does: "continue it here" }],
});

export const runLogsRecord = defineRecord({
  name: "run logs",
  summary: "Print the output of a run's command, such as setup or tests",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    command: option(
      z.string().optional().describe("The command's number in run show; by default the last that failed, or the last"),
      { positional: 1, placeholder: "<number>" },
    ),
  }),
  output: CommandLog.extend({ command: z.unknown() }),
  examples: [{ run: "run logs", does: "see why the tests fail" }],
});

export const runDiffRecord = defineRecord({
  name: "run diff",
  summary: "Show the changes of a run against its base",
  category: "Runs",
  effect: "read",
  args: z.object({ run: run(), stat: z.boolean().default(false).describe("Only file names and counts") }),
  output: RunDiff,
  examples: [{ run: "run diff --stat", does: "file names and counts" }],
});

export const runReportRecord = defineRecord({
  name: "run report",
  summary: "Print the final report of a run that has ended",
  category: "Runs",
  effect: "read",
  args: z.object({ run: run() }),
  examples: [{ run: "run report 3f9a2c1b --json", does: "as JSON, schema common/final-report@4" }],
});

export const runPrRecord = defineRecord({
  name: "run pr",
  summary: "Push the branch of a run that has ended, and open its pull request",
  description:
    "On GitHub with gh, or a token; on GitLab by options of the push; on Gitea with a token. Elsewhere it prints the command to type. Typed again, it pushes what is new and updates the same pull request. A run that did not complete becomes a draft.",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: run(),
    dryRun: z.boolean().default(false).describe("Only show the commands and the text"),
    draft: z.boolean().default(false).describe("Open it as a draft"),
    remote: z.string().optional().describe("The remote to push to; by default origin, or the only one"),
    base: z.string().optional().describe("The branch it is for; by default the one that the run started from"),
  }),
  output: PullRequestAnswer,
  examples: [
    { run: "run pr", does: "of the newest run of this repository" },
    { run: "run pr 3f9a2c1b --dry-run", does: "read the text and the commands first" },
  ],
});

export const runVerifyRecord = defineRecord({
  name: "run verify",
  summary: "Check that a run's events, artifacts, logs and report are unaltered",
  description: "Exit code 0 if everything matches, 1 otherwise.",
  category: "Runs",
  effect: "read",
  args: z.object({ run: run() }),
  output: VerifyAnswer,
  examples: [{ run: "run verify 3f9a2c1b", does: "check its rows and files" }],
});

export const attachRecord = defineRecord({
  name: "attach",
  summary: "Show an agent's screen, or its transcript if it has none",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: run(),
    role: option(z.string().optional().describe("The agent's role, if several work on it"), {
      positional: 1,
      placeholder: "<role>",
    }),
  }),
  output: z.object({ session: z.unknown(), screen: z.null(), transcript: z.string() }),
  examples: [{ run: "attach 3f9a2c1b coder", does: "show the coder's screen" }],
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
  defineCommand(runWaiveRecord, async () => (await import("./waive.ts")).waive),
  defineCommand(runAllowRecord, async () => (await import("./permit.ts")).allow),
  defineCommand(runDenyRecord, async () => (await import("./permit.ts")).deny),
  ...talkCommands,
  defineCommand(runPauseRecord, async () => (await import("./control.ts")).pause),
  defineCommand(runResumeRecord, async () => (await import("./control.ts")).resume),
  defineCommand(runAbortRecord, async () => (await import("./control.ts")).abort),
  defineCommand(runAdoptRecord, async () => (await import("./control.ts")).adopt),
  defineCommand(runLogsRecord, async () => (await import("./logs.ts")).logs),
  defineCommand(runDiffRecord, async () => (await import("./evidence.ts")).diff),
  defineCommand(runReportRecord, async () => (await import("./evidence.ts")).report),
  defineCommand(runPrRecord, async () => (await import("./pull-request.ts")).pullRequest),
  defineCommand(runVerifyRecord, async () => (await import("./evidence.ts")).verify),
  ...laneCommands,
  ...forkCommands,
  ...careCommands,
  defineCommand(attachRecord, async () => (await import("./attach.ts")).attach),
];
