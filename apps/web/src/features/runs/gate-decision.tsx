/**
 * The verdicts on a gate. Approving is one click; a key, rejecting and aborting ask for confirmation; changes need a comment.
 * A gate that opened because something went wrong offers to try again or to give up.
 */
import type { ApprovalView, CommentView, RunDetail } from "@devflow/protocol";
import { type FormEvent, useRef, useState } from "react";
import { ApiFault } from "../../model/api-fault.ts";
import { placeName } from "../../model/runs/comment-lines.ts";
import type { ShownComment, Verdict } from "../../model/runs/run-api.ts";
import { gateQuestion, wordsOf } from "../../model/runs/run-words.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { isMac, Keys } from "../../parts/kbd.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { useActorName } from "./actor-name.tsx";
import type { Action } from "./use-action.ts";
import { useComments } from "./use-comments.ts";

export interface Decision {
  readonly verdict: Verdict;
  readonly comment: string;
  /** At a gate that offers several things. */
  readonly choice: string | undefined;
  /** Drafts on lines, as they were shown. */
  readonly comments: readonly ShownComment[];
  /** Of the gate as it was shown. */
  readonly epoch: number;
}

export function GateDecision(props: { run: RunDetail; approval: ApprovalView; act: Action<Decision> }) {
  const { run, approval, act } = props;
  const phase = run.phases.find((each) => each.key === approval.phase);
  const [comment, setComment] = useState("");
  const [asking, setAsking] = useState<Asking>();
  const [isWanting, setWanting] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const choice = chosen ?? approval.choices[0]?.id;
  const field = useRef<HTMLTextAreaElement>(null);
  // A gate that opens again after a pause can be decided again; the draft comment is kept.
  const [answer, setAnswer] = useState<{ readonly verdict: Verdict; readonly epoch: number }>();
  const sent = answer?.epoch === approval.epoch ? answer.verdict : undefined;
  const isPaused = run.state === "paused" && approval.kind === "gate";
  const isBusy = act.isSending || sent !== undefined;
  const isRecovery = approval.kind === "recovery";
  const words = wordsOf(approval, run);
  const { drafts } = useComments(run.id);
  const hasWords = comment.trim() !== "" || drafts.length > 0;

  async function decide(verdict: Verdict) {
    setWanting(false);
    const { epoch } = approval;
    const comments = verdict === "request_changes" ? drafts.map(({ id, revision }) => ({ id, revision })) : [];
    const what = verdict === "approve" ? choice : undefined;
    if (await act.send({ verdict, comment: comment.trim(), choice: what, comments, epoch }))
      setAnswer({ verdict, epoch });
  }
  function requestChanges() {
    if (hasWords) return void decide("request_changes");
    setWanting(true);
    field.current?.focus();
  }

  return (
    <form
      aria-label="Decision"
      className="grid gap-3"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        requestChanges();
      }}
    >
      {approval.choices.length > 0 && (
        <fieldset className="grid gap-1" data-choices>
          <legend className="mb-1 text-meta text-ink-soft">What “{words.approve.act}” does</legend>
          {approval.choices.map(({ id, label }) => (
            <label key={id} className="flex items-baseline gap-2">
              <input
                type="radio"
                name={`choice-${approval.id}`}
                value={id}
                checked={choice === id}
                onChange={() => setChosen(id)}
              />
              <span className="min-w-0">{label}</span>
            </label>
          ))}
        </fieldset>
      )}
      <DraftsToSend drafts={drafts} act={words.request_changes.act} />
      <label className="grid gap-1">
        <span className="text-meta text-ink-soft">
          Comment: kept with your decision; “{words.request_changes.act}” sends it to the agent
        </span>
        <textarea
          ref={field}
          rows={4}
          value={comment}
          aria-invalid={isWanting}
          aria-describedby={isWanting ? `want-${approval.id}` : undefined}
          onChange={(event) => {
            setComment(event.target.value);
            setWanting(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
              event.preventDefault();
              requestChanges();
            } else if (event.key === "Escape") event.currentTarget.blur();
          }}
          className="min-h-20 w-full rounded-small border border-line-strong bg-canvas p-2 placeholder:text-ink-soft"
        />
      </label>
      {isWanting && (
        <p id={`want-${approval.id}`} role="alert" className="text-meta text-bad">
          Describe what should change, then press <Keys keys={[isMac ? "⌘" : "Ctrl", "Enter"]} /> or click{" "}
          {words.request_changes.act}.
        </p>
      )}
      <div className="grid grid-cols-2 gap-2">
        <Button
          variant="strong"
          shortcut="a"
          className="col-span-2"
          disabled={isBusy || isPaused}
          onClick={(event) => (isByKey(event) ? setAsking("approve") : void decide("approve"))}
        >
          {words.approve.act}
        </Button>
        <Button
          shortcut="c"
          className="col-span-2"
          disabled={isBusy || isPaused}
          onClick={(event) => (isByKey(event) && hasWords ? setAsking("request_changes") : requestChanges())}
        >
          {words.request_changes.act}
          {drafts.length > 0 && <span className="max-broad:hidden tabular-nums">({drafts.length})</span>}
        </Button>
        <Button
          shortcut="r"
          variant="danger"
          className={isRecovery ? "col-span-2" : ""}
          disabled={isBusy || isPaused}
          onClick={() => setAsking("reject")}
        >
          {words.reject.act}
        </Button>
        {!isRecovery && (
          <Button variant="danger" disabled={isBusy} onClick={() => setAsking("abort")}>
            {words.abort.act}
          </Button>
        )}
      </div>
      <div role="status" className="min-h-4 text-meta text-ink-soft">
        {act.isSending && "Sending…"}
        {!act.isSending && sent !== undefined && `${words[sent].done}. Updating the run…`}
        {isPaused && "The run is paused. Resume it to decide, or abort it."}
      </div>
      {act.fault && <Refusal fault={act.fault} />}
      {asking && (
        <Confirm
          title={confirmTitle(asking, gateQuestion(approval, phase?.title), isRecovery)}
          act={words[asking].act}
          isHarmless={asking === "approve" || asking === "request_changes"}
          onNo={() => setAsking(undefined)}
          onYes={() => {
            setAsking(undefined);
            void decide(asking);
          }}
        >
          {confirmText(asking, isRecovery)}
          {drafts.length > 0 && (
            <p className="mt-2">
              {asking === "request_changes" ? "They go with it: " : "They are not sent: "}
              {drafts.length === 1 ? "1 comment on lines." : `${drafts.length} comments on lines.`}
            </p>
          )}
        </Confirm>
      )}
    </form>
  );
}

