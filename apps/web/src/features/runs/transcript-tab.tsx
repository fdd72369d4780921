/** The live transcript of an agent. Scrolls with the output unless the reader has scrolled up. */
import type { RunDetail } from "@devflow/protocol";
import { Link, useSearch } from "@tanstack/react-router";
import { memo, useLayoutEffect, useRef, useState } from "react";
import { sessionWord, size } from "../../model/runs/run-words.ts";
import type { TranscriptBlock } from "../../model/runs/transcript-blocks.ts";
import { Button } from "../../parts/button.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useTranscript } from "./use-transcript.ts";

export function TranscriptTab({ run, version }: { run: RunDetail; version: number }) {
  const { session: wanted } = useSearch({ from: "/runs/$id" });
  const session = run.sessions.find((each) => each.id === wanted) ?? busiest(run);
  if (!session) {
    return <EmptyNote title="No sessions yet">Agents start when a phase needs them.</EmptyNote>;
  }
  return (
    <div className="grid min-w-0 broad:grid-cols-[220px_minmax(0,1fr)]">
      <nav
        aria-label="Sessions"
        className="flex min-w-0 overflow-x-auto border-line max-broad:border-b broad:flex-col broad:border-r"
      >
        {run.sessions.map((each) => (
          <Link
            key={each.id}
            from="/runs/$id"
            to="/runs/$id"
            search={(now) => ({ ...now, session: each.id })}
            replace
            resetScroll={false}
            aria-current={each.id === session.id ? "true" : undefined}
            className={`grid shrink-0 px-4 py-2 outline-offset-[-2px] hover:bg-hover ${each.id === session.id ? "bg-hover" : ""}`}
          >
            <span className="font-medium">{each.role}</span>
            <span className="flex items-center justify-between gap-3 text-meta text-ink-soft">
              <StateWord {...sessionWord(each.state)} />
              <span className="tabular-nums">{size(each.transcriptSeq)}</span>
            </span>
          </Link>
        ))}
      </nav>
      <Screen key={session.id} sessionId={session.id} role={session.role} version={version} />
    </div>
  );
}

function Screen({ sessionId, role, version }: { sessionId: string; role: string; version: number }) {
  const { blocks, isRead, isReadingOlder, fault, retry } = useTranscript(sessionId, version);
  const box = useRef<HTMLElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const last = blocks.at(-1)?.text.length;

  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when there is more text
  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isFollowing, blocks.length, last]);

  return (
    <div className="relative min-w-0">
      {fault && <FaultNote fault={fault} onRetry={retry} />}
      {!isRead && !fault && blocks.length === 0 && <SkeletonRows count={6} />}
      {isRead && blocks.length === 0 && <EmptyNote title="No output yet" />}
      {blocks.length > 0 && (
        <section
          ref={box}
          aria-label={`Transcript of ${role}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
          tabIndex={0}
          onScroll={(event) => {
            const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
            setFollowing(scrollHeight - scrollTop - clientHeight < 24);
          }}
          className="max-h-[68dvh] min-h-80 overflow-y-auto py-3 font-mono text-meta outline-offset-[-2px]"
        >
          {isReadingOlder && <p className="px-4 pb-2 text-ink-soft">Loading earlier output…</p>}
          {blocks.map((block, index) => (
            <Block key={block.id} block={block} isFull={index < blocks.length - 1} />
          ))}
        </section>
      )}
      {!isFollowing && (
        <div className="absolute right-4 bottom-4">
          <Button onClick={() => setFollowing(true)}>Follow output</Button>
        </div>
      )}
    </div>
  );
}

/** A full block never changes, so it is rendered once; the browser skips its layout while it is out of view. */
const Block = memo(function Block({ block, isFull }: { block: TranscriptBlock; isFull: boolean }) {
  return <pre className={`px-4 whitespace-pre-wrap break-words ${isFull ? "lazy-block" : ""}`}>{block.text}</pre>;
});

/** A busy session, otherwise the newest one. */
function busiest(run: RunDetail): RunDetail["sessions"][number] | undefined {
  return run.sessions.find((session) => session.state === "BUSY") ?? run.sessions.at(-1);
}
