/** The pull request of a run that has ended: its link, the button that opens it, or the command that is left to type. */
import type { PullRequestAnswer, RunDetail } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { useAction } from "./use-action.ts";

export function PullRequestAction({ run }: { run: RunDetail }) {
  const { api } = useServices();
  const [answer, setAnswer] = useState<PullRequestAnswer>();
  const open = useAction(async () => setAnswer(await api.runs.pullRequest(run.id, false)));
  if (!run.hasReport) return null;
  const url = answer?.url ?? run.pullRequest?.url;
  const number = answer?.number ?? run.pullRequest?.number;
  return (
    <>
      {open.fault && (
        <p role="alert" className="max-w-[48ch] text-meta break-words text-bad">
          {open.fault.message}
        </p>
      )}
      {answer?.action === "pushed" && (
        <div className="grid max-w-full min-w-0 text-meta">
          <span>The branch is pushed.{answer.commands.length > 0 && " Open the pull request:"}</span>
          {answer.commands.map((command) => (
            <CopyCommand key={command} command={command} quiet />
          ))}
        </div>
      )}
      {url && (
        <a href={url} target="_blank" rel="noreferrer noopener" className="text-accent underline">
          Pull request{number ? ` #${number}` : ""}
        </a>
      )}
      <Button disabled={open.isSending} onClick={() => void open.send(undefined)}>
        {open.isSending ? "Pushing …" : url ? "Update pull request" : "Open pull request"}
      </Button>
    </>
  );
}
