import type { ServerStatus } from "@devflow/protocol";
import type { UseQueryResult } from "@tanstack/react-query";
import { useLive } from "../../live-context.tsx";
import { type FirstStep, firstSteps } from "../../model/first-steps.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Panel } from "../../parts/page.tsx";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useCommands, useMembers, useRepos } from "../../queries.ts";

export function FirstSteps({ status }: { status: UseQueryResult<ServerStatus> }) {
  const repos = useRepos();
  const members = useMembers();
  const commands = useCommands();
  const { log, loaded } = useLive();
  const failed = [status, repos, members, commands].find((query) => query.isError);
  const hasTeam = (status.data?.teams.length ?? 0) > 0;
  const known = status.data && commands.data && loaded && (!hasTeam || (repos.data && members.data));
  const steps = known
    ? firstSteps({
        status: status.data,
        repoCount: repos.data?.length ?? 0,
        memberCount: members.data?.length ?? 0,
        changeCount: log.changes.length,
        commands: commands.data,
      })
    : [];
  const countable = steps.filter((step) => step.state !== "any-time");
  return (
    <Panel
      title="First steps"
      aside={
        known && (
          <span className="text-meta text-ink-soft tabular-nums">
            {countable.filter((step) => step.state === "done").length} of {countable.length} done
          </span>
        )
      }
    >
      {failed?.error && !known && <FaultNote fault={failed.error} onRetry={() => void failed.refetch()} />}
      {!failed && !known && <SkeletonRows count={6} height="step" />}
      {known && (
        <ol className="divide-y divide-line">
          {steps.map((step) => (
            <Step key={step.id} step={step} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

const signs = {
  done: { icon: "check", word: "Done: ", colour: "text-good" },
  open: { icon: "circle", word: "To do: ", colour: "text-ink-soft" },
  "any-time": { icon: "dot", word: "Optional: ", colour: "text-ink-soft" },
} as const;

/** A step that is done takes one line; an open one has room for its command. */
function Step({ step }: { step: FirstStep }) {
  const sign = signs[step.state];
  const isDone = step.state === "done";
  return (
    <li className={`flex gap-3 px-4 ${isDone ? "py-2" : "py-3"}`}>
      <span className={`grid h-5 place-items-center ${sign.colour}`}>
        <Icon name={sign.icon} />
      </span>
      <div
        className={`flex min-w-0 flex-1 flex-wrap gap-x-4 ${isDone ? "justify-between text-ink-soft" : "items-center gap-y-2"}`}
      >
        <p className={isDone ? "" : "min-w-0 flex-1 basis-60"}>
          <span className="sr-only">{sign.word}</span>
          <span className={isDone ? "" : "font-medium"}>{step.title}</span>
          {!isDone && <span className="block text-ink-soft">{step.detail}</span>}
        </p>
        {isDone && <span className="min-w-0 break-words">{step.detail}</span>}
        {step.command !== undefined && !isDone && <CopyCommand command={step.command} />}
      </div>
    </li>
  );
}
