/** Why a line of a file is as it is, as far as the team's records tell: git is on the developers' machines, and knows the rest. */
import type { WhyAnswer } from "@devflow/protocol";
import { useNavigate } from "@tanstack/react-router";
import { whyCommand, whySteps } from "../../model/brain/why-steps.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { List } from "./rows.tsx";

interface Props {
  readonly file: string;
  readonly line: number | undefined;
  readonly why: { data: WhyAnswer | undefined; isPending: boolean; error: Error | null; refetch(): unknown };
}

export function WhyPanel({ file, line, why }: Props) {
  const navigate = useNavigate({ from: "/brain/files" });
  return (
    <Panel title="Why">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <label className="flex items-center gap-2">
          Line
          <input
            type="number"
            min={1}
            max={10_000_000}
            value={line ?? ""}
            onChange={(event) => {
              const given = event.target.valueAsNumber;
              const next = Number.isInteger(given) && given > 0 ? given : undefined;
              void navigate({ search: (old) => ({ ...old, line: next }), replace: true });
            }}
            className="h-9 w-24 rounded-small border border-line-strong bg-raised px-2 tabular-nums"
          />
        </label>
        <span className="text-meta text-ink-soft">With what git knows:</span>
        <CopyCommand command={whyCommand(file, line)} />
      </div>
      {line !== undefined && (
        <List rows={{ ...why, data: why.data && whySteps(why.data) }} empty="Nothing is recorded about this line">
          {(step) => (
            <>
              <p className="break-words">
                <span className="font-medium">{step.kind}</span> {step.text}
              </p>
              {step.quote !== undefined && <p className="mt-1 break-words text-ink-soft">“{step.quote}”</p>}
              <p className="mt-1 text-meta break-words text-ink-soft">
                {step.how}
                {step.at !== null && (
                  <>
                    , <RelativeTime at={step.at} />
                  </>
                )}
              </p>
            </>
          )}
        </List>
      )}
    </Panel>
  );
}
