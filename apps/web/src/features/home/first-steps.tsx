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
      title="What to do first"
      aside={
        known && (
          <span className="text-meta text-ink-soft tabular-nums">
            {countable.filter((step) => step.state === "done").length} of {countable.length} done
          </span>
        )
      }
    >
      {failed?.error && !known && <FaultNote fault={failed.error} onRetry={() => void failed.refetch()} />}
      {!failed && !known && <SkeletonRows count={6} />}
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
  "any-time": { icon: "dot", word: "Any time: ", colour: "text-ink-soft" },
} as const;

function Step({ step }: { step: FirstStep }) {
  const sign = signs[step.state];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <span className={sign.colour}>
        <Icon name={sign.icon} />
      </span>
      <div className="min-w-0 flex-1 basis-48">
        <p className={`font-medium ${step.state === "done" ? "text-ink-soft" : ""}`}>
          <span className="sr-only">{sign.word}</span>
          {step.title}
        </p>
        <p className="text-ink-soft break-words">{step.detail}</p>
      </div>
      {step.command !== undefined && step.state !== "done" && <CopyCommand command={step.command} />}
    </li>
  );
}
