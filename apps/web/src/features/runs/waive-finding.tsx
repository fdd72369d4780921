/** Lets a finding stand, with a reason that the report keeps. */
import type { FindingView, RunDetail } from "@devflow/protocol";
import { type FormEvent, useId, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { Refusal } from "./gate-decision.tsx";
import { useAction } from "./use-action.ts";

export function WaiveFinding({ run, finding }: { run: RunDetail; finding: FindingView }) {
  const { api } = useServices();
  const act = useAction((reason: string) => api.runs.waive(run.id, finding.id, reason));
  const [reason, setReason] = useState<string>();
  const field = useId();
  if (reason === undefined) {
    return (
      <div className="mt-2">
        <Button onClick={() => setReason("")}>Waive…</Button>
      </div>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() !== "") void act.send(reason.trim());
  };
  return (
    <form aria-label="Waive the finding" className="mt-2 grid max-w-[90ch] gap-2" onSubmit={submit}>
      <label htmlFor={field} className="text-meta text-ink-soft">
        Why may it stand? The report keeps the reason.
      </label>
      <textarea
        id={field}
        rows={2}
        // biome-ignore lint/a11y/noAutofocus: the field appears because the person asked for it
        autoFocus
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && setReason(undefined)}
        className="w-full rounded-small border border-line-strong bg-canvas p-2"
      />
      <div className="flex gap-2">
        <Button type="submit" variant="strong" disabled={act.isSending || reason.trim() === ""}>
          Waive this finding
        </Button>
        <Button onClick={() => setReason(undefined)}>Go back</Button>
      </div>
      {act.fault && <Refusal fault={act.fault} />}
    </form>
  );
}
