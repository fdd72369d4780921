/** The diff of the run's branch against its base: files and lines. Of long diffs only the lines in view are rendered. */
import type { RunDetail } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { useServices } from "../../app-context.tsx";
import { type DiffLine, diffLines } from "../../model/runs/diff-lines.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { Windowed, type WindowedHandle } from "../../parts/windowed.tsx";

export function RunDiffView({ run, compact = false }: { run: RunDetail; compact?: boolean }) {
  const { api } = useServices();
  const commits = run.phases.map((phase) => `${phase.state}${phase.attempts}`).join();
  const diff = useQuery({
    // Agents also write between events, so it is read again when a phase changes and when the tab is opened.
    queryKey: ["diff", run.id, commits],
    queryFn: ({ signal }) => api.runs.diff(run.id, signal),
    placeholderData: (before) => before,
    staleTime: 2_000,
  });
  const lines = useMemo(() => diffLines(diff.data?.text ?? ""), [diff.data?.text]);
  const list = useRef<WindowedHandle>(null);
  if (diff.isPending) return <SkeletonRows count={4} />;
  if (diff.isError) return <FaultNote fault={diff.error} onRetry={() => void diff.refetch()} />;
  const { files, isCut, base } = diff.data;
  if (files.length === 0) {
    return <EmptyNote title="No changes yet">The branch is the same as {base.slice(0, 12)}.</EmptyNote>;
  }
  return (
    <div className="min-w-0">
      <ul
        className={`grid border-b border-line py-1 ${compact ? "max-h-32 overflow-y-auto" : "max-h-60 overflow-y-auto"}`}
      >
        {files.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              onClick={() =>
                list.current?.scrollToRow(lines.findIndex((line) => line.is === "file" && line.path === file.path))
              }
              className="flex min-h-6 w-full items-center gap-3 px-4 text-left font-mono text-meta outline-offset-[-2px] hover:bg-hover"
            >
              <span className="min-w-0 flex-1 break-all">{file.path}</span>
              {file.isBinary ? (
                <span className="text-ink-soft">binary</span>
              ) : (
                <span className="tabular-nums">
                  <span className="text-good">+{file.insertions ?? 0}</span>{" "}
                  <span className="text-bad">−{file.deletions ?? 0}</span>
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {isCut && (
        <p className="flex flex-wrap items-center gap-2 border-b border-line bg-warn-soft px-4 py-1 text-meta">
          The diff is too long to show in full. <CopyCommand command={`devflow run diff ${run.id}`} quiet />
        </p>
      )}
      <Windowed
        label="Changed lines"
        count={lines.length}
        rowHeight={20}
        handle={list}
        boxed={!compact}
        className="font-mono text-meta"
        render={(index) => <Line key={index} line={lines[index]!} />}
      />
    </div>
  );
}

const lineStyles = {
  added: { sign: "+", background: "bg-good-soft", ink: "text-good" },
  removed: { sign: "−", background: "bg-bad-soft", ink: "text-bad" },
  same: { sign: " ", background: "", ink: "" },
} as const;

function Line({ line }: { line: DiffLine }) {
  switch (line.is) {
    case "file":
      return (
        <div className="h-5 min-w-max bg-sunken px-4 leading-5 font-semibold whitespace-pre" data-file>
          {line.path}
        </div>
      );
    case "hunk":
    case "note":
      return <div className="h-5 min-w-max px-4 leading-5 whitespace-pre text-ink-soft">{line.text}</div>;
    default: {
      const { sign, background, ink } = lineStyles[line.is];
      return (
        <div className={`flex h-5 min-w-max leading-5 whitespace-pre ${background}`} data-line={line.is}>
          <span aria-hidden="true" className="w-12 shrink-0 pr-2 text-right text-ink-soft tabular-nums select-none">
            {line.old}
          </span>
          <span aria-hidden="true" className="w-12 shrink-0 pr-2 text-right text-ink-soft tabular-nums select-none">
            {line.new}
          </span>
          <span className={`w-4 shrink-0 text-center font-semibold ${ink}`}>{sign}</span>
          <span className="pr-4">{line.text}</span>
        </div>
      );
    }
  }
}
