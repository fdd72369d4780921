/**
 * Browsers over HTTP, read-only: `/api/browse…`. Only the person who owns this machine has access, and no response contains a
 * token.
 *
 * A workspace is identified by an id made from its folder. URLs, titles, names and texts come from pages and must always be
 * shown as plain text.
 */
import { z } from "zod";

const Time = z.iso.datetime({ offset: true });
const Count = z.number().int().nonnegative();

export const BrowseTabView = z.object({
  /** `t1`. */
  id: z.string(),
  url: z.string(),
  /** Null if Chromium did not report it at once. */
  title: z.string().nullable(),
  isCurrent: z.boolean(),
});
export type BrowseTabView = z.infer<typeof BrowseTabView>;

export const BrowseSessionView = z.object({
  name: z.string(),
  /** How long the session is kept, in words. */
  lease: z.string(),
  tabs: z.array(BrowseTabView),
  /** Commands that are running now, without their arguments. */
  running: z.array(z.object({ command: z.string(), ms: Count })),
});
export type BrowseSessionView = z.infer<typeof BrowseSessionView>;

const browseStates = ["running", "no answer", "stopped"] as const;

export const BrowseWorkspace = z.object({
  id: z.string(),
  /** The last part of its path. */
  name: z.string(),
  root: z.string(),
  state: z.enum(browseStates),
  /** When a browser was last started there. */
  startedAt: Time,
  browser: z
    .object({
      version: z.string(),
      idleMinutes: z.number(),
      chromium: z.enum(["not started", "running", "ended"]),
      chromiumVersion: z.string().nullable(),
      hasWindow: z.boolean(),
    })
    .nullable(),
  sessions: z.array(BrowseSessionView),
  /** Number of evidence bundles in its folder. */
  bundles: Count,
});
export type BrowseWorkspace = z.infer<typeof BrowseWorkspace>;

/** `GET /api/browse/workspaces`: workspaces where a browser was started, running ones first. */
export const BrowseWorkspaceList = z.object({ workspaces: z.array(BrowseWorkspace), isWhole: z.boolean() });
export type BrowseWorkspaceList = z.infer<typeof BrowseWorkspaceList>;

export const BrowseReceipt = z.object({
  seq: Count,
  at: Time,
  session: z.string(),
  tab: z.string().nullable(),
  command: z.string(),
  effect: z.enum(["read", "write", "meta"]),
  outcome: z.enum(["done", "failed"]),
  /** What a write changed, or why it failed. For a read, only how much was read. */
  text: z.string(),
  ms: Count,
});
export type BrowseReceipt = z.infer<typeof BrowseReceipt>;

/** `GET /api/browse/workspaces/:id`. */
export const BrowseWorkspaceDetail = BrowseWorkspace.extend({
  /** Newest first. */
  receipts: z.array(BrowseReceipt),
});
export type BrowseWorkspaceDetail = z.infer<typeof BrowseWorkspaceDetail>;

/** `GET /api/browse/workspaces/:id/picture?session&tab`: a small picture of what the tab shows now. */
export const BrowsePicture = z.object({
  state: z.enum(["live", "page does not answer", "none"]),
  /** How long the page's script has not responded; null if it does. */
  silentMs: Count.nullable(),
  /** When the picture was taken; null if there is none. */
  at: Time.nullable(),
  /** Base64. */
  jpeg: z.base64().nullable(),
});
export type BrowsePicture = z.infer<typeof BrowsePicture>;

/**
 * `holds`: the hash chain is complete and no picture was changed. `open`: intact so far but without an end, because it is still
 * being recorded or the recording process was killed. `broken`: a line or a picture was changed.
 */
const bundleStates = ["holds", "open", "broken"] as const;

export const BrowseBundle = z.object({
  /** The name of its folder. */
  bundle: z.string(),
  state: z.enum(bundleStates),
  /** What is wrong with a broken bundle. */
  problem: z.string().nullable(),
  name: z.string(),
  session: z.string(),
  at: Time.nullable(),
  commit: z.string().nullable(),
  branch: z.string().nullable(),
  changedFiles: Count,
  commands: Count,
  pictures: Count,
});
export type BrowseBundle = z.infer<typeof BrowseBundle>;

/** `GET /api/browse/workspaces/:id/evidence`, newest first. */
export const BrowseBundleList = z.object({ bundles: z.array(BrowseBundle), isWhole: z.boolean() });
export type BrowseBundleList = z.infer<typeof BrowseBundleList>;

export const BrowseStep = z.object({
  seq: Count,
  at: Time,
  command: z.string(),
  effect: z.enum(["read", "write", "meta"]),
  tab: z.string().nullable(),
  /** The outcome, in words. */
  text: z.string(),
  isFailed: z.boolean(),
  /** The name of its picture, for `…/evidence/:bundle/shots/:name`. */
  shot: z.string().nullable(),
  ms: Count,
});
export type BrowseStep = z.infer<typeof BrowseStep>;

/** `GET /api/browse/workspaces/:id/evidence/:bundle`. */
export const BrowseBundleDetail = BrowseBundle.extend({
  /** The hash of the last valid line. */
  head: z.string(),
  steps: z.array(BrowseStep),
  isWhole: z.boolean(),
});
export type BrowseBundleDetail = z.infer<typeof BrowseBundleDetail>;
