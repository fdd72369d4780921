/** The runs of the team at a glance: how many are in which state, what waits for a person, what is at work, what ended. */
import type { RunList, RunSummary } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Question, questionsOf } from "../../model/runs/gate-notices.ts";
import { type RunCount, runCounts } from "../../model/runs/run-counts.ts";
import { repositoryName } from "../../model/runs/run-filter.ts";
import { runWord } from "../../model/runs/run-words.ts";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useApprovals, useOpenPermissions, useRunsAtHome } from "../runs/run-queries.ts";

/** Everything it shows, read together: a part that came later would push the others down. */
export function useDashboard() {
  const { counts, active, ended } = useRunsAtHome();
  const approvals = useApprovals();
  const permissions = useOpenPermissions();
  const all = [counts, active, ended, approvals, permissions] as const;
  const failed = all.find((query) => query.isError && query.data === undefined);
  return {
    isRead: all.every((query) => !query.isPending),
    fault: failed?.error ?? undefined,
    retry: () => void Promise.all(all.map((query) => query.refetch())),
    ...(counts.data && active.data && ended.data && approvals.data && permissions.data
      ? {
          data: {
            counts: counts.data,
            active: active.data,
            ended: ended.data,
            questions: questionsOf(approvals.data, permissions.data),
          },
        }
      : {}),
  };
}

export function Dashboard({ fault, retry, data }: ReturnType<typeof useDashboard>) {
  if (!data)
    return (
      <Panel title="Runs">{fault ? <FaultNote fault={fault} onRetry={retry} /> : <SkeletonRows count={3} />}</Panel>
    );
  const { counts, active, ended, questions } = data;
  return (
    <>
      <Panel title="Runs" aside={<More to="/runs">All runs</More>}>
        <Counts counts={runCounts(counts)} />
      </Panel>
      <Panel title="Waiting for you" aside={<More to="/approvals">Approvals</More>}>
        <Waiting questions={questions} />
      </Panel>
      <Panel title="Active" aside={<Rest of={active} state="open" />}>
        <Runs runs={active.runs} empty="No active runs" command={startCommand} timeOf={(run) => run.createdAt} />
      </Panel>
      <Panel title="Ended" aside={<Rest of={ended} state="ended" />}>
        <Runs runs={ended.runs.toSorted(lastEndedFirst)} empty="No run has ended yet" timeOf={endOf} />
      </Panel>
    </>
  );
}

const endOf = (run: RunSummary): string => run.endedAt ?? run.updatedAt;
const lastEndedFirst = (a: RunSummary, b: RunSummary): number => Date.parse(endOf(b)) - Date.parse(endOf(a));

const startCommand = 'devflow run start "what to do"';

const colours = {
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
  busy: "text-accent",
  calm: "text-ink",
} as const;

function Counts({ counts }: { counts: readonly RunCount[] }) {
  return (
    <ul className="grid grid-cols-3 gap-px bg-line wide:grid-cols-6">
      {counts.map(({ name, count, tone, state }) => (
        <li key={name} className="bg-raised">
          <Link
            to="/runs"
            search={(now) => ({ ...now, state })}
            className="flex h-full flex-col px-4 py-3 outline-offset-[-2px] hover:bg-hover"
          >
            <span className={`text-title tabular-nums ${count > 0 ? colours[tone] : "text-ink-soft"}`}>{count}</span>
            <span className="text-meta text-ink-soft">{name}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const shownQuestions = 6;

function Waiting({ questions }: { questions: readonly Question[] }) {
  if (questions.length === 0)
    return <EmptyNote title="Nothing waits for you">Gates and agents’ requests appear here.</EmptyNote>;
  // The newest, as on the Runs screen; Approvals lists all of them, oldest first.
  const shown = questions.toSorted((a, b) => Date.parse(b.askedAt) - Date.parse(a.askedAt)).slice(0, shownQuestions);
  return (
    <ul className="divide-y divide-line">
      {shown.map((question) => (
        <li key={question.id}>
          <Row id={question.runId} title={question.text} detail={question.runTitle} at={question.askedAt}>
            <span className="font-medium text-accent">Decide</span>
          </Row>
        </li>
      ))}
      {questions.length > shownQuestions && (
        <li className="px-4 py-2 text-meta text-ink-soft">… and {questions.length - shownQuestions} more</li>
      )}
    </ul>
  );
}

interface RunsProps {
  readonly runs: readonly RunSummary[];
  readonly empty: string;
  readonly command?: string;
  readonly timeOf: (run: RunSummary) => string;
}

function Runs({ runs, empty, command, timeOf }: RunsProps) {
  if (runs.length === 0) return <EmptyNote title={empty} command={command} />;
  return (
    <ul className="divide-y divide-line">
      {runs.map((run) => (
        <li key={run.id}>
          <Row id={run.id} title={run.title} detail={detailOf(run)} at={timeOf(run)}>
            <StateWord {...runWord(run)} />
          </Row>
        </li>
      ))}
    </ul>
  );
}

const detailOf = ({ phase, repository }: RunSummary): string =>
  [repositoryName(repository), phase && `${phase.seq}/${phase.of} ${phase.title}`].filter(Boolean).join(" · ");

function Row(props: { id: string; title: string; detail: string; at: string; children: ReactNode }) {
  return (
    <Link
      to="/runs/$id"
      params={{ id: props.id }}
      className="flex min-h-12 items-center gap-4 px-4 py-2 outline-offset-[-2px] hover:bg-hover"
    >
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium" title={props.title}>
          {props.title}
        </span>
        <span className="block truncate text-meta text-ink-soft">{props.detail}</span>
      </span>
      <span className="grid shrink-0 justify-items-end text-meta">
        {props.children}
        <span className="text-ink-soft">
          <RelativeTime at={props.at} />
        </span>
      </span>
    </Link>
  );
}

function More({ to, children }: { to: "/runs" | "/approvals"; children: ReactNode }) {
  return (
    <Link to={to} className="text-meta text-accent hover:underline">
      {children}
    </Link>
  );
}

/** How many there are besides those in the list, with a link to all. */
function Rest({ of, state }: { of: RunList; state: "open" | "ended" }) {
  const more = of.total - of.runs.length;
  if (more <= 0) return null;
  return (
    <Link to="/runs" search={(now) => ({ ...now, state })} className="text-meta text-accent hover:underline">
      {more} more
    </Link>
  );
}
