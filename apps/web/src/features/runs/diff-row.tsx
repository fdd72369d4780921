/** One row of a diff. */
import type { DiffRow } from "../../model/runs/diff-rows.ts";

type LineOf = Extract<DiffRow, { readonly old: number | undefined }>;

const lineStyles = {
  added: { sign: "+", background: "bg-good-soft", ink: "text-good" },
  removed: { sign: "−", background: "bg-bad-soft", ink: "text-bad" },
  same: { sign: " ", background: "", ink: "" },
} as const;

export function DiffRowView({ row, onToggle }: { row: DiffRow; onToggle: (path: string) => void }) {
  switch (row.is) {
    case "file":
      return (
        <button
          type="button"
          aria-expanded={!row.isFolded}
          onClick={() => onToggle(row.path)}
          className="flex h-5 w-full min-w-max items-center gap-2 bg-sunken px-4 text-left leading-5 font-semibold whitespace-pre outline-offset-[-2px] hover:bg-hover"
          data-file
        >
          <span aria-hidden="true" className="text-ink-soft">
            {row.isFolded ? "▸" : "▾"}
          </span>
          {row.path}
          {row.isFolded && <span className="font-normal text-ink-soft">{row.changed} changed lines, folded</span>}
        </button>
      );
    case "hunk":
    case "note":
      return <div className="h-5 min-w-max px-4 leading-5 whitespace-pre text-ink-soft">{row.text}</div>;
    case "pair":
      return (
        <div className="grid h-5 grid-cols-2 leading-5" data-line="pair">
          <Half line={row.left} number={row.left?.old} />
          <Half line={row.right} number={row.right?.new} />
        </div>
      );
    default:
      return <Inline line={row} />;
  }
}

function Inline({ line }: { line: LineOf }) {
  const { sign, background, ink } = lineStyles[line.is];
  return (
    <div className={`flex h-5 min-w-max leading-5 whitespace-pre ${background}`} data-line={line.is}>
      <LineNumber of={line.old} />
      <LineNumber of={line.new} />
      <span className={`w-4 shrink-0 text-center font-semibold ${ink}`}>{sign}</span>
      <span className="pr-4">{line.text}</span>
    </div>
  );
}

/** A long line scrolls by itself, so that both halves keep their places. */
function Half({ line, number }: { line: LineOf | undefined; number: number | undefined }) {
  if (!line) return <div className="h-5 border-l border-line bg-sunken" />;
  const { sign, background, ink } = lineStyles[line.is];
  return (
    <div className={`flex h-5 min-w-0 border-l border-line whitespace-pre ${background}`}>
      <LineNumber of={number} />
      <span className={`w-4 shrink-0 text-center font-semibold ${ink}`}>{sign}</span>
      <span className="min-w-0 flex-1 overflow-x-auto overflow-y-hidden pr-2 [scrollbar-width:none]">{line.text}</span>
    </div>
  );
}

function LineNumber({ of: number }: { of: number | undefined }) {
  return (
    <span aria-hidden="true" className="w-12 shrink-0 pr-2 text-right text-ink-soft tabular-nums select-none">
      {number}
    </span>
  );
}
