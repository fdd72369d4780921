import { Link } from "@tanstack/react-router";
import { keyOf } from "../../model/change-log.ts";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { ChangeRow } from "./change-row.tsx";
import type { useActivity } from "./use-activity.ts";

export function ChangeList({ activity, count }: { activity: ReturnType<typeof useActivity>; count: number }) {
  const { changes, loaded, fault, repo } = activity;
  if (!loaded) return fault ? <FaultNote fault={fault} onRetry={activity.retryNow} /> : <SkeletonRows count={4} />;
  return (
    <>
      {repo !== undefined && (
        <p className="flex items-center justify-between gap-4 border-b border-line bg-sunken px-4 py-2 text-meta text-ink-soft">
          <span className="min-w-0 break-words">Only changes in {repo}</span>
          <Link
            to="."
            search={(now) => ({ ...now, repo: undefined })}
            className="shrink-0 text-accent underline underline-offset-2"
          >
            Show all
          </Link>
        </p>
      )}
      {changes.length === 0 ? (
        <EmptyNote title="No activity yet">Everything your team records appears here as it happens.</EmptyNote>
      ) : (
        <ul className="divide-y divide-line">
          {changes.slice(0, count).map((change) => (
            <ChangeRow key={keyOf(change)} change={change} name={activity.nameOf(change)} />
          ))}
        </ul>
      )}
    </>
  );
}
