/** A map of the files where work happens, and the story of one of them. */
import type { HotFile } from "@devflow/protocol";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { heatOf } from "../../model/brain/brain-words.ts";
import { Mono } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { BrainNav } from "./brain-nav.tsx";
import { useBrain, useRepoName } from "./brain-queries.ts";
import { DecisionLine, HandoffLine, IntentLine, List } from "./rows.tsx";
import { WhyPanel } from "./why-panel.tsx";

export function FilesPage() {
  const { file, in: named, line } = useSearch({ from: "/brain/files" });
  const hot = useBrain("edits", "hot_files", { days: 7, max_rows: 60 });
  const chosen = useRepoName();
  const repo = named ?? chosen ?? hot.data?.find((one) => one.file === file)?.repo;
  return (
    <Page
      title={file ?? "Files"}
      lead={
        file
          ? (repo ?? "")
          : "Where agents worked in the last seven days. The warmer the colour, the more edits and agents met in a file."
      }
      above={<BrainNav />}
    >
      {file !== undefined && repo !== undefined ? (
        <Story file={file} repo={repo} line={line} />
      ) : (
        <HotFiles hot={hot} />
      )}
      {file === undefined && <Features />}
    </Page>
  );
}

const heats = ["bg-raised", "bg-sunken", "bg-hover", "bg-warn-soft", "bg-bad-soft"];

function HotFiles({ hot }: { hot: { data: HotFile[] | undefined; error: Error | null; refetch(): unknown } }) {
  if (hot.error) return <FaultNote fault={hot.error} onRetry={() => void hot.refetch()} />;
  if (!hot.data) return <SkeletonRows count={4} />;
  if (hot.data.length === 0)
    return (
      <Panel title="Hot files">
        <EmptyNote title="No edits yet">Agents' edits appear here when their hooks are installed.</EmptyNote>
      </Panel>
    );
  const most = Math.max(...hot.data.map(({ edits, agents }) => edits * agents));
  return (
    <ul aria-label="Hot files" className="grid grid-cols-1 gap-2 wide:grid-cols-3 broad:grid-cols-4">
      {hot.data.map((one) => (
        <li key={`${one.repo} ${one.file}`} className="min-w-0">
          <Link
            to="/brain/files"
            search={{ file: one.file, in: one.repo }}
            className={`block h-full rounded-small border border-line p-3 hover:border-line-strong ${heats[heatOf(one, most)]}`}
          >
            <Mono>{one.file}</Mono>
            <span className="mt-1 block text-meta text-ink-soft">
              {one.edits} {one.edits === 1 ? "edit" : "edits"}, {one.agents} {one.agents === 1 ? "agent" : "agents"},{" "}
              {one.people} {one.people === 1 ? "person" : "people"}
              {one.intents > 0 ? `, ${one.intents} active` : ""}
              {one.features.map((feature) => ` · ${feature}`).join("")}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Parts of the product, which cut across files. */
function Features() {
  const features = useBrain("edits", "list_features", {});
  if (!features.data || features.data.length === 0) return null;
  return (
    <div className="mt-8">
      <Panel title="Features">
        <List
          rows={{ ...features, data: features.data.map((one) => ({ ...one, id: `${one.repo} ${one.name}` })) }}
          empty=""
        >
          {(row) => (
            <p className="break-words">
              <span className="font-medium">{row.name}</span>{" "}
              <span className="text-meta text-ink-soft">
                {row.files} {row.files === 1 ? "file" : "files"}, {row.decisions}{" "}
                {row.decisions === 1 ? "decision" : "decisions"}, {row.intents} active{" "}
                {row.intents === 1 ? "intent" : "intents"}
              </span>
            </p>
          )}
        </List>
      </Panel>
    </div>
  );
}

function Story({ file, repo, line }: { file: string; repo: string; line: number | undefined }) {
  const { data, error, isPending, refetch } = useBrain("edits", "file_story", { file }, { repo });
  const asked = line === undefined ? { file } : { file, line };
  const why = useBrain("edits", "why", asked, { repo, enabled: line !== undefined });
  const [linkedLine] = useState(line);
  if (error) return <FaultNote fault={error} onRetry={() => void refetch()} />;
  // With a line in the URL all at once: its reasons would push the rest down.
  const isWaiting = line !== undefined && line === linkedLine && why.isPending && !why.error;
  if (isPending || !data || isWaiting) return <SkeletonRows count={4} />;
  const of = <Row,>(rows: readonly Row[]) => ({ data: rows, isPending: false, error: null, refetch });
  const edits = data.edits.map((one, at) => ({ ...one, id: String(at) }));
  return (
    <div className="grid gap-8 broad:grid-cols-2">
      <div className="min-w-0 broad:col-span-2">
        <WhyPanel file={file} line={line} why={why} />
      </div>
      <Panel title="Decisions">
        <List rows={of(data.decisions)} empty="Nothing was decided about it">
          {(row) => <DecisionLine row={row} />}
        </List>
      </Panel>
      <Panel title={`Edits (${data.total})`}>
        <List rows={of(edits)} empty="No agent has edited it">
          {(row) => (
            <>
              <p className="break-words">
                <span className="font-medium">{row.user_name}</span>
                {row.host ? ` with ${row.host}` : ""}, {row.edits} {row.edits === 1 ? "edit" : "edits"}
                {row.branch ? ` on ${row.branch}` : ""}, <RelativeTime at={row.last_at} />
              </p>
              {row.intent && <p className="mt-1 break-words">{row.intent}</p>}
              {row.prompt && <p className="mt-1 break-words text-ink-soft">“{row.prompt}”</p>}
            </>
          )}
        </List>
      </Panel>
      <Panel title="Intents">
        <List rows={of(data.intents)} empty="No intent names it">
          {(row) => <IntentLine row={row} />}
        </List>
      </Panel>
      <Panel title="Handed over">
        <List rows={of(data.handoffs)} empty="Nothing was handed over">
          {(row) => <HandoffLine row={row} />}
        </List>
      </Panel>
    </div>
  );
}
