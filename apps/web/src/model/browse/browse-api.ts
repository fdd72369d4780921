/** Requests about browsers, read-only. Every response is parsed by its schema. */
import {
  BrowseBundleDetail,
  BrowseBundleList,
  BrowsePicture,
  BrowseWorkspaceDetail,
  BrowseWorkspaceList,
} from "@devflow/protocol";
import type { z } from "zod";

export interface BrowseTransport {
  get<T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T>;
  /** A picture as a `data:` URL, since an `img` element cannot send the token. */
  image(path: string, signal?: AbortSignal): Promise<string>;
}

/** One tab of one session of a workspace's browser. */
export interface TabPlace {
  readonly workspace: string;
  readonly session: string;
  readonly tab: string;
}

export function createBrowseApi({ get, image }: BrowseTransport) {
  const at = (workspace: string) => `/api/browse/workspaces/${encodeURIComponent(workspace)}`;
  const bundleAt = (workspace: string, bundle: string) => `${at(workspace)}/evidence/${encodeURIComponent(bundle)}`;
  return {
    workspaces: (signal?: AbortSignal) => get("/api/browse/workspaces", BrowseWorkspaceList, signal),
    workspace: (id: string, signal?: AbortSignal) => get(at(id), BrowseWorkspaceDetail, signal),
    picture: ({ workspace, session, tab }: TabPlace, signal?: AbortSignal) =>
      get(`${at(workspace)}/picture?${new URLSearchParams({ session, tab })}`, BrowsePicture, signal),
    bundles: (workspace: string, signal?: AbortSignal) => get(`${at(workspace)}/evidence`, BrowseBundleList, signal),
    bundle: (workspace: string, bundle: string, signal?: AbortSignal) =>
      get(bundleAt(workspace, bundle), BrowseBundleDetail, signal),
    shot: (workspace: string, bundle: string, name: string, signal?: AbortSignal) =>
      image(`${bundleAt(workspace, bundle)}/shots/${encodeURIComponent(name)}`, signal),
  };
}
