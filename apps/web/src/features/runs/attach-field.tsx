/**
 * Files for a form: chosen, dropped or pasted.
 *
 * - `AttachField` the button and the list of what was attached.
 * - `AttachZone` an area that takes files which are dropped on it or pasted into it.
 */
import { type ReactNode, useId, useState } from "react";
import { size } from "../../model/runs/run-words.ts";
import type { Uploads } from "./use-uploads.ts";

export function AttachField({ uploads, label = "Attach files" }: { uploads: Uploads; label?: string }) {
  const id = useId();
  return (
    <div className="grid min-w-0 gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-meta">
        <label
          htmlFor={id}
          className="inline-flex min-h-8 cursor-pointer items-center rounded-small border border-line-strong bg-raised px-3 focus-within:outline-2 focus-within:outline-accent hover:bg-hover"
        >
          {label}
          <input
            id={id}
            type="file"
            multiple
            className="sr-only"
            onChange={(event) => {
              uploads.add([...(event.target.files ?? [])]);
              // The same file can be chosen again after it was removed.
              event.target.value = "";
            }}
          />
        </label>
        <span className="text-ink-soft">
          <span className="hidden wide:inline">or drop or paste them; </span>up to 10 MB each
        </span>
        {uploads.isSending && (
          <span role="status" className="text-ink-soft">
            Uploading…
          </span>
        )}
      </div>
      {uploads.fault && (
        <p role="alert" className="text-meta break-words text-bad">
          {uploads.fault}
        </p>
      )}
      {uploads.files.length > 0 && (
        <ul aria-label="Attached files" className="grid gap-1">
          {uploads.files.map((file) => (
            <li key={file.id} className="flex min-w-0 items-center gap-2 text-meta">
              <span className="min-w-0 truncate" title={file.name}>
                {file.name}
              </span>
              <span className="shrink-0 text-ink-soft">
                {size(file.bytes)}
                {file.isRedacted && ", secrets removed"}
              </span>
              <button
                type="button"
                onClick={() => uploads.remove(file.id)}
                className="min-h-6 shrink-0 px-1 text-bad hover:underline"
              >
                Remove<span className="sr-only"> {file.name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function AttachZone({ uploads, children }: { uploads: Uploads; children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping and pasting are in addition to the button
    <div
      data-attach-zone
      className={`min-w-0 rounded-small ${isOver ? "outline-2 outline-accent outline-dashed" : ""}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        uploads.add([...event.dataTransfer.files]);
      }}
      onPaste={(event) => {
        const files = [...event.clipboardData.files];
        if (files.length === 0) return;
        event.preventDefault();
        uploads.add(files);
      }}
    >
      {children}
    </div>
  );
}
