/** Sessions with their tabs. Selecting a tab only shows it here; the browser is not affected. */
import type { BrowseSessionView } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { type ShownTab, tabName } from "../../model/browse/browse-words.ts";
import { EmptyNote } from "../../parts/states.tsx";

export function SessionList(props: {
  workspace: string;
  sessions: readonly BrowseSessionView[];
  shown: ShownTab | undefined;
}) {
  if (props.sessions.length === 0) {
    return <EmptyNote title="No open sessions" command="devflow browse goto http://localhost:3000" />;
  }
  return (
    <ul className="max-h-96 divide-y divide-line overflow-y-auto">
      {props.sessions.map((session) => (
        <li key={session.name} data-session={session.name}>
          <div className="flex flex-wrap items-center justify-between gap-x-4 px-4 pt-2 pb-1">
            <span className="min-w-0 font-medium break-all">{session.name}</span>
            <span className="text-meta text-ink-soft">
              {session.running.length > 0 ? (
                <span className="text-accent">running: {session.running.map(({ command }) => command).join(", ")}</span>
              ) : (
                session.lease
              )}
            </span>
          </div>
          {session.tabs.length === 0 && <p className="px-4 pb-2 text-meta text-ink-soft">no tabs</p>}
          {session.tabs.map((tab) => {
            const isShown = props.shown?.session.name === session.name && props.shown.tab.id === tab.id;
            return (
              <Link
                key={tab.id}
                to="/browse/$workspace"
                params={{ workspace: props.workspace }}
                search={(now) => ({ ...now, session: session.name, tab: tab.id })}
                replace
                resetScroll={false}
                data-row
                aria-current={isShown ? "true" : undefined}
                className={`flex min-h-8 items-center gap-3 px-4 py-1 outline-offset-[-2px] hover:bg-hover ${isShown ? "bg-accent-soft" : ""}`}
              >
                <span className="w-8 shrink-0 font-mono text-meta text-ink-soft">{tab.id}</span>
                <span className="min-w-0 flex-1 truncate">{tabName(tab)}</span>
                {tab.isCurrent && <span className="shrink-0 text-meta text-ink-soft">current</span>}
              </Link>
            );
          })}
        </li>
      ))}
    </ul>
  );
}
