/**
 * A line chart with equal steps: each line is labelled at its end, with intervals if there are any. A break separates values that
 * cannot be compared, and is drawn and labelled.
 */
import { scaleTo, ticksOf } from "../../model/evals/scale.ts";
import { useWidth } from "./use-width.ts";

export interface ChartPoint {
  /** Null if nothing was measured. */
  readonly value: number | null;
  readonly low?: number;
  readonly high?: number;
}

export interface ChartLine {
  readonly name: string;
  readonly points: readonly ChartPoint[];
}

export interface LineChartProps {
  readonly label: string;
  readonly lines: readonly ChartLine[];
  /** One per point of a line. */
  readonly steps: readonly {
    readonly name: string;
    readonly breakBefore?: string | null;
    readonly isMarked?: boolean;
  }[];
  readonly range: readonly [number, number];
  readonly format: (value: number) => string;
  readonly height?: number;
  readonly onStep?: (index: number) => void;
}

/** Lines differ in dashes as well as in colour. */
const lineStyles = [
  { stroke: "stroke-accent", fill: "fill-accent", dash: undefined },
  { stroke: "stroke-good", fill: "fill-good", dash: "6 3" },
  { stroke: "stroke-warn", fill: "fill-warn", dash: "2 3" },
  { stroke: "stroke-bad", fill: "fill-bad", dash: "8 3 2 3" },
] as const;

const [top, bottom, left] = [12, 28, 48];

export function LineChart({ label, lines, steps, range, format, height = 240, onStep }: LineChartProps) {
  const { box, width } = useWidth(800);
  const right = lines.length > 1 ? Math.min(132, width / 3) : 64;
  const x = scaleTo([0, Math.max(1, steps.length - 1)], [left + 12, width - right]);
  const y = scaleTo(range, [height - bottom, top]);
  const every = Math.max(1, Math.ceil(steps.length / Math.max(2, (width - left - right) / 84)));
  const band = (width - right - left) / Math.max(1, steps.length);
  return (
    <div ref={box} className="min-w-0">
      <svg width={width} height={height} role="img" aria-label={label} className="block">
        {ticksOf(...range).map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width - right + 8} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text x={left - 8} y={y(tick) + 4} textAnchor="end" className="fill-ink-soft text-meta">
              {format(tick)}
            </text>
          </g>
        ))}
        {steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are identified by their position
          <g key={at}>
            {step.breakBefore && at > 0 && (
              <g>
                <line
                  x1={(x(at) + x(at - 1)) / 2}
                  x2={(x(at) + x(at - 1)) / 2}
                  y1={top}
                  y2={height - bottom}
                  strokeDasharray="3 3"
                  className="stroke-line-strong"
                />
                <text x={(x(at) + x(at - 1)) / 2 + 4} y={top + 8} className="fill-ink-soft text-meta">
                  {step.breakBefore}
                </text>
              </g>
            )}
            {(steps.length - 1 - at) % every === 0 && (
              <text x={x(at)} y={height - 8} textAnchor="middle" className="fill-ink-soft text-meta tabular-nums">
                {step.name.slice(0, 8)}
              </text>
            )}
            {step.isMarked && (
              <line x1={x(at)} x2={x(at)} y1={top} y2={height - bottom} className="stroke-bad" strokeWidth="1" />
            )}
          </g>
        ))}
        {lines.map((line, no) => (
          <Line key={line.name} line={line} lineStyle={lineStyles[no % lineStyles.length]!} steps={steps} x={x} y={y} />
        ))}
        {endLabels(lines, y).map(({ name, text, at }, no) => (
          <text
            key={name}
            x={width - right + 12}
            y={at + 4}
            className={`${lineStyles[no % lineStyles.length]!.fill} text-meta font-medium`}
          >
            {lines.length > 1 ? name.slice(0, 14) : format(text)}
          </text>
        ))}
        {onStep &&
          steps.map((step, at) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table below has the same links
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              key={at}
              x={x(at) - band / 2}
              y={top}
              width={band}
              height={height - bottom - top}
              onClick={() => onStep(at)}
              className="cursor-pointer fill-transparent"
            >
              <title>{tipOf(step.name, lines, at, format)}</title>
            </rect>
          ))}
      </svg>
    </div>
  );
}

function Line(props: {
  line: ChartLine;
  lineStyle: (typeof lineStyles)[number];
  steps: LineChartProps["steps"];
  x: (at: number) => number;
  y: (value: number) => number;
}) {
  const { line, lineStyle, steps, x, y } = props;
  return (
    <g>
      {stretchesOf(line.points, steps).map((stretch) => (
        <polyline
          key={stretch[0]?.at}
          points={stretch.map(({ at, value }) => `${x(at)},${y(value)}`).join(" ")}
          fill="none"
          strokeWidth="1.75"
          strokeLinejoin="round"
          strokeDasharray={lineStyle.dash}
          className={lineStyle.stroke}
        />
      ))}
      {line.points.map(({ value, low, high }, at) =>
        value === null ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: points are identified by their position
          <g key={at}>
            {low !== undefined && high !== undefined && (
              <line
                x1={x(at)}
                x2={x(at)}
                y1={y(low)}
                y2={y(high)}
                strokeWidth="1.5"
                className={`${lineStyle.stroke} opacity-50`}
              />
            )}
            <circle cx={x(at)} cy={y(value)} r="3.5" className={lineStyle.fill} />
          </g>
        ),
      )}
    </g>
  );
}

/** The parts of a line between gaps and breaks. */
function stretchesOf(points: readonly ChartPoint[], steps: LineChartProps["steps"]) {
  const stretches: { at: number; value: number }[][] = [];
  let isOpen = false;
  points.forEach(({ value }, at) => {
    if (value === null) {
      isOpen = false;
      return;
    }
    if (!isOpen || steps[at]?.breakBefore) stretches.push([]);
    stretches.at(-1)?.push({ at, value });
    isOpen = true;
  });
  return stretches.filter(({ length }) => length > 1);
}

/** Labels at the ends of the lines, moved apart where they would overlap. */
function endLabels(lines: readonly ChartLine[], y: (value: number) => number) {
  const ends = lines.map((line) => {
    const last = line.points.findLast(({ value }) => value !== null)?.value ?? 0;
    return { name: line.name, text: last, at: y(last) };
  });
  const sorted = ends.toSorted((a, b) => a.at - b.at);
  sorted.forEach((label, at) => {
    const above = sorted[at - 1];
    if (above && label.at - above.at < 16) label.at = above.at + 16;
  });
  return ends;
}

function tipOf(step: string, lines: readonly ChartLine[], at: number, format: (value: number) => string): string {
  const values = lines.flatMap(({ name, points }) => {
    const value = points[at]?.value ?? null;
    return value === null ? [] : [`${name} ${format(value)}`];
  });
  return `${step}: ${values.join(", ")}`;
}
