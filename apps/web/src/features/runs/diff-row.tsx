/** One row of a diff: a line can be chosen, and shows how many comments it has. */
import type { DiffRow } from "../../model/runs/diff-rows.ts";

type LineOf = Extract<DiffRow, { readonly old: number | undefined }>;

const lineStyles = {
  added: { sign: "+", background: "bg-good-soft", ink: "text-good" },
  removed: { sign: "−", background: "bg-bad-soft", ink: "text-bad" },
  same: { sign: " ", background: "", ink: "" },
} as const;

interface Props {
  readonly row: DiffRow;
  readonly index: number;
  /** How many comments each half has; an inline row is the right one. */
  readonly comments: { readonly left: number; readonly right: number };
  readonly isChosen: boolean;
  readonly onToggle: (path: string) => void;
}

export function DiffRowView({ row, index, comments, isChosen, onToggle }: Props) {
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
        <div
          className={`grid h-5 cursor-pointer grid-cols-2 leading-5 ${chosen(isChosen)}`}
          data-line="pair"
          data-line-row={index}
        >
          <Half half="left" line={row.left} number={row.left?.old} comments={comments.left} />
          <Half half="right" line={row.right} number={row.right?.new} comments={comments.right} />
        </div>
      );
    default:
      return <Inline line={row} index={index} comments={comments.right} isChosen={isChosen} />;
  }
}

/** Inside of the row, so that it keeps its height. */
const chosen = (isChosen: boolean): string => (isChosen ? "outline-2 -outline-offset-2 outline-accent" : "");

function Inline(props: { line: LineOf; index: number; comments: number; isChosen: boolean }) {
  const { line, index, comments, isChosen } = props;
  const { sign, background, ink } = lineStyles[line.is];
  return (
    <div
      className={`flex h-5 min-w-max cursor-pointer leading-5 whitespace-pre hover:bg-hover ${background} ${chosen(isChosen)}`}
      data-line={line.is}
      data-line-row={index}
    >
      <CommentMark count={comments} />
      <LineNumber of={line.old} />
      <LineNumber of={line.new} />
      <span className={`w-4 shrink-0 text-center font-semibold ${ink}`}>{sign}</span>
      <span className="pr-4">{line.text}</span>
    </div>
  );
}

/** A long line scrolls by itself, so that both halves keep their places. */
function Half(props: {
  half: "left" | "right";
  line: LineOf | undefined;
  number: number | undefined;
  comments: number;
}) {
  const { half, line, number, comments } = props;
  if (!line) return <div className="h-5 border-l border-line bg-sunken" />;
  const { sign, background, ink } = lineStyles[line.is];
  return (
    <div
      className={`flex h-5 min-w-0 border-l border-line whitespace-pre hover:bg-hover ${background}`}
      data-half={half}
    >
      <CommentMark count={comments} />
      <LineNumber of={number} />
      <span className={`w-4 shrink-0 text-center font-semibold ${ink}`}>{sign}</span>
      <span className="min-w-0 flex-1 overflow-x-auto overflow-y-hidden pr-2 [scrollbar-width:none]">{line.text}</span>
    </div>
  );
}

/** Its place is kept where there is none, so that lines do not move. */
function CommentMark({ count }: { count: number }) {
  if (count === 0) return <span className="w-4 shrink-0" />;
  const words = count === 1 ? "1 comment" : `${count} comments`;
  return (
    <span
      title={words}
      data-commented={count}
      className="w-4 shrink-0 rounded-r-small bg-accent text-center font-sans font-semibold text-on-accent select-none"
    >
      <span aria-hidden="true">{count > 9 ? "+" : count}</span>
      <span className="sr-only">{words} </span>
    </span>
  );
}

function LineNumber({ of: number }: { of: number | undefined }) {
  return (
    <span aria-hidden="true" className="w-8 shrink-0 pr-2 text-right text-ink-soft tabular-nums select-none wide:w-12">
      {number}
    </span>
  );
}
