/** One change of a team's log. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useServices } from "../../app-context.tsx";
import { describeChange, isRecordKind } from "../../model/describe-change.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";

export function ChangePage() {
  const { teamId, seq } = useParams({ from: "/activity/$teamId/$seq" });
  const { api } = useServices();
  const query = useQuery({
    queryKey: ["change", teamId, seq],
    queryFn: async ({ signal }) => {
      const number = Number.parseInt(seq, 10) || 0;
      const [found] = await api.changes(teamId, Math.max(0, number - 1), 1, signal);
      return found?.seq === number ? found : null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const change = query.data;
  return (
    <Page
      title={change ? describeChange(change) : `Change ${seq}`}
      above={<BackLink to="/activity">Activity</BackLink>}
    >
      <Panel title={`Change ${seq}`}>
        {query.isPending && <SkeletonRows count={5} height="fact" />}
        {query.isError && <FaultNote fault={query.error} onRetry={() => void query.refetch()} />}
        {change === null && (
          <EmptyNote title="Not in the log">It was never written, or was trimmed from the log.</EmptyNote>
        )}
        {change && (
          <Facts
            rows={[
              ["Sequence", change.seq],
              ["Kind", <Mono key="kind">{change.kind}</Mono>],
              ["Operation", change.op === "upsert" ? "Saved" : "Removed"],
              ["Time", <RelativeTime key="time" at={change.at} />],
              [
                "Object",
                change.kind === "repo" ? (
                  <Link
                    key="object"
                    to="/team/repositories/$repoId"
                    params={{ repoId: change.entityId }}
                    className="text-accent underline underline-offset-2"
                  >
                    <Mono>{change.entityId}</Mono>
                  </Link>
                ) : change.kind === "run" ? (
                  <Link
                    key="object"
                    to="/runs/$id"
                    params={{ id: change.entityId }}
                    className="text-accent underline underline-offset-2"
                  >
                    <Mono>{change.entityId}</Mono>
                  </Link>
                ) : isRecordKind(change.kind) && change.op === "upsert" ? (
                  <Link
                    key="object"
                    to="/team/records/$id"
                    params={{ id: change.entityId }}
                    className="text-accent underline underline-offset-2"
                  >
                    <Mono>{change.entityId}</Mono>
                  </Link>
                ) : (
                  <Mono key="object">{change.entityId}</Mono>
                ),
              ],
            ]}
          />
        )}
      </Panel>
    </Page>
  );
}
