import type { ServerStatus } from "@devflow/protocol";
import type { UseQueryResult } from "@tanstack/react-query";
import { Facts } from "../../parts/facts.tsx";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";

export function Versions({ status }: { status: UseQueryResult<ServerStatus> }) {
  return (
    <Panel title="Versions">
      {status.isError && !status.data && <FaultNote fault={status.error} onRetry={() => void status.refetch()} />}
      {status.isPending && <SkeletonRows count={5} height="fact" />}
      {status.data && <Facts rows={versionRows(status.data)} />}
    </Panel>
  );
}

export function versionRows(status: ServerStatus) {
  return [
    ["Devflow", status.version],
    ["Web app", __WEB_VERSION__],
    ["Runtime", `${status.runtime.name} ${status.runtime.version} on ${status.runtime.platform}`],
    ["Postgres", `${status.postgres.version}, ${status.postgres.kind}`],
    ["Started", <RelativeTime key="started" at={status.startedAt} />],
  ] as const;
}
