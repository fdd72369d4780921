/** The frame of a screen with numbers: navigation, period, and the views of a query besides its data. The top bar chooses the repository. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isUnreachable } from "../../model/api-fault.ts";
import { spans } from "../../model/team/metric-search.ts";
import { Page } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useStatus, useTeam } from "../../queries.ts";
import { Choice } from "../evals/choice.tsx";
import { TeamNav } from "./team-nav.tsx";

export interface MetricQuery<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  refetch(): Promise<unknown>;
}

export interface MetricPageProps<Data> {
  readonly title: string;
  readonly lead: string;
  readonly query: MetricQuery<Data>;
  /** The period if the address names none; undefined for screens without one. */
  readonly days: number | undefined;
  /** More fields beside the period. */
  readonly filters?: ReactNode;
  /** What to show and which command to type while there is nothing. */
  readonly empty: {
    readonly is: (data: Data) => boolean;
    readonly title: string;
    readonly text: string;
    readonly command: string;
  };
  readonly children: (data: Data) => ReactNode;
}

export function MetricPage<Data>({ title, lead, query, days, filters, empty, children }: MetricPageProps<Data>) {
  const status = useStatus();
  const team = useTeam();
  const { data, isPending } = query;
  const hasNoTeam = status.data !== undefined && team === undefined;
  // What was read stays on the screen while the server is away; the top bar says that it is.
  const error = data !== undefined && isUnreachable(query.error) ? null : query.error;
  return (
    <Page title={title} lead={lead} broad above={<TeamNav />}>
      <div className="mb-8 grid grid-cols-2 items-end gap-3 wide:flex wide:flex-wrap">
        {days !== undefined && <PeriodChoice usual={days} />}
        {filters}
      </div>
      {hasNoTeam && (
        <div className="rounded-panel border border-line bg-raised">
          <EmptyNote title="No team yet" command="devflow sync init">
            You are not a member of any team.
          </EmptyNote>
        </div>
      )}
      {error && <FaultNote fault={error} onRetry={() => void query.refetch()} />}
      {!error && !hasNoTeam && isPending && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {!error && data !== undefined && empty.is(data) && (
        <div className="rounded-panel border border-line bg-raised">
          <EmptyNote title={empty.title} command={empty.command}>
            {empty.text}
          </EmptyNote>
        </div>
      )}
      {!error && data !== undefined && !empty.is(data) && (
        <div className="grid grid-cols-1 gap-8">{children(data)}</div>
      )}
    </Page>
  );
}

function PeriodChoice({ usual }: { usual: number }) {
  const { days = usual } = useSearch({ strict: false }) as { days?: number };
  const navigate = useNavigate();
  return (
    <Choice
      label="Period"
      value={String(days)}
      options={spans.map((one) => ({ value: String(one), title: `Last ${one} days` }))}
      onPick={(value) => void navigate({ to: ".", search: (now) => ({ ...now, days: Number(value) }), replace: true })}
    />
  );
}
