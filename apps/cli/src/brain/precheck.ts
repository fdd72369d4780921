/** `devflow brain precheck`. */
import { agentIdentity, sessionOfCaller } from "@devflow/brain/agents";
import { reportText } from "@devflow/brain/precheck";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { type Home, homeAt } from "@devflow/core/home";
import { git, repositoryRoot } from "@devflow/git";
import { hookPlaces } from "../hooks/hook-place.ts";
import type { precheckRecord } from "./precheck-commands.ts";
import { runPrecheck } from "./run-precheck.ts";

const fetchLimitMs = 10_000;

export const brainPrecheck: HandlerOf<typeof precheckRecord> = async ({ against, fetch }, context) => {
  const { cwd, env, signal, output, inspectConfig } = context;
  if ((await repositoryRoot({ cwd, env, signal })) === undefined) {
    throw new DevflowError("input_invalid", {
      details: { problem: `${cwd} is not in a git repository.`, next: "Change to one, then repeat the command." },
    });
  }
  if (against !== undefined) await requireCommit(against, context);
  if (fetch) await fetchBranches(context);
  const home = homeAt(inspectConfig().home);
  const agent = await callingAgent(home, context);
  const report = await runPrecheck({
    ...{ home, env, folder: cwd, signal },
    ...(against === undefined ? {} : { against }),
    ...(agent === undefined ? {} : { agent }),
  });
  output.result(report, reportText(report));
};

async function requireCommit(against: string, { cwd, env, signal }: CommandContext): Promise<void> {
  const { exit } = await git(["rev-parse", "--verify", "--quiet"], {
    ...{ cwd, env, signal },
    revisions: [`${against}^{commit}`],
    answers: [1, 128],
  });
  if (exit === 0) return;
  throw new DevflowError("input_invalid", {
    details: { problem: `There is no branch or commit ${against} here.`, next: "List the branches: git branch --all" },
  });
}

/** What cannot be fetched in time is compared as it is. */
async function fetchBranches({ cwd, env, signal, output }: CommandContext): Promise<void> {
  try {
    await git(["fetch", "--quiet", "--no-tags"], {
      ...{ cwd, env },
      signal: AbortSignal.any([signal, AbortSignal.timeout(fetchLimitMs)]),
      protocols: ["https", "ssh", "file"],
      credentials: "user",
    });
  } catch (error) {
    if (signal.aborted) throw error;
    output.note("The remote could not be fetched; its branches are compared as they were last seen.");
  }
}

async function callingAgent(home: Home, { cwd, env }: CommandContext): Promise<string | undefined> {
  const caller = sessionOfCaller(env);
  const team = (await hookPlaces(home)(cwd))?.team;
  return caller && team && agentIdentity({ ...caller, user: team.user, machine: team.machine }).id;
}
