/** The pictures that a run changed, before and after. They are read when the reader asks for them. */
import type { RunDiff } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";

type ChangedFile = RunDiff["files"][number];

const pictureName = /\.(png|jpe?g|gif|webp)$/i;
const most = 20;

export function DiffPictures({ runId, files }: { runId: string; files: readonly ChangedFile[] }) {
  const [isOpen, setOpen] = useState(false);
  const pictures = files.filter(({ path, isBinary }) => isBinary && pictureName.test(path)).slice(0, most);
  if (pictures.length === 0) return null;
  return (
    <section aria-label="Pictures" className="border-b border-line px-4 py-2">
      {isOpen ? (
        <ul className="grid gap-4">
          {pictures.map((file) => (
            <li key={file.path} className="grid gap-1">
              <span className="font-mono text-meta break-all">{file.path}</span>
              <div className="flex flex-wrap gap-4">
                {file.change !== "added" && file.change !== "untracked" && (
                  <Picture runId={runId} path={file.path} side="before" />
                )}
                {file.change !== "deleted" && <Picture runId={runId} path={file.path} side="after" />}
              </div>
            </li>
          ))}
        </ul>
      ) : (
        <Button onClick={() => setOpen(true)}>
          Show {pictures.length === 1 ? "1 picture" : `${pictures.length} pictures`}
        </Button>
      )}
    </section>
  );
}

function Picture({ runId, path, side }: { runId: string; path: string; side: "before" | "after" }) {
  const { api } = useServices();
  const picture = useQuery({
    queryKey: ["diff", runId, "picture", path, side],
    queryFn: ({ signal }) => api.runs.picture(runId, path, side, signal),
    retry: false,
  });
  const word = side === "before" ? "Before" : "After";
  return (
    <figure className="grid gap-1">
      <figcaption className="text-meta text-ink-soft">{word}</figcaption>
      {picture.isError ? (
        <p className="text-meta text-ink-soft">It cannot be shown.</p>
      ) : (
        picture.data && (
          <img
            src={picture.data}
            alt={`${path}, ${side}`}
            className="max-h-80 max-w-full border border-line bg-sunken"
          />
        )
      )}
    </figure>
  );
}
