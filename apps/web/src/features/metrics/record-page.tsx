/** One record: who wrote it, when, and everything it says. */
import { markBidi, type TeamRecord } from "@devflow/protocol";
import { Link, useParams } from "@tanstack/react-router";
import { milliseconds, score, statusWord } from "../../model/evals/eval-words.ts";
import { kindTitle } from "../../model/team/metric-words.ts";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { GateVerdict } from "./gate-verdict.tsx";
import { useRecord } from "./metric-queries.ts";
import { TeamNav } from "./team-nav.tsx";

export function RecordPage() {
  const { id } = useParams({ from: "/team/records/$id" });
  const record = useRecord(id);
  return (
    <Page
      title={record.data ? kindTitle(record.data.kind) : "Record"}
      broad
      above={<TeamNav />}
      lead={
        <Link
          to="/team/records"
          search={record.data ? { kind: record.data.kind } : {}}
          className="hover:text-ink hover:underline"
        >
          <span aria-hidden="true">← </span>Records
        </Link>
      }
    >
      {record.error && <FaultNote fault={record.error} onRetry={() => void record.refetch()} />}
      {record.isPending && <SkeletonRows count={6} height="fact" />}
      {record.data && <Content of={record.data} />}
    </Page>
  );
}

function Content({ of }: { of: TeamRecord }) {
  return (
    <div className="grid grid-cols-1 gap-8">
      <Panel title="Record">
        <Facts
          rows={[
            ["By", markBidi(of.by_name)],
            ["Repository", of.repo_name ?? "none"],
            ["Written", <RelativeTime key="at" at={of.at} />],
            ["Received", <RelativeTime key="received" at={of.received_at} />],
            ...(of.agent === null ? [] : [["Agent", of.agent] as const]),
            ["Id", <Mono key="id">{of.id}</Mono>],
          ]}
        />
      </Panel>
      <GateVerdict of={of} />
      {of.results && <Results of={of.results} />}
      <Panel title="Content">
        <pre className="p-4 font-mono text-meta whitespace-pre-wrap [overflow-wrap:anywhere]">
          {markBidi(JSON.stringify(of.payload, null, 2))}
        </pre>
      </Panel>
    </div>
  );
}

function Results({ of }: { of: NonNullable<TeamRecord["results"]> }) {
  return (
    <Panel title="Results" aside={<span className="text-meta text-ink-soft tabular-nums">{of.length}</span>}>
      {of.length === 0 && <EmptyNote title="This run has no results" />}
      <table className="w-full">
        <TableHead
          columns={[
            ["Case", "text-left"],
            ["Result", "text-left"],
            ["Scores", "hidden text-left wide:table-cell"],
            ["Time", "hidden text-right whitespace-nowrap wide:table-cell"],
          ]}
        />
        <tbody className="divide-y divide-line">
          {of.map((one, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a case may be repeated in a run
            <tr key={at} className="h-10">
              <td className="w-full max-w-0 truncate px-3" title={one.name}>
                {markBidi(one.name)}
              </td>
              <td className="w-28 px-3">
                <StateWord {...statusWord(one.status)} />
              </td>
              <td className="hidden px-3 text-meta text-ink-soft wide:table-cell">
                {Object.entries(one.scores)
                  .map(([name, value]) => `${name} ${typeof value === "number" ? score(value) : "–"}`)
                  .join(", ")}
              </td>
              <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">
                {milliseconds(one.duration_ms)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
