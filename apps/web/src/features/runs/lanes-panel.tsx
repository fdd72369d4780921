/** The tasks of a run with lanes as a graph: what waits for what, what each lane does. A box opens its lane. */
import type { RunDetail, TaskView } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useServices } from "../../app-context.tsx";
import { boxWidth, laneGraph, type Placed } from "../../model/runs/lane-graph.ts";
import { type Tone, taskWord } from "../../model/runs/run-words.ts";

const strokes: Record<Tone, string> = {
  good: "stroke-good",
  warn: "stroke-warn",
  bad: "stroke-bad",
  busy: "stroke-accent",
  calm: "stroke-line-strong",
};
const fills: Record<Tone, string> = {
  good: "fill-good",
  warn: "fill-warn",
  bad: "fill-bad",
  busy: "fill-accent",
  calm: "fill-ink-soft",
};

const lookEveryMs = 3_000;

/** What lanes do is in their own logs, which this page does not follow. */
function useTasks(run: RunDetail): readonly TaskView[] {
  const { api } = useServices();
  const isWorking = run.tasks.some((task) => task.state === "working");
  const { data } = useQuery({
    queryKey: ["runs", "lanes", run.id, run.eventSeq],
    queryFn: ({ signal }) => api.runs.detail(run.id, signal),
    enabled: isWorking,
    refetchInterval: lookEveryMs,
  });
  return data && data.eventSeq >= run.eventSeq ? data.tasks : run.tasks;
}

export function LanesPanel({ run }: { run: RunDetail }) {
  const tasks = useTasks(run);
  const hasMachines = tasks.some(({ lane }) => lane && lane.host !== run.host);
  const { width, height, boxHeight, boxes, lines } = laneGraph(tasks, { hasMachines });
  const done = tasks.filter(({ state }) => state === "done").length;
  const met = tasks.flatMap((task) => task.collisions.map((one) => ({ ...one, lane: task.id })));
  return (
    <section aria-label="Lanes" className="min-w-0 overflow-hidden rounded-panel border border-line bg-raised">
      <header className="flex flex-wrap items-baseline gap-x-3 px-4 py-3">
        <h2 className="text-body">Lanes</h2>
        <span className="text-meta text-ink-soft tabular-nums">
          {done} of {tasks.length} merged
        </span>
      </header>
      <div
        className="overflow-x-auto px-4 pb-4 outline-offset-[-2px]"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
      >
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: its boxes are links with names, and a title would be shown over all of it */}
        <svg width={width + 2} height={height + 2} viewBox={`-1 -1 ${width + 2} ${height + 2}`} className="block">
          {lines.map((line) => (
            <path key={`${line.from} ${line.to}`} d={line.path} className="fill-none stroke-line-strong" />
          ))}
          {boxes.map((box) => (
            <Box
              key={box.task.id}
              {...box}
              height={boxHeight}
              machine={hasMachines ? box.task.lane?.machine : undefined}
            />
          ))}
        </svg>
      </div>
      {met.length > 0 && (
        <ul aria-label="Collisions" className="grid gap-1 border-t border-line px-4 py-3 text-meta">
          {met.map((one) => (
            <li key={`${one.lane} ${one.with}`} className="break-words">
              <span className="font-medium text-warn">{one.lane}</span> collides with {one.with} in{" "}
              <span className="font-mono">{one.files.join(", ")}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Box({ task, x, y, height, machine }: Placed<TaskView> & { height: number; machine: string | undefined }) {
  const { word, tone } = taskWord(task);
  const again = task.tries > 1 ? `, try ${task.tries}` : "";
  const drawn = (
    <>
      <title>{`${task.title}. ${word}${task.reason ? `: ${task.reason}` : ""}`}</title>
      <rect
        x={x}
        y={y}
        width={boxWidth}
        height={height}
        rx={6}
        className={`fill-canvas ${strokes[tone]} ${task.state === "dropped" ? "[stroke-dasharray:4_3]" : ""}`}
      />
      <text x={x + 12} y={y + 21} className="fill-ink font-medium">
        {shortened(task.id)}
      </text>
      <text x={x + 12} y={y + 40} className={`text-meta ${fills[tone]}`}>
        {word}
        {again}
      </text>
      {machine !== undefined && (
        <text x={x + 12} y={y + 58} className="fill-ink-soft text-meta">
          on {shortened(machine)}
        </text>
      )}
    </>
  );
  const label = `${task.id}: ${word}${again}${machine === undefined ? "" : `, on ${machine}`}. ${task.title}`;
  if (!task.lane)
    return (
      <g data-task={task.id} data-task-state={task.state}>
        {drawn}
      </g>
    );
  return (
    <Link
      to="/runs/$id"
      params={{ id: task.lane.runId }}
      aria-label={label}
      data-task={task.id}
      data-task-state={task.state}
      className="cursor-pointer outline-offset-2 hover:underline"
    >
      {drawn}
    </Link>
  );
}

/** A box has room for this many letters. */
const mostLetters = 21;
const shortened = (text: string): string => (text.length > mostLetters ? `${text.slice(0, mostLetters - 1)}…` : text);
