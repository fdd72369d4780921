import type { ServerStatus } from "@devflow/protocol";
import type { UseQueryResult } from "@tanstack/react-query";
import { useLive } from "../../live-context.tsx";
import { type HealthRow, healthRows } from "../../model/health.ts";
import { Panel } from "../../parts/page.tsx";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { VerdictWord } from "../../parts/verdict-word.tsx";

export function Health({ status }: { status: UseQueryResult<ServerStatus> }) {
  const { live } = useLive();
  return (
    <Panel title="Health">
      {status.isError && !status.data && <FaultNote fault={status.error} onRetry={() => void status.refetch()} />}
      {status.isPending && <SkeletonRows count={5} height="tall" />}
      {status.data && (
        <ul className="divide-y divide-line">
          {healthRows(status.data, __WEB_VERSION__, live.is === "lost").map((row) => (
            <Row key={row.name} row={row} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Row({ row }: { row: HealthRow }) {
  return (
    <li className="px-4 py-3">
      <div className="flex items-center justify-between gap-4">
        <span className="font-medium">{row.name}</span>
        <VerdictWord verdict={row.verdict} word={row.word} />
      </div>
      <p className="text-ink-soft break-words">{row.detail}</p>
      {row.facts && (
        <dl className="mt-2 flex flex-wrap gap-2">
          {row.facts.map((fact) => (
            <div key={fact.name} className="flex gap-1 rounded-small bg-sunken px-2 py-1 font-mono text-meta">
              <dt className="text-ink-soft">{fact.name}</dt>
              <dd className={fact.ok ? "text-good" : "font-semibold text-bad"}>{fact.value}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
