/** Actions on several runs at once. Each run gets its own request; failures are listed by run. */
import type { RunSummary } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import type { Control } from "../../model/runs/run-api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";

export function RunsSelection({ runs, onClear }: { runs: readonly RunSummary[]; onClear: () => void }) {
  const { api } = useServices();
  const [isAborting, setAborting] = useState(false);
  const [refusals, setRefusals] = useState<string[]>([]);
  const [isBusy, setBusy] = useState(false);

  async function all(what: Control) {
    setBusy(true);
    const answers = await Promise.allSettled(
      runs.map((run) => api.runs.control(run.id, what, { clientToken: crypto.randomUUID() })),
    );
    setRefusals(
      answers.flatMap((answer, index) =>
        answer.status === "rejected" ? [`${runs[index]!.title}: ${String((answer.reason as Error).message)}`] : [],
      ),
    );
    setBusy(false);
    if (answers.every((answer) => answer.status === "fulfilled")) onClear();
  }

  return (
    <div className="border-b border-line bg-sunken px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="mr-2 font-medium tabular-nums">{runs.length} selected</span>
        <Button disabled={isBusy} onClick={() => void all("pause")}>
          Pause
        </Button>
        <Button disabled={isBusy} onClick={() => void all("resume")}>
          Resume
        </Button>
        <Button variant="danger" disabled={isBusy} onClick={() => setAborting(true)}>
          Abort
        </Button>
        <Button onClick={onClear}>Clear</Button>
      </div>
      {refusals.length > 0 && (
        <ul role="alert" className="mt-2 grid gap-1 text-meta text-bad">
          {refusals.map((line) => (
            <li key={line} className="break-words">
              {line}
            </li>
          ))}
        </ul>
      )}
      {isAborting && (
        <Confirm
          title={runs.length === 1 ? "Abort this run?" : `Abort these ${runs.length} runs?`}
          act="Abort"
          onNo={() => setAborting(false)}
          onYes={() => {
            setAborting(false);
            void all("abort");
          }}
        >
          The agents stop. An aborted run cannot be resumed; its branch and worktree are kept.
        </Confirm>
      )}
    </div>
  );
}
