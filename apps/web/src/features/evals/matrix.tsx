/** Categories by criteria: each cell has a number, a word and a colour. */
import type { EvalRunDetail } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { type Level, passLevel, percent, plural, score, scoreLevel } from "../../model/evals/eval-words.ts";
import { Panel } from "../../parts/page.tsx";

const tones: Record<Level["tone"], string> = {
  good: "bg-good-soft",
  warn: "bg-warn-soft",
  bad: "bg-bad-soft",
  calm: "",
};

export function Matrix({ run: { run, matrix } }: { run: EvalRunDetail }) {
  const { criteria, categories, moreCategories, moreCriteria } = matrix;
  const more = [
    ...(moreCategories > 0 ? [`${moreCategories} smaller categories`] : []),
    ...(moreCriteria > 0 ? [`${moreCriteria} rarer criteria`] : []),
  ];
  return (
    <Panel
      title="By category and criterion"
      aside={more.length > 0 && <span className="text-meta text-ink-soft">{more.join(" and ")} not shown</span>}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a group of one table */}
      <div role="group" aria-label="Matrix" tabIndex={0} className="relative overflow-x-auto outline-offset-[-2px]">
        <table className="w-full border-collapse text-left">
          <caption className="sr-only">Pass rate and mean scores by category</caption>
          <thead>
            <tr className="h-8 border-b border-line bg-sunken text-meta text-ink-soft">
              <th scope="col" className="sticky left-0 min-w-32 bg-sunken px-3 font-normal">
                Category
              </th>
              <th scope="col" className="min-w-28 px-3 text-right font-normal">
                Passed
              </th>
              {criteria.map(({ criterion }) => (
                <th
                  key={criterion}
                  scope="col"
                  className="max-w-40 min-w-24 truncate px-3 text-right font-normal"
                  title={criterion}
                >
                  {criterion}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {categories.map((row) => (
              <tr key={row.category ?? ""}>
                <th
                  scope="row"
                  className="sticky left-0 max-w-64 truncate bg-raised px-3 font-normal"
                  title={row.category ?? ""}
                >
                  <CategoryLink runRef={run.ref} category={row.category} />
                  <span className="block text-meta text-ink-soft tabular-nums">{plural(row.total, "result")}</span>
                </th>
                <Cell level={passLevel(row.passRate)} title={`${row.passed} of ${row.passed + row.failed} passed`}>
                  {percent(row.passRate)}
                </Cell>
                {row.cells.map((cell, at) => {
                  const { criterion, max } = criteria[at]!;
                  return cell === null ? (
                    <td key={criterion} className="h-12 px-3 text-right text-ink-soft">
                      –
                    </td>
                  ) : (
                    <Cell
                      key={criterion}
                      level={scoreLevel(cell.mean, max)}
                      title={`mean of ${plural(cell.count, "result")}`}
                    >
                      {score(cell.mean)}
                    </Cell>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function CategoryLink({ runRef, category }: { runRef: string; category: string | null }) {
  if (category === null) return <span className="text-ink-soft">no category</span>;
  return (
    <Link
      to="/evals/runs/$ref"
      params={{ ref: runRef }}
      search={{ category }}
      hash="results"
      className="font-medium hover:underline"
    >
      {category}
    </Link>
  );
}

function Cell({ level, title, children }: { level: Level; title: string; children: string }) {
  return (
    <td className={`h-12 px-3 text-right ${tones[level.tone]}`} title={title}>
      <span className="block tabular-nums">{children}</span>
      <span className="block text-meta text-ink-soft">{level.word}</span>
    </td>
  );
}
