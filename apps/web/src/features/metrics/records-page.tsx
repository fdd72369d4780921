/** The records of the team, newest first: what is behind every number. */
import { markBidi } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { RecordsSearch } from "../../model/team/metric-search.ts";
import { kindTitle, recordKinds, recordLine } from "../../model/team/metric-words.ts";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useMembers, useStatus, useTeam } from "../../queries.ts";
import { Choice } from "../evals/choice.tsx";
import { useRecords } from "./metric-queries.ts";
import { TeamNav } from "./team-nav.tsx";

export function RecordsPage() {
  const search = useSearch({ from: "/team/records" });
  const navigate = useNavigate({ from: "/team/records" });
  const members = useMembers();
  const team = useTeam();
  const hasNoTeam = useStatus().data !== undefined && team === undefined;
  const records = useRecords(filterOf(search));
  const rows = records.data?.pages.flat() ?? [];
  const narrowed = notesOf(search);
  return (
    <Page title="Records" broad above={<TeamNav />} lead="What machines pushed for the team, newest first.">
      <div className="mb-8 grid grid-cols-2 items-end gap-3 wide:flex wide:flex-wrap">
        <Choice
          label="Kind"
          all="All kinds"
          value={search.kind}
          options={recordKinds.map((kind) => ({ value: kind, title: kindTitle(kind) }))}
          onPick={(kind) => void navigate({ search: (now) => ({ ...now, kind }), replace: true })}
        />
        <Choice
          label="Who"
          all="Everybody"
          value={search.by}
          options={(members.data ?? []).map(({ user_id, name }) => ({ value: user_id, title: name }))}
          onPick={(by) => void navigate({ search: (now) => ({ ...now, by }), replace: true })}
        />
      </div>
      {narrowed.length > 0 && (
        <p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-0 break-words">{markBidi(narrowed.join(" · "))}</span>
          <Link
            to="/team/records"
            search={{ kind: search.kind, by: search.by }}
            className="text-accent underline underline-offset-2"
          >
            Show all
          </Link>
        </p>
      )}
      <div className="overflow-hidden rounded-panel border border-line bg-raised">
        {records.error && <FaultNote fault={records.error} onRetry={() => void records.refetch()} />}
        {hasNoTeam && (
          <EmptyNote title="No team yet" command="devflow sync init">
            You are not a member of any team.
          </EmptyNote>
        )}
        {!hasNoTeam && records.isPending && <SkeletonRows count={10} />}
        {records.data && rows.length === 0 && (
          <EmptyNote title="No such records" command="devflow sync status">
            Records appear when a machine of the team pushes them.
          </EmptyNote>
        )}
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <li key={row.id}>
              <Link
                to="/team/records/$id"
                params={{ id: row.id }}
                data-row
                className="grid min-h-12 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2 outline-offset-[-2px] hover:bg-hover broad:grid-cols-[8rem_minmax(0,1fr)_14rem_6rem]"
              >
                <span className="text-meta text-ink-soft broad:text-body">{kindTitle(row.kind)}</span>
                <span className="col-span-2 row-start-2 min-w-0 break-words broad:col-span-1 broad:row-start-auto">
                  {recordLine(row)}
                </span>
                <span className="col-span-2 row-start-3 truncate text-meta text-ink-soft broad:col-span-1 broad:row-start-auto">
                  {markBidi(row.by_name)}
                  {row.repo_name !== null && ` in ${row.repo_name}`}
                </span>
                <span className="col-start-2 row-start-1 text-right text-meta text-ink-soft broad:col-start-4">
                  <RelativeTime at={row.at} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
        {records.hasNextPage && (
          <div className="flex justify-center border-t border-line p-3">
            <Button onClick={() => void records.fetchNextPage()}>
              {records.isFetchingNextPage ? "Loading …" : "Show older"}
            </Button>
          </div>
        )}
      </div>
    </Page>
  );
}

/** Without the frame's own parameters, which are also in the search. */
function filterOf({
  kind,
  by,
  since,
  until,
  suite,
  case: name,
  model,
  category,
  reviewer,
  url,
  which,
}: RecordsSearch): RecordsSearch {
  return { kind, by, since, until, suite, case: name, model, category, reviewer, url, which };
}

const choices = { failed: "failed", fixes: "repairs of an earlier ship", false_alarms: "false alarms" } as const;

function notesOf({ since, until, suite, case: name, model, category, reviewer, url, which }: RecordsSearch): string[] {
  return [
    ...(since && until && since === until ? [`on ${since}`] : []),
    ...(since && since !== until ? [`since ${since}`] : []),
    ...(until && since !== until ? [`until ${until}`] : []),
    ...(suite ? [`suite ${suite}`] : []),
    ...(name ? [`case ${name} failed`] : []),
    ...(model ? [`model ${model}`] : []),
    ...(category ? [`category ${category}`] : []),
    ...(reviewer ? [`reviewer ${reviewer}`] : []),
    ...(url ? [`site ${url}`] : []),
    ...(which ? [choices[which]] : []),
  ];
}