/** Each with its place and its beginning; the diff has them whole. */
function DraftsToSend({ drafts, act }: { drafts: readonly CommentView[]; act: string }) {
  const nameOf = useActorName();
  if (drafts.length === 0) return null;
  return (
    <section aria-label="Comments to send" className="rounded-small border border-line px-3 py-2 max-broad:py-1">
      <p className="text-meta font-medium">
        “{act}” sends {drafts.length === 1 ? "1 comment" : `${drafts.length} comments`} on lines
      </p>
      {/* On a phone the verdicts must leave room for the evidence, and the diff has the comments. */}
      <ul className="mt-1 grid max-h-32 gap-1 overflow-y-auto text-meta max-broad:hidden">
        {drafts.map((draft) => (
          <li key={draft.id} className="min-w-0 truncate" title={draft.text}>
            <span className="font-mono">{placeName(draft)}</span>{" "}
            <span className="text-ink-soft">{nameOf(draft.author)}:</span> {draft.text}
          </li>
        ))}
      </ul>
    </section>
  );
}

type Asking = Verdict;

/** A key clicks without a pointer. One key must not decide anything by itself. */
const isByKey = ({ detail }: { readonly detail: number }): boolean => detail === 0;

function confirmTitle(asking: Asking, question: string, isRecovery: boolean): string {
  if (asking === "approve") return isRecovery ? "Try again?" : `Approve: ${question}`;
  if (asking === "request_changes") return isRecovery ? "Try again with your comment?" : `Request changes: ${question}`;
  if (asking === "abort") return "Abort the run?";
  return isRecovery ? "Give up and fail the run?" : "Reject and fail the run?";
}

function confirmText(asking: Asking, isRecovery: boolean): string {
  if (asking === "approve")
    return isRecovery ? "The phase starts again." : "The run continues with what this gate shows.";
  if (asking === "request_changes") return "Your comment goes to the agent, and the work is done again.";
  if (asking === "abort") return "The agents stop. An aborted run cannot be resumed; its branch and worktree are kept.";
  if (isRecovery) return "The run ends as failed; its branch and worktree are kept.";
  return "The run ends as failed. To ask for a different result, request changes instead.";
}

export function Refusal({ fault }: { fault: Error }) {
  const hasMoved = fault instanceof ApiFault && fault.code === "gate_moved";
  const isLate = hasMoved || (fault instanceof ApiFault && fault.code === "approval_decided");
  const isLost = fault instanceof ApiFault && fault.kind === "unreachable";
  return (
    <div role="alert" className={`rounded-small px-3 py-2 break-words ${isLate ? "bg-warn-soft" : "bg-bad-soft"}`}>
      <p className={`font-medium ${isLate ? "text-warn" : "text-bad"}`}>
        {hasMoved ? "Not approved." : isLate ? "Someone else decided first." : isLost ? "Not sent." : "Refused."}
      </p>
      <p>{fault.message}</p>
      {isLost && <p className="text-ink-soft">Try again; it counts only once.</p>}
    </div>
  );
}

/** The decision: what, by whom and when. */
export function GateDecided({ approval }: { approval: ApprovalView }) {
  const nameOf = useActorName();
  const { decision } = approval;
  return (
    <span role="status" className="text-ink-soft">
      {decision ? (
        <>
          <span className="font-medium text-ink">
            {wordsOf(approval)[decision.verdict].done} by {nameOf(decision.actor)}
          </span>{" "}
          via {decision.actor.via}, <RelativeTime at={decision.decidedAt} />
        </>
      ) : (
        "Closed without a decision"
      )}
    </span>
  );
}
