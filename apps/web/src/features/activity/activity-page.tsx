/** The team's newest changes, live, filtered by kind. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { keptChanges } from "../../model/change-log.ts";
import { kindName } from "../../model/describe-change.ts";
import { Page, Panel } from "../../parts/page.tsx";
import { ChangeList } from "./change-list.tsx";
import { useActivity } from "./use-activity.ts";

export function ActivityPage() {
  const { kind } = useSearch({ from: "/activity" });
  const navigate = useNavigate({ from: "/activity" });
  const activity = useActivity(kind);
  const kinds = [...new Set([...activity.kinds, ...(kind === undefined ? [] : [kind])])];
  return (
    <Page title="Activity" lead={`The team's newest ${keptChanges} changes, in log order.`}>
      <Panel
        title="Changes"
        aside={
          <select
            aria-label="Kind of change"
            value={kind ?? ""}
            onChange={(event) =>
              void navigate({ search: (now) => ({ ...now, kind: event.target.value || undefined }) })
            }
            className="h-8 w-40 truncate rounded-small border border-line bg-canvas px-2 text-meta hover:bg-hover"
          >
            <option value="">All kinds</option>
            {kinds.map((each) => (
              <option key={each} value={each}>
                {kindName(each)}
              </option>
            ))}
          </select>
        }
      >
        <ChangeList activity={activity} count={keptChanges} />
      </Panel>
    </Page>
  );
}
