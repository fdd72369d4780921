/**
 * Pushes the branch of a run that has ended and opens its pull request, or updates the one that is open.
 *
 * - `openPullRequest(context, run, request, actor)` what was done, and where Devflow could not do it, the command for a person.
 *
 * A run that did not complete becomes a draft. Its text has no secrets: it comes from the report's rows, is redacted with
 * everything that the run's own machine knows, and stays in a file beside the report.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { isTerminalRun } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import { shortId } from "@devflow/core/short-id";
import {
  findRemote,
  gitLabOptions,
  mergeRequestIn,
  openByApi,
  openCommand,
  openForgeApi,
  type PullRequestDraft,
  type Pushed,
  pushBranch,
  pushCommand,
  type Remote,
  takesNoOptions,
} from "@devflow/forge";
import type { PullRequestAnswer } from "@devflow/protocol";
import { redactSecrets } from "@devflow/redact";
import type { EngineContext } from "../engine/context.ts";
import { knownSecrets } from "../engine/run-secrets.ts";
import type { Actor } from "../events/actor.ts";
import type { VisibleRun } from "../views/index.ts";
import { recordedPullRequest, recordPullRequest } from "./pull-request-record.ts";
import { pullRequestText } from "./pull-request-text.ts";

export interface PullRequestOptions {
  readonly dryRun: boolean;
  readonly draft: boolean;
  readonly remote?: string | undefined;
  readonly base?: string | undefined;
}

export async function openPullRequest(
  context: EngineContext,
  run: VisibleRun,
  options: PullRequestOptions,
  actor: Actor,
): Promise<PullRequestAnswer> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  if (!isTerminalRun(run.state) || run.reportPath === null) throw notEnded(run);
  const { env } = context;
  const remote = await findRemote({
    ...{ cwd: run.repository, env, forges: context.forges(), remote: options.remote },
    // The mirror of a run of another machine has no remotes; it is fetched by address.
    ...(run.host === context.host || run.remote === null ? {} : { address: run.remote }),
  });
  const draft = await draftOf(context, run, options);
  const body = join(run.folder, `${run.id}.pull-request.md`);
  const files = { body, request: body.replace(/md$/, "json") };
  const command = openCommand(remote.repository, draft, files) ?? null;
  const push = pushCommand({ cwd: run.repository, remote, branch: draft.branch, options: pushOptions(remote, draft) });
  const { branch, base, title, isDraft } = draft;
  const about = { forge: remote.repository?.kind ?? null, remote: remote.url, branch, base, title, isDraft };
  if (options.dryRun) {
    const commands = remote.repository?.kind === "gitlab" || command === null ? [push] : [push, command];
    return { ...about, action: "none", url: null, number: null, commands, bodyFile: null, body: draft.body };
  }
  await mkdir(run.folder, { recursive: true, mode: 0o700 });
  await writeFileAtomic(body, draft.body);
  const request = { title, head: branch, base, body: draft.body };
  if (remote.repository?.kind === "gitea") await writeFileAtomic(files.request, JSON.stringify(request));
  const opened = await pushAndOpen(context, run, remote, draft);
  if (opened) await recordPullRequest(context, run.id, { forge: about.forge, ...opened }, actor);
  const rest = { bodyFile: body, body: null };
  if (!opened)
    return { ...about, ...rest, action: "pushed", url: null, number: null, commands: command ? [command] : [] };
  return { ...about, ...rest, ...opened, commands: [] };
}

type Opened = Pick<PullRequestAnswer, "url" | "number"> & {
  readonly url: string;
  readonly action: "opened" | "updated" | "unchanged";
};

/** Undefined: the branch is pushed, and a person has to do the rest. */
async function pushAndOpen(
  context: EngineContext,
  run: VisibleRun,
  remote: Remote,
  draft: PullRequestDraft,
): Promise<Opened | undefined> {
  const place = { cwd: run.repository, env: context.env, remote, branch: draft.branch };
  const { repository } = remote;
  if (repository?.kind !== "gitlab") {
    await pushBranch(place);
    if (!repository) return undefined;
    const api = await openForgeApi(repository, { env: context.env });
    return api.via === "nobody" ? undefined : await openByApi(api, repository, draft);
  }
  const pushed = await pushBranch({ ...place, options: gitLabOptions(draft) }).catch(async (error: unknown) => {
    if (takesNoOptions(error)) return await pushBranch(place);
    throw error;
  });
  return await mergeRequestOf(context, run, pushed, repository.site);
}

/** GitLab names it in its answer. A push of nothing is not answered: then it is the one from before, as it was. */
async function mergeRequestOf(
  context: EngineContext,
  { id }: VisibleRun,
  { said, isNew }: Pushed,
  site: string,
): Promise<Opened | undefined> {
  const before = await recordedPullRequest(context, id);
  const found = mergeRequestIn(said, site);
  if (found) return { ...found, action: before?.url === found.url ? "updated" : "opened" };
  return before ? { url: before.url, number: before.number, action: isNew ? "updated" : "unchanged" } : undefined;
}

function pushOptions({ repository }: Remote, draft: PullRequestDraft): string[] {
  return repository?.kind === "gitlab" ? gitLabOptions(draft) : [];
}

async function draftOf(
  context: EngineContext,
  run: VisibleRun,
  { draft, base }: PullRequestOptions,
): Promise<PullRequestDraft> {
  const { repository: repo_path, baseCommit: base_commit, worktree: worktree_root } = run;
  const known = await knownSecrets(context, { repo_path, base_commit, worktree_root });
  const clean = (text: string) => redactSecrets(text, { known }).text;
  const { title, body } = await pullRequestText(context, run);
  return {
    branch: run.branch,
    base: base ?? run.baseBranch,
    title: shortLine(clean(title), 200),
    body: clean(body),
    isDraft: draft || run.state !== "completed",
  };
}

function notEnded(run: VisibleRun): DevflowError {
  const id = shortId(run.id);
  return new DevflowError("illegal_transition", {
    details: {
      what: `Run ${id}`,
      state: run.state,
      wanted: "turned into a pull request",
      next: `Follow it to its end: devflow run watch ${id}`,
    },
  });
}
