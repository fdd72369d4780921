/**
 * The diff of the run's branch against its base: files, pictures and lines, inline or side by side, with people's comments on
 * lines. Long files are folded, and of long diffs only the lines in view are rendered.
 */
import type { CommentView, RunDetail } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { commentsByLine, lineKey, lineNow, targetAt } from "../../model/runs/comment-lines.ts";
import { type DiffLayout, type DiffRow, diffFiles, diffRows, foldedAtFirst } from "../../model/runs/diff-rows.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { Windowed, type WindowedHandle } from "../../parts/windowed.tsx";
import { CommentDialog } from "./comment-dialog.tsx";
import { CommentList } from "./comment-list.tsx";
import { DiffFileList } from "./diff-file-list.tsx";
import { DiffPictures } from "./diff-pictures.tsx";
import { DiffRowView } from "./diff-row.tsx";
import { useComments } from "./use-comments.ts";
import { useLineChoice } from "./use-line-choice.ts";

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
  const [layout, setLayout] = useState<DiffLayout>("inline");
  /** The files that the reader opened or folded, against what was so at first. */
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const files = useMemo(() => diffFiles(diff.data?.text ?? ""), [diff.data?.text]);
  const rows = useMemo(() => {
    const atFirst = foldedAtFirst(files);
    const folded = new Set(files.map(({ path }) => path).filter((path) => atFirst.has(path) !== toggled.has(path)));
    return diffRows(files, { layout, folded });
  }, [files, layout, toggled]);
  const list = useRef<WindowedHandle>(null);
  const { comments } = useComments(run.id);
  const commented = useMemo(() => commentsByLine(comments), [comments]);
  const choice = useLineChoice(rows, (index) => list.current?.revealRow(index));
  const showComment = (comment: CommentView) => {
    const line = lineNow(comment);
    const index = rows.findIndex((_, at) =>
      (["right", "left"] as const).some((half) => {
        const found = targetAt(rows, at, half);
        return found?.file === comment.file && found.side === comment.side && found.line === line;
      }),
    );
    if (index >= 0) list.current?.scrollToRow(index);
  };
  if (diff.isPending) return <SkeletonRows count={4} />;
  if (diff.isError) return <FaultNote fault={diff.error} onRetry={() => void diff.refetch()} />;
  const { files: changed, isCut, base } = diff.data;
  if (changed.length === 0) {
    return <EmptyNote title="No changes yet">The branch is the same as {base.slice(0, 12)}.</EmptyNote>;
  }
  const toggle = (path: string) =>
    setToggled((now) => {
      const next = new Set(now);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  return (
    <div className="min-w-0">
      <DiffFileList
        files={changed}
        compact={compact}
        onChoose={(path) => list.current?.scrollToRow(rows.findIndex((row) => row.is === "file" && row.path === path))}
      />
      {isCut && (
        <p className="flex flex-wrap items-center gap-2 border-b border-line bg-warn-soft px-4 py-1 text-meta">
          The diff is too long to show in full. <CopyCommand command={`devflow run diff ${run.id}`} quiet />
        </p>
      )}
      {!compact && <CommentList run={run} onShow={showComment} />}
      {!compact && <DiffPictures runId={run.id} files={changed} />}
      {!compact && <LayoutChoice layout={layout} onChoose={setLayout} />}
      <p className="px-4 py-1 text-meta text-ink-soft">
        {run.endedAt === null ? (
          <>
            <span className="wide:hidden">Tap a line to comment on it.</span>
            <span className="hidden wide:inline">
              Click a line to comment on it, with Shift up to it; or use the arrow keys and Enter.
            </span>
          </>
        ) : null}
      </p>
      <span role="status" className="sr-only">
        {choice.target &&
          !choice.isOpen &&
          `Line ${choice.target.endLine}: ${choice.target.text}. Enter comments on it.`}
      </span>
      <Windowed
        label="Changed lines"
        count={rows.length}
        rowHeight={20}
        handle={list}
        boxed={!compact}
        className="font-mono text-meta"
        on={choice.on}
        render={(index) => {
          const count = (half: "left" | "right") => {
            const found = targetAt(rows, index, half);
            return found ? (commented.get(lineKey(found))?.length ?? 0) : 0;
          };
          return (
            <DiffRowView
              key={index}
              index={index}
              row={rows[index] as DiffRow}
              comments={{ left: count("left"), right: count("right") }}
              isChosen={choice.rows !== undefined && index >= choice.rows.first && index <= choice.rows.last}
              onToggle={toggle}
            />
          );
        }}
      />
      {choice.isOpen && choice.target && (
        <CommentDialog
          run={run}
          target={choice.target}
          comments={commented.get(lineKey({ ...choice.target, line: choice.target.endLine })) ?? []}
          onClose={choice.close}
        />
      )}
    </div>
  );
}

/** Two columns do not fit on a phone. */
function LayoutChoice({ layout, onChoose }: { layout: DiffLayout; onChoose: (layout: DiffLayout) => void }) {
  const choices = { inline: "Inline", split: "Side by side" } as const;
  return (
    <fieldset className="hidden border-b border-line px-4 py-1 text-meta wide:flex wide:gap-4">
      <legend className="sr-only">How lines are shown</legend>
      {(Object.keys(choices) as DiffLayout[]).map((one) => (
        <label key={one} className="flex min-h-6 items-center gap-2">
          <input
            type="radio"
            name="diff-layout"
            checked={layout === one}
            onChange={() => onChoose(one)}
            className="accent-accent"
          />
          {choices[one]}
        </label>
      ))}
    </fieldset>
  );
}
