/** A person's verdict and comment on one output; judges are measured by them. */
import type { EvalLabelInput } from "@devflow/protocol";
import { useState } from "react";
import type { Place } from "../../model/evals/eval-search.ts";
import { Button } from "../../parts/button.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { FaultNote } from "../../parts/states.tsx";
import { useAddLabel, useLabels } from "./eval-queries.ts";

export function LabelForm({ place }: { place: Place }) {
  const labels = useLabels(place);
  const add = useAddLabel(place);
  const [note, setNote] = useState("");
  const give = (verdict: EvalLabelInput["verdict"]) =>
    add.mutate({ verdict, criterion: null, note: note.trim() || null }, { onSuccess: () => setNote("") });
  return (
    <section aria-label="Your verdict" className="grid gap-2 border-t border-line px-4 py-3">
      <label className="grid gap-1 text-meta text-ink-soft">
        Comment
        <textarea
          value={note}
          rows={2}
          maxLength={4000}
          onChange={(event) => setNote(event.target.value)}
          className="w-full rounded-small border border-line-strong bg-canvas px-2 py-1 text-body text-ink"
        />
      </label>
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={add.isPending} onClick={() => give("pass")}>
          Good answer
        </Button>
        <Button disabled={add.isPending} onClick={() => give("fail")}>
          Bad answer
        </Button>
        <span className="text-meta text-ink-soft">Judges are measured by what people say.</span>
      </div>
      {add.error && <FaultNote fault={add.error} />}
      {labels.data && labels.data.labels.length > 0 && (
        <ul className="grid gap-1 text-meta">
          {labels.data.labels.map(({ at, by, verdict, criterion, note: said }) => (
            <li key={`${at} ${by} ${criterion}`} className="break-words">
              <span className={verdict === "pass" ? "text-good" : "text-bad"}>
                {verdict === "pass" ? "good" : "bad"}
              </span>
              {criterion && ` (${criterion})`} · {by} · <RelativeTime at={at} />
              {said && <span className="block text-ink-soft">{said}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
