/** The browser of one workspace: a live picture, sessions and tabs, the last commands, and evidence. */
import type { BrowseWorkspaceDetail } from "@devflow/protocol";
import { useParams, useSearch } from "@tanstack/react-router";
import { chosenTab, workspaceWord } from "../../model/browse/browse-words.ts";
import { isMissing } from "../../model/runs/live-run.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useWorkspace } from "./browse-queries.ts";
import { BundleList } from "./bundle-list.tsx";
import { LivePicture } from "./live-picture.tsx";
import { ReceiptList } from "./receipt-list.tsx";
import { SessionList } from "./session-list.tsx";

export function WorkspacePage() {
  const { workspace: id } = useParams({ from: "/browse/$workspace" });
  const { data, error, refetch } = useWorkspace(id);
  const isGone = error !== null && isMissing(error);
  return (
    <Page
      title={data?.name ?? "Browser"}
      broad
      isLoading={!data}
      above={<BackLink to="/browse">Browse</BackLink>}
      lead={data && <Lead of={data} />}
    >
      {isGone && (
        <EmptyNote title="No browser here" command="devflow browse goto http://localhost:3000">
          The folder no longer exists, or no browser was started in it for a month.
        </EmptyNote>
      )}
      {error && !isGone && <FaultNote fault={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {data && !isGone && <Content of={data} />}
    </Page>
  );
}

function Lead({ of }: { of: BrowseWorkspaceDetail }) {
  const { browser } = of;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <StateWord {...workspaceWord(of)} />
      <span className="min-w-0 font-mono text-meta break-all">{of.root}</span>
      {browser && (
        <span>
          {browser.chromiumVersion === null ? "Chromium not started" : `Chromium ${browser.chromiumVersion}`}
          {browser.hasWindow && ", with a window"}
        </span>
      )}
      <span>
        started <RelativeTime at={of.startedAt} />
      </span>
      {browser && <span>stops after {browser.idleMinutes} idle minutes</span>}
    </div>
  );
}

function Content({ of }: { of: BrowseWorkspaceDetail }) {
  const search = useSearch({ from: "/browse/$workspace" });
  const shown = chosenTab(of.sessions, search);
  return (
    <div className="grid gap-6">
      {of.state === "stopped" && (
        <div className="rounded-panel border border-line bg-raised">
          <EmptyNote title="The browser is not running" command="devflow browse goto http://localhost:3000">
            The next browse command in this folder starts it.
          </EmptyNote>
        </div>
      )}
      {of.state === "no answer" && (
        <div className="rounded-panel border border-line bg-raised">
          <EmptyNote title="The browser is not responding" command="devflow browse status">
            It may be a different version than this server.
          </EmptyNote>
        </div>
      )}
      {of.state === "running" && (
        <div className="grid items-start gap-6 broad:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <LivePicture key={`${shown?.session.name} ${shown?.tab.id}`} workspace={of.id} shown={shown} />
          <div className="grid min-w-0 gap-6">
            <Panel title="Sessions">
              <SessionList workspace={of.id} sessions={of.sessions} shown={shown} />
            </Panel>
            <Panel title="Last commands">
              <ReceiptList receipts={of.receipts} />
            </Panel>
          </div>
        </div>
      )}
      <Panel title="Evidence">
        <BundleList workspace={of.id} />
      </Panel>
    </div>
  );
}
