/** One decision, intent and handoff as a row of a list, and the list with its three other views. */
import type { DecisionRow, HandoffRow, IntentRow } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { decisionName, decisionWord, intentWord } from "../../model/brain/brain-words.ts";
import { Mono } from "../../parts/facts.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";

interface Loaded<Row> {
  readonly data: readonly Row[] | undefined;
  readonly isPending: boolean;
  readonly error: Error | null;
  refetch(): unknown;
}

export function List<Row extends { readonly id: string }>(props: {
  rows: Loaded<Row>;
  empty: string;
  command?: string;
  children: (row: Row) => ReactNode;
}) {
  const { rows, empty, command, children } = props;
  if (rows.error) return <FaultNote fault={rows.error} onRetry={() => void rows.refetch()} />;
  if (rows.isPending || !rows.data) return <SkeletonRows count={3} height="tall" />;
  if (rows.data.length === 0) return <EmptyNote title={empty} command={command} />;
  return (
    <ul className="divide-y divide-line">
      {rows.data.map((row) => (
        <li key={row.id} className="px-4 py-3">
          {children(row)}
        </li>
      ))}
    </ul>
  );
}

export function DecisionLine({ row, reasons = [] }: { row: DecisionRow; reasons?: readonly string[] }) {
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <Link
          to="/brain/decisions/$id"
          params={{ id: row.id }}
          className="min-w-0 flex-1 basis-60 font-medium break-words hover:underline"
        >
          <span className="text-ink-soft tabular-nums">{decisionName(row)}</span> {row.title}
        </Link>
        <StateWord {...decisionWord(row)} />
      </div>
      {row.excerpt.trim() !== "" && <p className="mt-1 line-clamp-2 break-words text-ink-soft">{row.excerpt}</p>}
      <p className="mt-1 text-meta break-words text-ink-soft">
        {row.type === "decision" ? "" : `${row.type}, `}
        {row.user_name}, <RelativeTime at={row.created_at} />
        {row.expires_at !== null && (
          <>
            , until <time dateTime={row.expires_at}>{row.expires_at.slice(0, 10)}</time>
          </>
        )}
        {row.features.map((feature) => ` · ${feature}`).join("")}
      </p>
      {reasons.length > 0 && <p className="mt-1 text-meta break-words text-ink-soft">Found: {reasons.join("; ")}</p>}
    </>
  );
}

export function IntentLine({ row }: { row: IntentRow }) {
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 flex-1 basis-60 font-medium break-words">{row.text}</p>
        <StateWord {...intentWord(row)} />
      </div>
      <p className="mt-1 text-meta break-words text-ink-soft">
        {row.user_name}
        {row.host ? ` with ${row.host}` : ""}
        {row.branch ? ` on ${row.branch}` : ""}, <RelativeTime at={row.updated_at} />
        {row.source === "inferred" && ` · inferred, ${Math.round(row.confidence * 100)}% sure`}
      </p>
      <FileLinks files={row.files} repo={row.repo} />
    </>
  );
}

export function HandoffLine({ row }: { row: HandoffRow }) {
  return (
    <>
      <p className="break-words whitespace-pre-line">{row.text}</p>
      <p className="mt-1 text-meta break-words text-ink-soft">
        {row.user_name}
        {row.to ? ` to ${row.to}` : ""}
        {row.branch ? ` on ${row.branch}` : ""}, <RelativeTime at={row.at} />
      </p>
      <FileLinks files={row.files} repo={row.repo} />
    </>
  );
}

const mostFiles = 5;

export function FileLinks({ files, repo }: { files: readonly string[]; repo: string | null }) {
  if (files.length === 0) return null;
  return (
    <p className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
      {files.slice(0, mostFiles).map((file) => (
        <Link key={file} to="/brain/files" search={{ file, in: repo ?? undefined }} className="hover:underline">
          <Mono>{file}</Mono>
        </Link>
      ))}
      {files.length > mostFiles && <span className="text-meta text-ink-soft">and {files.length - mostFiles} more</span>}
    </p>
  );
}
