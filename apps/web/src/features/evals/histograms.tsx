/** How the scores of a run are distributed, criterion by criterion; a bar selects the results below its upper end. */
import type { EvalRunDetail } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { plural, score } from "../../model/evals/eval-words.ts";
import { Panel } from "../../parts/page.tsx";

type Histogram = EvalRunDetail["histograms"][number];
const [width, height] = [200, 56];

export function Histograms({ run }: { run: EvalRunDetail }) {
  if (run.histograms.length === 0) return null;
  return (
    <Panel title="Scores">
      <ul className="grid grid-cols-1 gap-6 p-4 wide:grid-cols-2 broad:grid-cols-4">
        {run.histograms.map((one) => (
          <li key={one.criterion} className="min-w-0">
            <Bars of={one} runRef={run.run.ref} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Bars({ of: { criterion, from, to, counts }, runRef }: { of: Histogram; runRef: string }) {
  const most = Math.max(1, ...counts);
  const step = width / counts.length;
  const limit = (at: number) => from + ((to - from) * at) / counts.length;
  const each = counts.map((count, at) => `${score(limit(at))} to ${score(limit(at + 1))}: ${count}`);
  return (
    <>
      <h3 className="truncate font-medium" title={criterion}>
        {criterion}
      </h3>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Scores of ${criterion}: ${each.join(", ")}`}
        className="mt-2 block h-14 w-full"
        preserveAspectRatio="none"
      >
        {counts.map((count, at) => (
          <g key={limit(at)}>
            <title>{each[at]}</title>
            <rect
              x={at * step + 1}
              width={step - 2}
              y={height - Math.max(count > 0 ? 2 : 0, (count / most) * height)}
              height={Math.max(count > 0 ? 2 : 0, (count / most) * height)}
              className="fill-accent"
            />
          </g>
        ))}
        <line x1="0" x2={width} y1={height} y2={height} className="stroke-line-strong" />
      </svg>
      <p className="mt-1 flex justify-between text-meta text-ink-soft tabular-nums">
        <span>{score(from)}</span>
        <span>
          {plural(
            counts.reduce((sum, count) => sum + count, 0),
            "score",
          )}
        </span>
        <span>{score(to)}</span>
      </p>
      <Link
        to="/evals/runs/$ref"
        params={{ ref: runRef }}
        search={{ criterion, below: limit(counts.length / 2) }}
        hash="results"
        className="text-meta text-accent underline underline-offset-2"
      >
        Results below {score(limit(counts.length / 2))}
      </Link>
    </>
  );
}
