/** Cost per day as columns. Days without a run are gaps, not zeros. */
import type { EvalCosts } from "@devflow/protocol";
import { moneyNote, plural, usd } from "../../model/evals/eval-words.ts";
import { scaleTo, ticksOf } from "../../model/evals/scale.ts";
import { useWidth } from "../../parts/charts/use-width.ts";

const [height, top, bottom, left] = [180, 12, 24, 64];
const dayMs = 86_400_000;

export function CostDays({ days }: { days: EvalCosts["days"] }) {
  const { box, width: outer } = useWidth(800);
  // The box has padding on both sides.
  const width = Math.max(0, outer - 32);
  const most = Math.max(0, ...days.map(({ actualUsd, estimatedUsd }) => actualUsd + estimatedUsd)) || 1;
  const [first, last] = [Date.parse(days[0]?.day ?? ""), Date.parse(days.at(-1)?.day ?? "")];
  const count = Math.max(1, Math.round((last - first) / dayMs) + 1);
  const step = Math.min(96, (width - left - 8) / count);
  const y = scaleTo([0, most], [height - bottom, top]);
  const place = (day: string) => left + Math.round((Date.parse(day) - first) / dayMs) * step;
  const every = Math.max(1, Math.ceil(56 / step));
  return (
    <div ref={box} className="min-w-0 p-4">
      <svg width={width} height={height} role="img" aria-label={labelOf(days)} className="block">
        {ticksOf(0, most, 4).map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text x={left - 8} y={y(tick) + 4} textAnchor="end" className="fill-ink-soft text-meta">
              {`$${tick.toFixed(most >= 1 ? 2 : 4)}`}
            </text>
          </g>
        ))}
        {days.map((day, at) => {
          const middle = y(day.actualUsd);
          const end = y(day.actualUsd + day.estimatedUsd);
          const bar = { x: place(day.day) + step * 0.15, width: Math.max(1, step * 0.7) };
          return (
            <g key={day.day}>
              <title>{`${day.day}: ${moneyNote(day)}, ${plural(day.runs, "run")}`}</title>
              <rect {...bar} y={middle} height={height - bottom - middle} className="fill-accent" />
              <rect {...bar} y={end} height={middle - end} className="fill-accent opacity-50" />
              {at % every === 0 && (
                <text x={bar.x + bar.width / 2} y={height - 6} textAnchor="middle" className="fill-ink-soft text-meta">
                  {day.day.slice(5)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <p className="mt-1 text-meta text-ink-soft">Full colour: billed. Lighter: estimated from tokens.</p>
    </div>
  );
}

function labelOf(days: EvalCosts["days"]): string {
  const each = days.map(({ day, actualUsd, estimatedUsd }) => `${day} ${usd(actualUsd + estimatedUsd)}`);
  return `Cost per day: ${each.join(", ")}`;
}
