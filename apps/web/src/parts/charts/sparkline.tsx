/** A small chart of a rate over time: the line, its interval as a band, and the newest point. */
import { rangeOf, scaleTo } from "../../model/evals/scale.ts";

export interface SparkPoint {
  readonly rate: number | null;
  readonly low: number;
  readonly high: number;
}

const [width, height, edge] = [168, 40, 4];

export function Sparkline({ points, label }: { points: readonly SparkPoint[]; label: string }) {
  const known = points.flatMap((point, at) => (point.rate === null ? [] : [{ ...point, rate: point.rate, at }]));
  const range = rangeOf(
    known.flatMap(({ low, high }) => [low, high]),
    { least: 0.2, within: [0, 1] },
  );
  const x = scaleTo([0, Math.max(1, points.length - 1)], [edge, width - edge]);
  const y = scaleTo(range, [height - edge, edge]);
  const last = known.at(-1);
  const outline = [
    ...known.map(({ at, high }) => `${x(at)},${y(high)}`),
    ...known.toReversed().map(({ at, low }) => `${x(at)},${y(low)}`),
  ];
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
      className="block max-w-full"
    >
      <polygon points={outline.join(" ")} className="fill-accent-soft" />
      <polyline
        points={known.map(({ at, rate }) => `${x(at)},${y(rate)}`).join(" ")}
        fill="none"
        strokeWidth="1.5"
        strokeLinejoin="round"
        className="stroke-accent"
      />
      {last && <circle cx={x(last.at)} cy={y(last.rate)} r="3" className="fill-accent" />}
    </svg>
  );
}
