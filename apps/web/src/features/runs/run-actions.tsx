/** The buttons to pause, resume and abort a run, and its state in one line. */
import { type RunDetail, shortId } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import type { Control } from "../../model/runs/run-api.ts";
import { repositoryName } from "../../model/runs/run-filter.ts";
import { money, resultCommand, runWord, tokens } from "../../model/runs/run-words.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { useFlash } from "../../parts/use-flash.ts";
import { PullRequestAction } from "./pull-request-action.tsx";
import { useAction } from "./use-action.ts";

export function RunActions({ run }: { run: RunDetail }) {
  const { api } = useServices();
  const [isAborting, setAborting] = useState(false);
  const act = useAction((what: Control, clientToken) => api.runs.control(run.id, what, { clientToken }));
  const isOver = ["completed", "failed", "aborted"].includes(run.state);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {act.fault && (
        <p role="alert" className="max-w-[48ch] text-meta break-words text-bad">
          {act.fault.message}
        </p>
      )}
      {!isOver &&
        (run.pendingRecoveries > 0 ? null : run.state === "paused" ? (
          <Button disabled={act.isSending} onClick={() => void act.send("resume")}>
            Resume
          </Button>
        ) : (
          <Button disabled={act.isSending} onClick={() => void act.send("pause")}>
            Pause
          </Button>
        ))}
      {!isOver && (
        <Button variant="danger" disabled={act.isSending} onClick={() => setAborting(true)}>
          Abort
        </Button>
      )}
      {isOver && <PullRequestAction run={run} />}
      {isAborting && (
        <Confirm
          title="Abort this run?"
          act="Abort run"
          onNo={() => setAborting(false)}
          onYes={() => {
            setAborting(false);
            void act.send("abort");
          }}
        >
          The agents stop. An aborted run cannot be resumed; its branch and worktree are kept.
        </Confirm>
      )}
    </div>
  );
}

export function RunFacts({ run }: { run: RunDetail }) {
  const word = runWord(run);
  const flash = useFlash(word.word);
  const used = run.cost.inputTokens + run.cost.outputTokens;
  return (
    <div className="grid gap-1">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span role="status" className={`rounded-small ${flash}`} data-run-state={run.state}>
          <StateWord {...word} />
        </span>
        <span title={run.repository}>{repositoryName(run.repository)}</span>
        <span className="font-mono text-meta break-all">{run.branch}</span>
        <span>
          <Elapsed of={run} />
        </span>
        <span className="tabular-nums">
          {run.cost.usd !== null && `${money(run.cost.usd)} · `}
          {tokens(used)} tokens
        </span>
        <span>
          {run.startedBy.name}, <RelativeTime at={run.createdAt} />
        </span>
      </div>
      {(run.failureReason ?? run.pauseCause) !== null && (
        <p className={`break-words ${run.failureReason !== null ? "text-bad" : "text-warn"}`}>
          {run.failureReason ?? pauseWords(run.pauseCause ?? "")}
        </p>
      )}
      <div className="-mx-2 flex flex-wrap">
        <CopyCommand command={`devflow run watch ${shortId(run.id)}`} quiet />
        {run.sessions.length > 0 && run.remote === null && (
          <CopyCommand command={`devflow attach ${shortId(run.id)}`} quiet />
        )}
        {run.state === "completed" && run.parent === null && <CopyCommand command={resultCommand(run)} quiet />}
        {run.endedAt !== null && <CopyCommand command={`devflow run cleanup ${shortId(run.id)}`} quiet />}
      </div>
    </div>
  );
}

/** `manual:<id>` means paused manually; other causes name what paused the run. */
function pauseWords(cause: string): string {
  const kind = cause.split(":")[0] ?? cause;
  if (kind === "manual" || kind === "command") return "Paused manually.";
  // A gate opened because something went wrong; it says what.
  if (kind === "approval") return "Stopped: a person decides below how to continue.";
  return `Paused: ${kind.replaceAll("_", " ")}.`;
}
