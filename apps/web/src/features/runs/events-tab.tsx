/** The run's event log, newest first, with the selected event's payload beside it. Only the rows in view are rendered. */
import type { RunDetail, RunEventView } from "@devflow/protocol";
import { Link, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { Facts, Mono } from "../../parts/facts.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { Windowed } from "../../parts/windowed.tsx";
import { useActorName } from "./actor-name.tsx";
import type { LiveRunView } from "./use-live-run.ts";

export function EventsTab({ run, live }: { run: RunDetail; live: LiveRunView }) {
  const { log, older, olderFault, readOlder } = live;
  const { event: wanted } = useSearch({ from: "/runs/$id" });
  const isUnread = older === "unread" && !olderFault;
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when the tab is opened
  useEffect(() => {
    if (isUnread) readOlder();
  }, [isUnread]);
  const { events } = log;
  if (olderFault) return <FaultNote fault={olderFault} onRetry={readOlder} />;
  if (older !== "read" && events.length === 0) return <SkeletonRows count={8} />;
  const chosen = wanted === undefined ? undefined : events.find((event) => event.seq === wanted);
  return (
    <div className={`grid min-w-0 ${chosen ? "broad:grid-cols-[minmax(0,1fr)_400px]" : ""}`}>
      {older === "reading" && (
        <p role="status" className="sr-only">
          Loading older events…
        </p>
      )}
      <Windowed
        label="Events"
        count={events.length}
        rowHeight={32}
        boxed
        render={(index) => {
          // Newest on top.
          const event = events[events.length - 1 - index]!;
          return <Row key={event.seq} run={run} event={event} isChosen={event.seq === wanted} />;
        }}
      />
      {chosen && (
        <aside
          aria-label={`Event ${chosen.seq}`}
          className="min-w-0 border-t border-line broad:border-t-0 broad:border-l"
        >
          <EventDetail event={chosen} />
        </aside>
      )}
    </div>
  );
}

function Row({ run, event, isChosen }: { run: RunDetail; event: RunEventView; isChosen: boolean }) {
  const nameOf = useActorName();
  const said = saidIn(run, event);
  return (
    <Link
      from="/runs/$id"
      to="/runs/$id"
      search={(now) => ({ ...now, event: isChosen ? undefined : event.seq })}
      replace
      resetScroll={false}
      data-row
      data-seq={event.seq}
      aria-current={isChosen ? "true" : undefined}
      className={`flex h-8 items-center gap-4 border-b border-line px-4 text-meta outline-offset-[-2px] hover:bg-hover ${isChosen ? "bg-accent-soft" : ""}`}
    >
      <span className="w-10 shrink-0 text-right text-ink-soft tabular-nums">{event.seq}</span>
      <span className={`w-44 shrink-0 truncate font-mono ${said === undefined ? "" : "max-wide:hidden"}`}>
        {event.type}
      </span>
      <span className="hidden w-24 shrink-0 truncate text-ink-soft wide:inline">{event.phase}</span>
      {said === undefined ? (
        <span className="hidden min-w-0 flex-1 truncate font-mono text-ink-soft wide:inline">
          {JSON.stringify(event.payload)}
        </span>
      ) : (
        <span className="min-w-0 flex-1 truncate">
          <span className="text-ink-soft">
            {nameOf(event.actor)} to {said.role}, {said.state}:
          </span>{" "}
          {said.text}
        </span>
      )}
      <span className="hidden w-24 shrink-0 truncate text-right text-ink-soft broad:inline">{nameOf(event.actor)}</span>
      <span className="ml-auto w-20 shrink-0 text-right text-ink-soft">
        <RelativeTime at={event.at} />
      </span>
    </Link>
  );
}

/** What a person said to an agent, and whether the agent has it by now. */
function saidIn({ messages }: RunDetail, { type, payload }: RunEventView) {
  if (type !== "message.said") return undefined;
  const message = messages.find(({ id }) => id === payload.message);
  return (
    message && { role: message.role, text: message.text, state: message.receivedAt ? "received" : "not received yet" }
  );
}

function EventDetail({ event }: { event: RunEventView }) {
  const nameOf = useActorName();
  return (
    <>
      <Facts
        rows={[
          ["Sequence", event.seq],
          ["Type", <Mono key="type">{event.type}</Mono>],
          ["Phase", event.phase ?? "none"],
          ["By", `${nameOf(event.actor)} via ${event.actor.via}`],
          ["Time", <Mono key="time">{event.at}</Mono>],
          ["Hash", <Mono key="hash">{event.hash}</Mono>],
        ]}
      />
      <pre className="overflow-x-auto border-t border-line p-4 font-mono text-meta whitespace-pre-wrap break-words">
        {JSON.stringify(event.payload, null, 2)}
      </pre>
    </>
  );
}
