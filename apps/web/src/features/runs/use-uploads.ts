/** Files that a person attaches: each is stored by the server at once, and named by its id when the form is sent. */
import { type AttachmentView, mostAttachmentBytes, mostAttachments } from "@devflow/protocol";
import { useRef, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { useTeam } from "../../queries.ts";

export interface Uploads {
  readonly files: readonly AttachmentView[];
  readonly isSending: boolean;
  readonly fault: string | undefined;
  add(files: readonly File[]): void;
  remove(id: string): void;
  clear(): void;
}

export function useUploads(teamId?: string): Uploads {
  const { api } = useServices();
  const team = useTeam();
  const [files, setFiles] = useState<readonly AttachmentView[]>([]);
  const [sending, setSending] = useState(0);
  const [fault, setFault] = useState<string>();
  const count = useRef(0);
  return {
    files,
    isSending: sending > 0,
    fault,
    add(given) {
      setFault(undefined);
      for (const file of given) void send(file);
    },
    remove(id) {
      count.current -= 1;
      setFiles((now) => now.filter((one) => one.id !== id));
    },
    clear() {
      count.current = 0;
      setFiles([]);
      setFault(undefined);
    },
  };

  async function send(file: File) {
    if (file.size > mostAttachmentBytes) return setFault(`${file.name} is larger than 10 MB.`);
    if (count.current >= mostAttachments) return setFault(`At most ${mostAttachments} files can be attached.`);
    count.current += 1;
    setSending((now) => now + 1);
    try {
      const stored = await api.runs.upload(file.name || "pasted.png", file, teamId ?? team?.id);
      setFiles((now) => [...now, stored]);
    } catch (cause) {
      count.current -= 1;
      setFault(cause instanceof Error ? cause.message : String(cause));
    } finally {
      setSending((now) => now - 1);
    }
  }
}
