/** One decision: its texts, what it is about, and its timeline. */
import type { DecisionDetail } from "@devflow/protocol";
import { Link, useParams } from "@tanstack/react-router";
import { decisionName, decisionWord } from "../../model/brain/brain-words.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useBrain } from "./brain-queries.ts";
import { FileLinks } from "./rows.tsx";

export function DecisionPage() {
  const { id } = useParams({ from: "/brain/decisions/$id" });
  const { data, error, isPending, refetch } = useBrain("decisions", "show_decision", { id });
  const above = <BackLink to="/brain/decisions">Decisions</BackLink>;
  if (error)
    return (
      <Page title="Decision" above={above}>
        <Panel title="Decision">
          <FaultNote fault={error} onRetry={() => void refetch()} />
        </Panel>
      </Page>
    );
  if (isPending || !data)
    return (
      <Page title="Decision" above={above} isLoading>
        <SkeletonRows count={4} />
      </Page>
    );
  return (
    <Page title={`${decisionName(data)} ${data.title}`} above={above} lead={<StateWord {...decisionWord(data)} />}>
      <div className="grid gap-8 broad:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid content-start gap-8">
          <Text title="Decision" text={data.body} />
          <Text title="Context" text={data.context} />
          <Text title="Alternatives" text={data.alternatives} />
        </div>
        <div className="grid content-start gap-8">
          <Panel title="About">
            <Facts rows={facts(data)} />
          </Panel>
          <Panel title="Timeline">
            <ol className="divide-y divide-line">
              {data.timeline.map((one) => (
                <li key={`${one.at} ${one.event} ${one.text}`} className="px-4 py-2">
                  <p>
                    <span className="font-medium">{one.event}</span>
                    {one.user_name ? ` by ${one.user_name}` : ""}, <RelativeTime at={one.at} />
                  </p>
                  {one.text && <p className="break-words text-ink-soft">{one.text}</p>}
                </li>
              ))}
            </ol>
          </Panel>
        </div>
      </div>
    </Page>
  );
}

function Text({ title, text }: { title: string; text: string | null }) {
  if (!text?.trim()) return null;
  return (
    <Panel title={title}>
      <div className="p-4">
        <Markdown text={text} />
      </div>
    </Panel>
  );
}

function facts(one: DecisionDetail) {
  const link = (id: string, text: string) => (
    <Link to="/brain/decisions/$id" params={{ id }} className="underline">
      {text}
    </Link>
  );
  return [
    ["Type", one.type],
    ["By", one.user_name],
    ["When", <RelativeTime key="when" at={one.created_at} />],
    ...(one.expires_at ? [["Until", one.expires_at.slice(0, 16).replace("T", " ")] as const] : []),
    ...(one.superseded_by ? [["Replaced by", link(one.superseded_by, "its successor")] as const] : []),
    ...(one.supersedes ? [["Replaces", link(one.supersedes, "an earlier decision")] as const] : []),
    ...(one.repo ? [["Repository", one.repo] as const] : []),
    ...(one.files.length > 0 ? [["Files", <FileLinks key="files" files={one.files} repo={one.repo} />] as const] : []),
    ...(one.features.length > 0 ? [["Features", one.features.join(", ")] as const] : []),
    ...(one.source_file ? [["Imported from", one.source_file] as const] : []),
    ...(one.intents.length > 0 ? [["Intents", one.intents.map(({ text }) => text).join("; ")] as const] : []),
  ] as const;
}
