/** The changes of the selected team, repository and kind. */
import { useSearch } from "@tanstack/react-router";
import { useLive } from "../../live-context.tsx";
import type { LoggedChange } from "../../model/change-log.ts";
import { useMembers, useRepos, useTeam } from "../../queries.ts";

export function useActivity(kind?: string | undefined) {
  const { log, loaded, fault, retryNow } = useLive();
  const team = useTeam();
  const repos = useRepos();
  const members = useMembers();
  const { repo } = useSearch({ from: "__root__" });
  const repoId = repos.data?.find((each) => each.name === repo)?.id;
  const ofTeam = log.changes.filter((change) => change.teamId === team?.id);
  const changes = ofTeam.filter(
    (change) => (repo === undefined || change.entityId === repoId) && (kind === undefined || change.kind === kind),
  );
  const names = new Map<string, string>([
    ...(repos.data ?? []).map((each) => [each.id, each.name] as const),
    ...(members.data ?? []).map((each) => [each.user_id, each.name] as const),
    ...(team ? [[team.id, team.name] as const] : []),
  ]);
  return {
    changes,
    kinds: [...new Set(ofTeam.map((change) => change.kind))].sort(),
    nameOf: (change: LoggedChange) => names.get(change.entityId),
    loaded,
    fault,
    retryNow,
    repo,
  };
}
