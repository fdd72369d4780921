/** Requirements, decisions, and facts about the run: template, roles, repository, worktree. */
import type { RunDetail } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { gateQuestion, runStateName, wordsOf } from "../../model/runs/run-words.ts";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { useActorName } from "./actor-name.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import { ForkComparison } from "./fork-comparison.tsx";

/** A run and the phase at which it was forked. */
function ForkLink({ runId, at }: { runId: string | null; at: string }) {
  if (runId === null) return <>a run that is gone, at {at}</>;
  return (
    <>
      <Link to="/runs/$id" params={{ id: runId }} className="text-accent underline underline-offset-2">
        {runId.slice(-8)}
      </Link>{" "}
      at {at}
    </>
  );
}

export function OverviewTab({ run }: { run: RunDetail }) {
  const nameOf = useActorName();
  const decided = run.approvals.filter((approval) => approval.decision !== null);
  return (
    <div className="grid broad:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] broad:divide-x broad:divide-line">
      <section aria-label="Requirements" className="min-w-0 p-4">
        <h2 className="mb-2 text-meta font-normal text-ink-soft">Requirements</h2>
        <Markdown text={run.requirements} />
        {run.forkOf && <ForkComparison run={run} />}
        <AttachmentList
          runId={run.id}
          files={run.attachments.filter(({ commentId, messageId }) => commentId === null && messageId === null)}
        />
        {decided.length > 0 && (
          <div className="mt-6">
            <h2 className="mb-2 text-meta font-normal text-ink-soft">Decisions</h2>
            <ol className="grid gap-3">
              {decided.map((approval) => (
                <li key={approval.id} className="min-w-0 break-words">
                  {gateQuestion(approval)}{" "}
                  <span className="font-medium">{wordsOf(approval)[approval.decision!.verdict].done}</span> by{" "}
                  {nameOf(approval.decision!.actor)} via {approval.decision!.actor.via},{" "}
                  <RelativeTime at={approval.decision!.decidedAt} />
                  {approval.decision!.comment && (
                    <blockquote className="mt-1 border-l-2 border-line-strong pl-3 whitespace-pre-line text-ink-soft">
                      {approval.decision!.comment}
                    </blockquote>
                  )}
                </li>
              ))}
            </ol>
          </div>
        )}
      </section>
      <section aria-label="Facts" className="min-w-0 border-t border-line broad:border-t-0">
        <Facts
          rows={[
            [
              "Template",
              <Link
                key="template"
                to="/templates/$name"
                params={{ name: run.template }}
                className="text-accent underline underline-offset-2"
              >
                {run.template}
              </Link>,
            ],
            [
              "Roles",
              run.bindings.length === 0 ? (
                "not chosen yet"
              ) : (
                <ul key="roles">
                  {run.bindings.map((binding) => (
                    <li key={binding.role}>
                      {binding.role} <span className="text-ink-soft">{binding.persona}</span>
                    </li>
                  ))}
                </ul>
              ),
            ],
            ["Repository", <Mono key="repo">{run.repository}</Mono>],
            [
              "Base",
              <Mono key="base">
                {run.baseBranch} {run.baseCommit.slice(0, 12)}
              </Mono>,
            ],
            ["Worktree", <Mono key="tree">{run.worktree}</Mono>],
            ...(run.forkOf ? ([["Forked from", <ForkLink key="fork" {...run.forkOf} />]] as const) : []),
            ...(run.forks.length > 0
              ? ([
                  [
                    "Forks",
                    <ul key="forks">
                      {run.forks.map((fork) => (
                        <li key={fork.runId}>
                          <ForkLink {...fork} />, {runStateName(fork.state).toLowerCase()}
                        </li>
                      ))}
                    </ul>,
                  ],
                ] as const)
              : []),
            ["Host", run.host],
            ["Id", <Mono key="id">{run.id}</Mono>],
          ]}
        />
      </section>
    </div>
  );
}
