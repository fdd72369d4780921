/**
 * A person talks to an agent that is at work: the box, and what was said before with whether the agent has it. Comments on
 * lines and files can go along.
 */
import type { MessageView, RunDetail, SessionView } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { isMac, Keys } from "../../parts/kbd.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { useActorName } from "./actor-name.tsx";
import { AttachField, AttachZone } from "./attach-field.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import { Refusal } from "./gate-decision.tsx";
import { useAction } from "./use-action.ts";
import { useComments } from "./use-comments.ts";
import { useUploads } from "./use-uploads.ts";

export function TalkPanel({ run }: { run: RunDetail }) {
  const listeners = listenersOf(run);
  if (listeners.length === 0 && run.messages.length === 0) return null;
  return (
    <section aria-label="Talk" className="min-w-0 rounded-panel border border-line bg-raised">
      {run.messages.length > 0 && (
        <ol aria-label="Messages" className="grid max-h-80 divide-y divide-line overflow-y-auto">
          {run.messages.map((message) => (
            <li key={message.id} className="min-w-0 px-4 py-2">
              <Message run={run} message={message} />
            </li>
          ))}
        </ol>
      )}
      {listeners.length > 0 && (
        <div className={run.messages.length > 0 ? "border-t border-line" : ""}>
          <SayBox run={run} listeners={listeners} />
        </div>
      )}
    </section>
  );
}

/** Those at work, or else those that wait for their next turn. */
function listenersOf({ sessions, endedAt }: RunDetail): SessionView[] {
  if (endedAt !== null) return [];
  const living = sessions.filter(({ state }) => !["BOOTSTRAPPING", "DISPOSED", "FAILED_NEEDS_HUMAN"].includes(state));
  const busy = living.filter(({ state }) => state === "BUSY" || state === "WAITING_FOR_APPROVAL");
  return busy.length > 0 ? busy : living;
}

function Message({ run, message }: { run: RunDetail; message: MessageView }) {
  const nameOf = useActorName();
  const files = run.attachments.filter((file) => file.messageId === message.id);
  return (
    <article data-message={message.id}>
      <header className="flex flex-wrap gap-x-2 text-meta text-ink-soft">
        <span>
          <span className="font-medium text-ink">{nameOf(message.by)}</span> to {message.role},{" "}
          <RelativeTime at={message.at} />
        </span>
        <Receipt message={message} />
      </header>
      <p className="break-words whitespace-pre-line">{message.text}</p>
      <AttachmentList runId={run.id} files={files} />
    </article>
  );
}

function Receipt({ message: { receivedAt, deliveredAt } }: { message: MessageView }) {
  if (receivedAt) return <span className="text-good">received</span>;
  return <span className="text-warn">{deliveredAt ? "passed on, not read yet" : "waiting"}</span>;
}

function SayBox({ run, listeners }: { run: RunDetail; listeners: readonly SessionView[] }) {
  const { api } = useServices();
  const { drafts, refresh } = useComments(run.id);
  const uploads = useUploads(run.teamId);
  const [text, setText] = useState("");
  const [chosen, setRole] = useState("");
  const role = listeners.some((one) => one.role === chosen) ? chosen : listeners[0]!.role;
  const act = useAction(async (input: { words: string; isWithComments: boolean }, clientToken) => {
    const comments = drafts.map(({ id, revision }) => ({ id, revision }));
    const attachments = uploads.files.map(({ id }) => id);
    await api.runs.say(run.id, {
      text: input.words,
      role,
      clientToken,
      ...(input.isWithComments ? { comments } : {}),
      ...(attachments.length > 0 ? { attachments } : {}),
    });
  });
  async function say(isWithComments: boolean, event?: { preventDefault(): void }) {
    event?.preventDefault();
    const words = text.trim();
    if ((words === "" && !isWithComments) || uploads.isSending) return;
    if (!(await act.send({ words, isWithComments }))) return;
    setText("");
    uploads.clear();
    await refresh();
  }
  // At a gate they belong to the verdict.
  const mayTakeComments = drafts.length > 0 && run.pendingApprovals === 0;
  return (
    <AttachZone uploads={uploads}>
      <form aria-label="Say" onSubmit={(event) => void say(false, event)} className="grid gap-2 p-4">
        <label className="grid gap-1">
          <span className="text-meta text-ink-soft">
            {listeners.length > 1 ? "Say something to an agent" : `Say something to ${role}`}: it gets it during its
            turn, or before its next one
          </span>
          <textarea
            rows={2}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void say(false, event);
              else if (event.key === "Escape") event.currentTarget.blur();
            }}
            className="w-full rounded-small border border-line-strong bg-canvas p-2"
          />
        </label>
        <AttachField uploads={uploads} />
        {act.fault && <Refusal fault={act.fault} />}
        <div className="flex flex-wrap items-center gap-2">
          {listeners.length > 1 && (
            <label className="flex items-center gap-2 text-meta">
              To
              <select
                value={role}
                onChange={(event) => setRole(event.target.value)}
                className="h-8 rounded-small border border-line-strong bg-canvas px-2"
              >
                {listeners.map((one) => (
                  <option key={one.id}>{one.role}</option>
                ))}
              </select>
            </label>
          )}
          <span className="mr-auto hidden text-meta text-ink-soft wide:inline">
            <Keys keys={[isMac ? "⌘" : "Ctrl", "Enter"]} /> sends it
          </span>
          {mayTakeComments && (
            <Button disabled={act.isSending || uploads.isSending} onClick={() => void say(true)}>
              Send {drafts.length === 1 ? "1 comment" : `${drafts.length} comments`} on lines
            </Button>
          )}
          <Button
            type="submit"
            variant="strong"
            disabled={act.isSending || uploads.isSending || text.trim() === ""}
            className="max-wide:flex-1"
          >
            {act.isSending ? "Sending…" : "Say"}
          </Button>
        </div>
      </form>
    </AttachZone>
  );
}
