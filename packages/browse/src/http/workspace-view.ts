/** A workspace and its browser as the Browse screen shows them: the daemon's overview, grouped by session. */
import { basename } from "node:path";
import type { BrowseReceipt, BrowseSessionView, BrowseWorkspace, BrowseWorkspaceDetail } from "@devflow/protocol";
import type { KnownWorkspace } from "../workspaces/index.ts";
import { type Overview, overview } from "./ask-daemon.ts";
import { countBundles } from "./bundle-folder.ts";

/** A page may open a thousand popups; the first are enough. */
const maxTabs = 50;

export async function workspaceView(known: KnownWorkspace): Promise<BrowseWorkspaceDetail> {
  const [seen, bundles] = await Promise.all([overview(known.root), countBundles(known.root)]);
  const base = { id: known.id, name: basename(known.root) || known.root, root: known.root, bundles };
  if (typeof seen === "string") {
    return { ...base, state: seen, startedAt: known.startedAt, browser: null, sessions: [], receipts: [] };
  }
  const { status } = seen;
  return {
    ...base,
    state: "running",
    startedAt: status.startedAt,
    browser: {
      version: status.version,
      idleMinutes: status.idleMinutes,
      chromium: status.chromium.state,
      chromiumVersion: status.chromium.version ?? null,
      hasWindow: status.chromium.window,
    },
    sessions: sessionsOf(seen),
    receipts: seen.recent.map(receiptOf),
  };
}

export function withoutReceipts({ receipts: _receipts, ...workspace }: BrowseWorkspaceDetail): BrowseWorkspace {
  return workspace;
}

function sessionsOf({ status, tabs }: Overview): BrowseSessionView[] {
  return status.sessions.map(({ name, lease }) => ({
    name,
    lease,
    tabs: tabs
      .filter(({ session }) => session === name)
      .slice(0, maxTabs)
      .map(({ id, url, title, isCurrent }) => ({ id, url, title: title ?? null, isCurrent })),
    running: status.running
      .filter(({ session }) => session === name)
      .map(({ command, ms }) => ({ command, ms: Math.max(0, Math.round(ms)) })),
  }));
}

function receiptOf({ tab, ms, ...rest }: Overview["recent"][number]): BrowseReceipt {
  return { ...rest, tab: tab ?? null, ms: Math.max(0, Math.round(ms)) };
}
