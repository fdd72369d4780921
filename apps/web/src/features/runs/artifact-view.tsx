/** One artifact: its schema errors, if any, and its content. */
import type { ArtifactView as Artifact, RunDetail } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { readArtifact, type Value } from "../../model/runs/artifact-sections.ts";
import { size } from "../../model/runs/run-words.ts";
import { Button } from "../../parts/button.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";

export function ArtifactView({ run, artifact }: { run: RunDetail; artifact: Artifact }) {
  const { api } = useServices();
  const content = useQuery({
    // The hash identifies the content, so it is read once.
    queryKey: ["artifact", artifact.id, artifact.hash],
    queryFn: ({ signal }) => api.runs.artifact(run.id, artifact.id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [isRaw, setRaw] = useState(false);
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-sunken px-4 py-2 text-meta text-ink-soft">
        <span className="font-mono break-all" title={artifact.path}>
          {artifact.name}
        </span>
        <span className="font-mono">{artifact.schema}</span>
        <span className="tabular-nums">{size(artifact.bytes)}</span>
        <span className="tabular-nums">attempt {artifact.attempt}</span>
        {content.data !== undefined && (
          <span className="ml-auto flex gap-3">
            <button type="button" className="text-accent hover:underline" onClick={() => setRaw(!isRaw)}>
              {isRaw ? "Show formatted" : "Show raw"}
            </button>
            <button
              type="button"
              className="text-accent hover:underline"
              onClick={() => saveFile(artifact.name, content.data)}
            >
              Download
            </button>
          </span>
        )}
      </div>
      {!artifact.valid && (
        <div role="note" className="border-b border-line bg-bad-soft px-4 py-3">
          <p className="font-medium text-bad">Does not match {artifact.schema}</p>
          <ul className="mt-1 grid gap-1">
            {artifact.errors.map((error) => (
              <li key={`${error.path} ${error.message}`} className="break-words">
                <code className="font-mono text-meta">{error.path || "/"}</code> {error.message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {content.isPending && <SkeletonRows count={4} />}
      {content.isError && <FaultNote fault={content.error} onRetry={() => void content.refetch()} />}
      {content.data !== undefined && <Content text={content.data} isRaw={isRaw} />}
    </div>
  );
}

/** How much text is shown at first; a click shows the rest. */
const shownCharacters = 200_000;

function Content({ text, isRaw }: { text: string; isRaw: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, shownCharacters);
  const read = useMemo(() => readArtifact(text), [text]);
  if (isRaw || read.is === "plain" || shown.length < text.length) {
    return (
      <>
        <pre className="overflow-x-auto p-4 font-mono text-meta whitespace-pre-wrap break-words">{shown}</pre>
        {shown.length < text.length && (
          <div className="px-4 pb-4">
            <Button onClick={() => setWhole(true)}>Show the remaining {size(text.length - shown.length)}</Button>
          </div>
        )}
      </>
    );
  }
  return (
    <dl className="grid gap-4 px-4 py-4">
      {read.sections.map((section) => (
        <div key={section.name} className="min-w-0">
          <dt className="mb-1 text-meta text-ink-soft">{section.name}</dt>
          <dd className="min-w-0">
            <ValueView value={section.value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ValueView({ value }: { value: Value }) {
  // biome-ignore-start lint/suspicious/noArrayIndexKey: an artifact never changes, so positions identify its parts
  switch (value.is) {
    case "nothing":
      return <span className="text-ink-soft">none</span>;
    case "text":
      return <p className="max-w-[80ch] break-words whitespace-pre-line">{value.text}</p>;
    case "json":
      return <pre className="overflow-x-auto font-mono text-meta">{value.text}</pre>;
    case "list":
      return (
        <ul className="grid max-w-[80ch] list-disc gap-1 pl-5">
          {value.items.map((item, index) => (
            <li key={index} className="break-words">
              {item}
            </li>
          ))}
        </ul>
      );
    case "table":
      return (
        <div className="overflow-x-auto rounded-small border border-line">
          <table className="w-full border-collapse text-left">
            <thead className="bg-sunken text-meta text-ink-soft">
              <tr>
                {value.columns.map((column) => (
                  <th key={column} scope="col" className="px-3 py-1 font-normal whitespace-nowrap">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {value.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, at) => (
                    <td key={at} className="max-w-[60ch] px-3 py-1 align-top break-words">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
  // biome-ignore-end lint/suspicious/noArrayIndexKey: as above
}
