/** The screen of a system without records: what it is for, what it will show, and its commands. */
import { commandLine } from "../../model/palette.ts";
import { type System, systems } from "../../model/screens.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useCommands } from "../../queries.ts";

export const BrainPage = () => <SystemPage system={systems.brain} />;

function SystemPage({ system }: { system: System }) {
  const commands = useCommands();
  const own = commands.data?.filter((command) => command.category === system.category) ?? [];
  return (
    <Page title={system.title} lead={system.question}>
      <div className="grid gap-8 broad:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Panel title="Recorded so far">
          {commands.isPending && <SkeletonRows count={3} />}
          {commands.isError && <FaultNote fault={commands.error} onRetry={() => void commands.refetch()} />}
          {commands.data && own.length === 0 && (
            <EmptyNote title="Not in this version">{system.title} comes with a later version of Devflow.</EmptyNote>
          )}
          {own.length > 0 && (
            <>
              <EmptyNote title="Nothing here yet">These commands add records:</EmptyNote>
              <ul className="divide-y divide-line border-t border-line">
                {own.map((command) => (
                  <li
                    key={command.name}
                    className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3"
                  >
                    <span className="min-w-0 flex-1 basis-48">{command.summary}</span>
                    <CopyCommand command={commandLine(command)} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </Panel>
        <Panel title="What it will show">
          <ul className="divide-y divide-line">
            {system.shows.map((line) => (
              <li key={line} className="px-4 py-3">
                {line}
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </Page>
  );
}
