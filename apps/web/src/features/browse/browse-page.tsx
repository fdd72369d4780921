/** The workspaces on this machine where a browser was started, running ones first. */
import type { BrowseWorkspace } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { chosenTab, count, tabCount, tabName, workspaceWord } from "../../model/browse/browse-words.ts";
import { Page } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { useWorkspaces } from "./browse-queries.ts";

export function BrowsePage() {
  const workspaces = useWorkspaces();
  return (
    <Page title="Browse" broad lead="What agents do in their browsers, live.">
      <div className="overflow-hidden rounded-panel border border-line bg-raised">
        {workspaces.isPending && <SkeletonRows count={4} />}
        {workspaces.isError && <FaultNote fault={workspaces.error} onRetry={() => void workspaces.refetch()} />}
        {workspaces.data?.workspaces.length === 0 && (
          <EmptyNote title="No browser started yet" command="devflow browse goto http://localhost:3000">
            The first browse command in a folder starts a browser that stays open for the agents working there. You can
            watch it here, but not control it.
          </EmptyNote>
        )}
        {workspaces.data && workspaces.data.workspaces.length > 0 && <Table rows={workspaces.data.workspaces} />}
      </div>
      {workspaces.data && !workspaces.data.isWhole && (
        <p className="mt-2 text-meta text-ink-soft">
          Showing the {workspaces.data.workspaces.length} workspaces where a browser was started most recently.
        </p>
      )}
    </Page>
  );
}

const columns = [
  ["Workspace", "w-auto"],
  ["Browser", "w-32"],
  ["Page", "hidden w-1/4 wide:table-cell"],
  ["Sessions", "hidden w-24 text-right wide:table-cell"],
  ["Tabs", "hidden w-20 text-right broad:table-cell"],
  ["Evidence", "hidden w-24 text-right broad:table-cell"],
  ["Started", "hidden w-28 text-right wide:table-cell"],
] as const;

function Table({ rows }: { rows: readonly BrowseWorkspace[] }) {
  return (
    <table className="w-full table-fixed border-collapse text-left">
      <caption className="sr-only">Workspaces with a browser</caption>
      <TableHead columns={columns} />
      <tbody className="divide-y divide-line">
        {rows.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row }: { row: BrowseWorkspace }) {
  const shown = chosenTab(row.sessions, {});
  return (
    <tr className="h-12 hover:bg-hover">
      <td className="px-3">
        <Link
          to="/browse/$workspace"
          params={{ workspace: row.id }}
          data-row
          className="block truncate font-medium outline-offset-2 hover:underline"
        >
          {row.name}
        </Link>
        <span className="block truncate font-mono text-meta text-ink-soft" title={row.root}>
          {row.root}
        </span>
      </td>
      <td className="px-3">
        <StateWord {...workspaceWord(row)} />
      </td>
      <td className="hidden truncate px-3 wide:table-cell">
        {shown ? (
          <>
            <span className="block truncate">{tabName(shown.tab)}</span>
            <span className="block truncate font-mono text-meta text-ink-soft">{shown.tab.url}</span>
          </>
        ) : (
          <span className="text-ink-soft">no page</span>
        )}
      </td>
      <td className="hidden px-3 text-right tabular-nums wide:table-cell">{row.sessions.length}</td>
      <td className="hidden px-3 text-right tabular-nums broad:table-cell">{tabCount(row)}</td>
      <td className="hidden px-3 text-right tabular-nums broad:table-cell" title={count(row.bundles, "bundle")}>
        {row.bundles}
      </td>
      <td className="hidden px-3 text-right text-ink-soft wide:table-cell">
        <RelativeTime at={row.startedAt} />
      </td>
    </tr>
  );
}
