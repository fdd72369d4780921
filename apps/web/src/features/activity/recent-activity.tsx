import { Link } from "@tanstack/react-router";
import { Panel } from "../../parts/page.tsx";
import { ChangeList } from "./change-list.tsx";
import { useActivity } from "./use-activity.ts";

export function RecentActivity({ count }: { count: number }) {
  const activity = useActivity();
  return (
    <Panel
      title="Recent activity"
      aside={
        <Link to="/activity" className="text-meta text-accent hover:underline">
          All activity
        </Link>
      }
    >
      <ChangeList activity={activity} count={count} />
    </Panel>
  );
}
