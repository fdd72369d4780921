/** Queries about browsers. They are fetched again while the page is visible. */
import { useQuery } from "@tanstack/react-query";
import { useServices } from "../../app-context.tsx";
import type { TabPlace } from "../../model/browse/browse-api.ts";

const refetchMs = 3_000;
const workspaceMs = 1_500;
const pictureMs = 1_000;

export function useWorkspaces() {
  const { browse } = useServices().api;
  return useQuery({
    queryKey: ["browse", "workspaces"],
    queryFn: ({ signal }) => browse.workspaces(signal),
    refetchInterval: refetchMs,
  });
}

export function useWorkspace(id: string) {
  const { browse } = useServices().api;
  return useQuery({
    queryKey: ["browse", "workspace", id],
    queryFn: ({ signal }) => browse.workspace(id, signal),
    refetchInterval: workspaceMs,
  });
}

/** The picture of one tab; not cached, so that another tab never shows it. */
export function usePicture(place: TabPlace) {
  const { browse } = useServices().api;
  return useQuery({
    queryKey: ["browse", "picture", place],
    queryFn: ({ signal }) => browse.picture(place, signal),
    refetchInterval: pictureMs,
    gcTime: 0,
  });
}

export function useBundles(workspace: string) {
  const { browse } = useServices().api;
  return useQuery({
    queryKey: ["browse", "bundles", workspace],
    queryFn: ({ signal }) => browse.bundles(workspace, signal),
    refetchInterval: refetchMs,
  });
}

export function useBundle(workspace: string, bundle: string) {
  const { browse } = useServices().api;
  return useQuery({
    queryKey: ["browse", "bundle", workspace, bundle],
    queryFn: ({ signal }) => browse.bundle(workspace, bundle, signal),
    refetchInterval: refetchMs,
  });
}

export function useShot(workspace: string, bundle: string, name: string) {
  const { browse } = useServices().api;
  return useQuery({
    queryKey: ["browse", "shot", workspace, bundle, name],
    queryFn: ({ signal }) => browse.shot(workspace, bundle, name, signal),
    gcTime: 60_000,
  });
}
