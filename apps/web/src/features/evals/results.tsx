/** The results of a run, page by page; filter, order and page are in the URL. */
import type { EvalResultRow, EvalRunDetail } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { resultPageSize } from "../../model/evals/eval-api.ts";
import type { ResultsSearch } from "../../model/evals/eval-search.ts";
import { milliseconds, score, statusWord, usd } from "../../model/evals/eval-words.ts";
import { parseOrder, toggledOrder } from "../../model/table-order.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Panel } from "../../parts/page.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { Choice } from "./choice.tsx";
import { useResults } from "./eval-queries.ts";

export function Results({ run }: { run: EvalRunDetail }) {
  const { team: _team, repo: _repo, ...search } = useSearch({ from: "/evals/runs/$ref" });
  const results = useResults(run.run.ref, search);
  const { data } = results;
  return (
    <div id="results" className="grid scroll-mt-16 grid-cols-1 gap-3">
      <Filters run={run} search={search} />
      <Panel title="Results" aside={data && <Pages search={search} matching={data.matching} />}>
        {results.isPending && <SkeletonRows count={8} height="table" />}
        {results.error && <FaultNote fault={results.error} onRetry={() => void results.refetch()} />}
        {data && data.rows.length === 0 && (
          <EmptyNote title={run.run.total === 0 ? "This run has no results" : "No matching results"}>
            {run.run.total > 0 && `None of the ${run.run.total} results match the filters.`}
          </EmptyNote>
        )}
        {data && data.rows.length > 0 && <ResultsTable rows={data.rows} run={run} search={search} />}
      </Panel>
      {data && data.matching > resultPageSize && (
        <div className="flex justify-end">
          <Pages search={search} matching={data.matching} />
        </div>
      )}
    </div>
  );
}

const statuses = [
  { value: "fail,error", title: "Failed or error" },
  { value: "fail", title: "Failed" },
  { value: "error", title: "Error" },
  { value: "pass", title: "Passed" },
  { value: "skipped", title: "Skipped" },
];

function Filters({ run, search }: { run: EvalRunDetail; search: ResultsSearch }) {
  const navigate = useNavigate({ from: "/evals/runs/$ref" });
  const set = (change: Partial<ResultsSearch>) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...change }), replace: true, resetScroll: false });
  const categories = run.matrix.categories.flatMap(({ category }) => category ?? []);
  return (
    <div className="grid grid-cols-2 items-end gap-3 wide:flex wide:flex-wrap">
      <label className="col-span-2 flex flex-col gap-1 text-meta text-ink-soft">
        Name
        <input
          type="search"
          data-filter
          placeholder="Part of the case name"
          value={search.q ?? ""}
          onChange={(event) => set({ q: event.target.value || undefined })}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          className="h-8 w-full rounded-small border border-line-strong bg-canvas px-2 text-body text-ink placeholder:text-ink-soft wide:w-64"
        />
      </label>
      <SearchField
        label="Output"
        placeholder="Words in the output or problem"
        value={search.text}
        onSearch={(text) => set({ text })}
      />
      <SearchField
        label="Metadata"
        placeholder="key=value, or tag=…"
        value={search.metadata}
        onSearch={(metadata) => set({ metadata })}
      />
      <Choice label="Status" all="Any" value={search.status} options={statuses} onPick={(status) => set({ status })} />
      {categories.length > 0 && (
        <Choice
          label="Category"
          all="All"
          value={search.category}
          options={categories}
          onPick={(category) => set({ category })}
        />
      )}
      {run.matrix.criteria.length > 0 && (
        <Choice
          label={search.criterion === undefined ? "Low score" : `Score below ${score(search.below ?? 0.5)}`}
          all="Any"
          value={search.criterion}
          options={run.matrix.criteria.map(({ criterion }) => criterion)}
          onPick={(criterion) => set({ criterion, below: undefined })}
        />
      )}
    </div>
  );
}

/** Searches when it is left or Enter is pressed: reading every output takes longer than a keystroke. */
function SearchField(props: {
  label: string;
  placeholder: string;
  value: string | undefined;
  onSearch: (value: string | undefined) => void;
}) {
  const search = (value: string) => (value || undefined) !== props.value && props.onSearch(value || undefined);
  return (
    <label className="col-span-2 flex flex-col gap-1 text-meta text-ink-soft">
      {props.label}
      <input
        type="search"
        placeholder={props.placeholder}
        defaultValue={props.value ?? ""}
        onKeyDown={(event) => event.key === "Enter" && search(event.currentTarget.value)}
        onBlur={(event) => search(event.target.value)}
        className="h-8 w-full rounded-small border border-line-strong bg-canvas px-2 text-body text-ink placeholder:text-ink-soft wide:w-56"
      />
    </label>
  );
}

