/**
 * Which pull request a run has.
 *
 * - `recordPullRequest(context, runId, opened, actor)` the newest counts; each is one event of the run.
 * - `recordedPullRequest(context, runId)` undefined if it has none.
 */
import type { ForgeKind } from "@devflow/forge";
import { PullRequestView } from "@devflow/protocol";
import { change, type EngineContext } from "../engine/context.ts";
import type { Actor } from "../events/actor.ts";
import { eventKey } from "../events/event-types.ts";

interface Opened {
  readonly forge: ForgeKind | null;
  readonly url: string;
  readonly number: number | null;
}

export async function recordPullRequest(
  context: EngineContext,
  runId: string,
  { forge, url, number }: Opened,
  actor: Actor,
): Promise<void> {
  const before = await recordedPullRequest(context, runId);
  if (before?.url === url) return;
  const record = { forge, url, number };
  await change(
    context,
    runId,
    async (fact) => {
      await fact.tx`update app.runs set pull_request = ${fact.tx.json(record)} where id = ${runId}`;
      fact.emit({ type: "pull_request.opened", key: eventKey.pullRequest(runId, url), payload: record });
      fact.touch();
    },
    actor,
  );
}

export async function recordedPullRequest(
  { database }: EngineContext,
  runId: string,
): Promise<PullRequestView | undefined> {
  const [row] = await database.asEngine((tx) => tx`select pull_request as record from app.runs where id = ${runId}`);
  return PullRequestView.nullable().parse(row?.record ?? null) ?? undefined;
}
