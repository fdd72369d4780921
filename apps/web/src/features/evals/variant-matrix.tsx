/** The matrix that a run is a cell of: cases down, models and prompts across, outputs side by side. */
import type { EvalMatrix, EvalRunDetail } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { percent, score, statusWord } from "../../model/evals/eval-words.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/page.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useMatrix } from "./eval-queries.ts";

export function VariantMatrix({ run }: { run: EvalRunDetail }) {
  const [page, setPage] = useState(0);
  const [differing, setDiffering] = useState(false);
  const matrix = useMatrix(run.run.ref, { page, differing }, run.variants > 1);
  if (run.variants < 2) return null;
  const { data } = matrix;
  return (
    <Panel
      title="Models and prompts"
      aside={
        <label className="flex items-center gap-2 text-meta text-ink-soft">
          <input
            type="checkbox"
            checked={differing}
            onChange={(event) => {
              setDiffering(event.target.checked);
              setPage(0);
            }}
          />
          Only cases that differ
        </label>
      }
    >
      {matrix.isPending && <SkeletonRows count={6} />}
      {matrix.error && <FaultNote fault={matrix.error} onRetry={() => void matrix.refetch()} />}
      {data && data.cases.length === 0 && <EmptyNote title="All models and prompts agree on every case" />}
      {data && data.cases.length > 0 && <Cells of={data} own={run.run.ref} />}
      {data && data.matching > data.pageSize && (
        <p className="flex items-center justify-end gap-2 border-t border-line px-4 py-2 text-meta text-ink-soft tabular-nums">
          {page * data.pageSize + 1}–{Math.min(data.matching, (page + 1) * data.pageSize)} of {data.matching}
          <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
            Previous
          </Button>
          <Button disabled={(page + 1) * data.pageSize >= data.matching} onClick={() => setPage(page + 1)}>
            Next
          </Button>
        </p>
      )}
    </Panel>
  );
}

function Cells({ of: { variants, cases }, own }: { of: EvalMatrix; own: string }) {
  return (
    // Focusable, so that the table can be scrolled with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section aria-label="Cases by model and prompt" tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">Cases by model and prompt</caption>
        <thead>
          <tr className="border-b border-line bg-sunken align-bottom text-meta text-ink-soft">
            <th scope="col" className="sticky left-0 min-w-40 bg-sunken px-3 py-2 font-normal">
              Case
            </th>
            {variants.map(({ title, run }) => (
              <th key={run.ref} scope="col" className="min-w-64 px-3 py-2 font-normal">
                <Link
                  to="/evals/runs/$ref"
                  params={{ ref: run.ref }}
                  aria-current={run.ref === own ? "true" : undefined}
                  className={`break-words hover:underline ${run.ref === own ? "font-medium text-ink" : ""}`}
                >
                  {title}
                </Link>
                <span className="block tabular-nums">
                  {percent(run.passRate)}
                  {run.errors > 0 && `, ${run.errors} errors`}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {cases.map(({ caseKey, name, cells }) => (
            <tr key={caseKey} className="align-top">
              <th scope="row" className="sticky left-0 max-w-56 bg-raised px-3 py-2 font-medium break-words">
                {name}
              </th>
              {variants.map(({ run }, at) => (
                <td key={run.ref} className="max-w-80 px-3 py-2">
                  <Cell of={cells[at] ?? null} run={run} caseKey={caseKey} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell(props: {
  of: EvalMatrix["cases"][number]["cells"][number];
  run: EvalMatrix["variants"][number]["run"];
  caseKey: string;
}) {
  const { of, run, caseKey } = props;
  if (of === null) return <span className="text-meta text-ink-soft">not run</span>;
  const scores = Object.entries(of.scores);
  return (
    <>
      <Link
        to="/evals/cases/$suite/$key"
        params={{ suite: run.suite, key: caseKey }}
        search={{ b: `${of.ordinal}@${run.ref}` }}
        className="inline-block outline-offset-2 hover:underline"
      >
        <StateWord {...statusWord(of.status)} />
      </Link>
      {scores.length > 0 && (
        <span className="ml-2 text-meta text-ink-soft tabular-nums">
          {scores.map(([name, value]) => `${name} ${score(value)}`).join(", ")}
        </span>
      )}
      {of.problem && <span className="mt-1 block text-meta break-words text-bad">{of.problem}</span>}
      {of.output && (
        <span className="mt-1 line-clamp-6 text-meta break-words whitespace-pre-wrap text-ink-soft">
          {of.output.text}
          {of.output.isCut && "…"}
        </span>
      )}
    </>
  );
}
