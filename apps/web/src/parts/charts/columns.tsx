/** Amounts over time as columns. A step without anything is an empty place, not a gap. */
import { scaleTo, ticksOf } from "../../model/evals/scale.ts";
import { useWidth } from "./use-width.ts";

export interface ColumnStep {
  readonly name: string;
  readonly amount: number;
  /** A part of the amount, in another colour. */
  readonly part?: number;
  readonly title: string;
}

const [height, top, bottom, left, right] = [180, 12, 24, 56, 20];

export function Columns(props: {
  label: string;
  steps: readonly ColumnStep[];
  format: (value: number) => string;
  onStep?: (index: number) => void;
}) {
  const { label, steps, format, onStep } = props;
  const { box, width: outer } = useWidth(800);
  // The box has padding on both sides.
  const width = Math.max(0, outer - 32);
  const most = Math.max(0, ...steps.map(({ amount }) => amount)) || 1;
  const step = Math.min(96, (width - left - right) / Math.max(1, steps.length));
  const y = scaleTo([0, most], [height - bottom, top]);
  const every = Math.max(1, Math.ceil(48 / step));
  return (
    <div ref={box} className="min-w-0 p-4">
      <svg width={width} height={height} role="img" aria-label={label} className="block">
        {ticksOf(0, most, 4).map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text x={left - 8} y={y(tick) + 4} textAnchor="end" className="fill-ink-soft text-meta">
              {format(tick)}
            </text>
          </g>
        ))}
        {steps.map(({ name, amount, part = 0, title }, at) => {
          const bar = { x: left + at * step + step * 0.15, width: Math.max(1, step * 0.7) };
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the numbers beside the chart lead to the same records
            <g key={name} onClick={() => onStep?.(at)} className={onStep ? "cursor-pointer" : undefined}>
              <title>{title}</title>
              <rect
                x={left + at * step}
                y={top}
                width={step}
                height={height - bottom - top}
                className="fill-transparent"
              />
              <rect {...bar} y={y(amount)} height={y(0) - y(amount)} className="fill-accent" />
              {part > 0 && <rect {...bar} y={y(part)} height={y(0) - y(part)} className="fill-bad" />}
              {(steps.length - 1 - at) % every === 0 && (
                <text x={bar.x + bar.width / 2} y={height - 6} textAnchor="middle" className="fill-ink-soft text-meta">
                  {name}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
