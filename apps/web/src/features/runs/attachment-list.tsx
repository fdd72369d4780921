/** Files that people gave to a run: pictures as pictures, anything else as a download. */
import type { AttachmentView } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { size } from "../../model/runs/run-words.ts";
import { saveFile } from "../../parts/save-file.ts";

export function AttachmentList({ runId, files }: { runId: string; files: readonly AttachmentView[] }) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Attachments" className="mt-2 flex flex-wrap gap-3">
      {files.map((file) => (
        <li key={file.id} className="min-w-0 max-w-full" data-attachment={file.id}>
          {file.mediaType.startsWith("image/") && !file.isRemoved && <Picture runId={runId} file={file} />}
          <FileName runId={runId} file={file} />
        </li>
      ))}
    </ul>
  );
}

function Picture({ runId, file }: { runId: string; file: AttachmentView }) {
  const { api } = useServices();
  const picture = useQuery({
    queryKey: ["attachment", file.id],
    queryFn: ({ signal }) => api.runs.attachmentPicture(runId, file.id, signal),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!picture.data) return null;
  return (
    <img
      src={picture.data}
      alt={file.name}
      className="max-h-60 max-w-full rounded-small border border-line bg-sunken"
    />
  );
}

function FileName({ runId, file }: { runId: string; file: AttachmentView }) {
  const { api } = useServices();
  const [fault, setFault] = useState<string>();
  const about = `${size(file.bytes)}${file.isRemoved ? ", removed" : ""}${file.isRedacted ? ", secrets removed" : ""}`;
  if (file.isRemoved) {
    return (
      <span className="text-meta text-ink-soft">
        {file.name} {about}
      </span>
    );
  }
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-meta">
      <button
        type="button"
        className="min-h-6 max-w-full truncate text-accent underline underline-offset-2"
        onClick={() => {
          setFault(undefined);
          api.runs.attachmentFile(runId, file.id).then(
            (bytes) => saveFile(file.name, bytes),
            (cause: Error) => setFault(cause.message),
          );
        }}
      >
        {file.name}
      </button>
      <span className="shrink-0 text-ink-soft">{about}</span>
      {fault && (
        <span role="alert" className="text-bad">
          {fault}
        </span>
      )}
    </span>
  );
}
