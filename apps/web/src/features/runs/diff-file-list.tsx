/** The files of a diff: what happened to each, and how many lines. Choosing one leads to its lines. */
import type { RunDiff } from "@devflow/protocol";

type ChangedFile = RunDiff["files"][number];

export function DiffFileList(props: {
  files: readonly ChangedFile[];
  compact: boolean;
  onChoose: (path: string) => void;
}) {
  return (
    <ul
      className={`grid border-b border-line py-1 ${props.compact ? "max-h-32 overflow-y-auto" : "max-h-60 overflow-y-auto"}`}
    >
      {props.files.map((file) => (
        <li key={file.path}>
          <button
            type="button"
            onClick={() => props.onChoose(file.path)}
            className="flex min-h-6 w-full items-center gap-3 px-4 text-left font-mono text-meta outline-offset-[-2px] hover:bg-hover"
          >
            <span className="min-w-0 flex-1 break-all">
              {file.from !== null && <span className="text-ink-soft">{file.from} → </span>}
              {file.path}
            </span>
            <span className="shrink-0 text-ink-soft">{wordsOf(file)}</span>
            {!file.isBinary && (
              <span className="shrink-0 tabular-nums">
                <span className="text-good">+{file.insertions ?? 0}</span>{" "}
                <span className="text-bad">−{file.deletions ?? 0}</span>
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

function wordsOf({ change, isBinary, isShown }: ChangedFile): string {
  const what = change === "modified" ? [] : [change === "untracked" ? "not committed" : change];
  return [...what, ...(isBinary ? ["binary"] : []), ...(isShown ? [] : ["too long to show"])].join(", ");
}
