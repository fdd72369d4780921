import type { RunDetail } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useServices } from "../../app-context.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";

export function ReportTab({ run }: { run: RunDetail }) {
  const { api } = useServices();
  const report = useQuery({
    queryKey: ["report", run.id, run.endedAt],
    queryFn: ({ signal }) => api.runs.report(run.id, signal),
    enabled: run.hasReport,
  });
  if (!run.hasReport) {
    return <EmptyNote title="No report yet">The report is written when the run ends, whatever the outcome.</EmptyNote>;
  }
  if (report.isPending) return <SkeletonRows count={8} />;
  if (report.isError) return <FaultNote fault={report.error} onRetry={() => void report.refetch()} />;
  return (
    <article aria-label="Report" className="grid gap-4 p-4 wide:p-6">
      <Markdown text={report.data} />
      <div>
        <CopyCommand command={`devflow run verify ${run.id}`} />
      </div>
    </article>
  );
}
