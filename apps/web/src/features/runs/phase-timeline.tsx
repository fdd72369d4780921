/** The phases in their order: what each is, where it stands, how often it was tried and how long it took. */
import type { PhaseView, RunDetail } from "@devflow/protocol";
import { phaseWord } from "../../model/runs/run-words.ts";
import { Elapsed } from "../../parts/elapsed.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { useFlash } from "../../parts/use-flash.ts";

export function PhaseTimeline({ run }: { run: RunDetail }) {
  const phases = run.phases.toSorted((a, b) => a.seq - b.seq);
  return (
    <section aria-label="Phases" className="overflow-hidden rounded-panel border border-line bg-raised">
      {phases.length === 0 && <p className="px-4 py-3 text-ink-soft">The phases are laid out when the run starts.</p>}
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
      className={`flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 border-l-2 px-4 py-1 ${isCurrent ? "border-l-accent" : "border-l-transparent"} ${flash}`}
    >
      <span className="w-5 shrink-0 text-meta text-ink-soft tabular-nums">{phase.seq}</span>
      <span className={`min-w-0 basis-36 break-words ${isCalm ? "text-ink-soft" : "font-medium"}`}>{phase.title}</span>
      <span className="hidden w-16 text-meta text-ink-soft wide:inline">{phase.kind}</span>
      <span className="w-36">
        <StateWord {...word} />
      </span>
      <span className="min-w-0 flex-1 basis-32 text-meta break-words text-ink-soft">
        {[
          phase.attempts > 1 && `attempt ${phase.attempts}`,
          phase.repair && "repair",
          phase.loops > 0 && `loop ${phase.loops}`,
          phase.reason?.replaceAll("_", " "),
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
      {phase.startedAt !== null && phase.state !== "skipped" && (
        <span className="text-meta text-ink-soft">
          <Elapsed of={phase} />
        </span>
      )}
    </li>
  );
}