function Pages({ search, matching }: { search: ResultsSearch; matching: number }) {
  const navigate = useNavigate({ from: "/evals/runs/$ref" });
  const page = search.page ?? 0;
  const last = Math.max(0, Math.ceil(matching / resultPageSize) - 1);
  const turn = (to: number) =>
    void navigate({ search: (now) => ({ ...now, page: to === 0 ? undefined : to }), resetScroll: false });
  const from = page * resultPageSize;
  return (
    <div className="flex items-center gap-2 text-meta text-ink-soft tabular-nums">
      {matching === 0 ? "0" : `${from + 1}–${Math.min(matching, from + resultPageSize)} of ${matching}`}
      {last > 0 && (
        <>
          <Button disabled={page === 0} onClick={() => turn(page - 1)}>
            Previous
          </Button>
          <Button disabled={page >= last} onClick={() => turn(page + 1)}>
            Next
          </Button>
        </>
      )}
    </div>
  );
}

const columns = [
  { sort: "name", title: "Case", className: "w-auto" },
  { sort: "status", title: "Status", className: "w-26" },
  { sort: undefined, title: "Problem or output", className: "hidden w-[32%] broad:table-cell" },
  { sort: "score", title: "Score", className: "hidden w-20 text-right wide:table-cell" },
  { sort: "duration", title: "Duration", className: "hidden w-24 text-right wide:table-cell" },
  { sort: "cost", title: "Cost", className: "hidden w-24 text-right wide:table-cell" },
] as const;

function ResultsTable(props: { rows: readonly EvalResultRow[]; run: EvalRunDetail; search: ResultsSearch }) {
  const navigate = useNavigate({ from: "/evals/runs/$ref" });
  const order = parseOrder(props.search.sort, "order");
  return (
    <table className="w-full table-fixed border-collapse text-left">
      <caption className="sr-only">Results</caption>
      <thead>
        <tr className="h-8 border-b border-line bg-sunken text-meta text-ink-soft">
          {columns.map(({ sort, title, className }) => {
            const isSorted = sort !== undefined && order.column === sort;
            return (
              <th
                key={title}
                scope="col"
                aria-sort={isSorted ? (order.descending ? "descending" : "ascending") : undefined}
                className={`px-3 font-normal ${className}`}
              >
                {sort === undefined ? (
                  title
                ) : (
                  <button
                    type="button"
                    onClick={() =>
                      void navigate({
                        search: (now) => ({ ...now, page: undefined, sort: toggledOrder(order, sort) }),
                        replace: true,
                        resetScroll: false,
                      })
                    }
                    className="inline-flex h-8 items-center gap-1 hover:text-ink"
                  >
                    {title}
                    {isSorted && <Icon name={order.descending ? "down" : "up"} />}
                  </button>
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {props.rows.map((row) => (
          <Row key={row.ordinal} row={row} run={props.run} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row, run: { run } }: { row: EvalResultRow; run: EvalRunDetail }) {
  return (
    <tr className="h-12 hover:bg-hover" data-result={row.ordinal}>
      <td className="px-3">
        <Link
          to="/evals/cases/$suite/$key"
          params={{ suite: run.suite, key: row.caseKey }}
          search={{ b: `${row.ordinal}@${run.ref}` }}
          data-row
          title={row.name}
          className="block truncate font-medium outline-offset-2 hover:underline"
        >
          {row.name}
        </Link>
        <span className="block truncate text-meta text-ink-soft">
          {row.category ?? ""}
          {row.repeat > 0 && ` · repeat ${row.repeat}`}
          {row.cached && " · from the cache"}
        </span>
      </td>
      <td className="px-3">
        <StateWord {...statusWord(row.status)} />
      </td>
      <td className="hidden px-3 broad:table-cell">
        <span className={`line-clamp-2 text-meta ${row.problem === null ? "text-ink-soft" : ""}`}>
          {row.problem ?? row.preview}
        </span>
      </td>
      <td className="hidden px-3 text-right tabular-nums wide:table-cell" title={scoresOf(row)}>
        {score(row.score)}
      </td>
      <td className="hidden px-3 text-right tabular-nums wide:table-cell">{milliseconds(row.durationMs)}</td>
      <td className="hidden px-3 text-right tabular-nums wide:table-cell">{row.usd === null ? "–" : usd(row.usd)}</td>
    </tr>
  );
}

function scoresOf({ scores, scoreCount }: EvalResultRow): string {
  const shown = Object.entries(scores).map(([criterion, value]) => `${criterion} ${score(value)}`);
  return [...shown, ...(scoreCount > shown.length ? [`${scoreCount - shown.length} more`] : [])].join("\n");
}
