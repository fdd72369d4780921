/** The phases in order, each with its kind, state, attempts and duration. */
import type { PhaseView, RunDetail } from "@devflow/protocol";
import { phaseWord } from "../../model/runs/run-words.ts";
import { Elapsed } from "../../parts/elapsed.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { useFlash } from "../../parts/use-flash.ts";

export function PhaseTimeline({ run }: { run: RunDetail }) {
  const phases = run.phases.toSorted((a, b) => a.seq - b.seq);
  return (
    <section aria-label="Phases" className="overflow-hidden rounded-panel border border-line bg-raised">
      {phases.length === 0 && <p className="px-4 py-3 text-ink-soft">Phases appear here when the run starts.</p>}
      <ol className="divide-y divide-line">
        {phases.map((phase) => (
          <Row key={phase.id} phase={phase} isCurrent={run.phase?.key === phase.key && run.endedAt === null} />
        ))}
      </ol>
    </section>
  );
}

function Row({ phase, isCurrent }: { phase: PhaseView; isCurrent: boolean }) {
  const word = phaseWord(phase.state);
  const flash = useFlash(`${phase.state} ${phase.attempts}`);
  const isCalm = phase.state === "pending" || phase.state === "skipped";
  return (
    <li
      data-phase={phase.key}
      data-phase-state={phase.state}
      aria-current={isCurrent ? "step" : undefined}
      className={`flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 wide:gap-x-4 border-l-2 px-4 py-1 ${isCurrent ? "border-l-accent" : "border-l-transparent"} ${flash}`}
    >
      <span className="w-5 shrink-0 text-meta text-ink-soft tabular-nums">{phase.seq}</span>
      <span
        className={`min-w-0 flex-1 break-words wide:flex-none wide:basis-36 ${isCalm ? "text-ink-soft" : "font-medium"}`}
      >
        {phase.title}
      </span>
      <span className="hidden w-16 text-meta text-ink-soft wide:inline">{phase.kind}</span>
      <span className="wide:w-36">
        <StateWord {...word} />
      </span>
      <span className="order-last w-full pl-9 text-meta break-words text-ink-soft empty:hidden wide:order-none wide:w-auto wide:min-w-0 wide:flex-1 wide:pl-0 wide:empty:block">
        {notesOf(phase)}
      </span>
      <span className="min-w-10 text-right text-meta text-ink-soft">
        {phase.startedAt !== null && phase.state !== "skipped" && <Elapsed of={phase} />}
      </span>
    </li>
  );
}

function notesOf(phase: PhaseView): string {
  return [
    phase.attempts > 1 && `attempt ${phase.attempts}`,
    phase.repair && "repair",
    phase.loops > 0 && `loop ${phase.loops}`,
    phase.reason?.replaceAll("_", " "),
  ]
    .filter(Boolean)
    .join(" · ");
}
