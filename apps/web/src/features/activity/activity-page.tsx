/** The newest changes of the team, live, by kind. */
import { Link, useSearch } from "@tanstack/react-router";
import { keptChanges } from "../../model/change-log.ts";
import { kindName } from "../../model/describe-change.ts";
import { Page, Panel } from "../../parts/page.tsx";
import { ChangeList } from "./change-list.tsx";
import { useActivity } from "./use-activity.ts";

export function ActivityPage() {
  const { kind } = useSearch({ from: "/activity" });
  const activity = useActivity(kind);
  const choice = "rounded-small border px-2 py-1 text-meta max-w-full break-words";
  return (
    <Page title="Activity" lead={`The newest ${keptChanges} changes of the team, in the order of its log.`}>
      <nav aria-label="Kinds of change" className="mb-4 flex flex-wrap gap-2">
        {[undefined, ...activity.kinds].map((each) => (
          <Link
            key={each ?? ""}
            to="/activity"
            search={(now) => ({ ...now, kind: each })}
            aria-current={each === kind ? "true" : undefined}
            className={`${choice} ${each === kind ? "border-accent bg-accent-soft text-accent" : "border-line text-ink-soft hover:bg-hover"}`}
          >
            {each === undefined ? "All" : kindName(each)}
          </Link>
        ))}
      </nav>
      <Panel title="Changes">
        <ChangeList activity={activity} count={keptChanges} />
      </Panel>
    </Page>
  );
}
