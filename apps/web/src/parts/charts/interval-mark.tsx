/** A number and its confidence interval: a dot on a line, on a scale shared by all rows of a column. */
import { scaleTo } from "../../model/evals/scale.ts";

export interface IntervalMarkProps {
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
  readonly range?: readonly [number, number];
  /** Draws a line through zero, for differences. */
  readonly zero?: boolean;
  readonly tone?: "accent" | "good" | "bad" | "calm";
  readonly width?: number;
}

const tones = {
  accent: "stroke-accent fill-accent",
  good: "stroke-good fill-good",
  bad: "stroke-bad fill-bad",
  calm: "stroke-ink-soft fill-ink-soft",
} as const;
const height = 16;

export function IntervalMark(props: IntervalMarkProps) {
  const { value, low, high, range = [0, 1], zero = false, tone = "accent", width = 96 } = props;
  const x = scaleTo(range, [4, width - 4]);
  const inside = (at: number) => Math.min(width - 2, Math.max(2, x(at)));
  // Hidden from screen readers: the number is next to it as text.
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true" className="block shrink-0">
      <line x1="2" x2={width - 2} y1="8" y2="8" className="stroke-line" />
      {zero && <line x1={x(0)} x2={x(0)} y1="1" y2="15" strokeDasharray="2 2" className="stroke-line-strong" />}
      {value !== null && (
        <g className={tones[tone]}>
          <line x1={inside(low)} x2={inside(high)} y1="8" y2="8" strokeWidth="2" strokeLinecap="round" />
          <circle cx={inside(value)} cy="8" r="3.5" stroke="none" />
        </g>
      )}
    </svg>
  );
}
