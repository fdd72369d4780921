import { Link, useParams } from "@tanstack/react-router";
import { BackLink } from "../../parts/back-link.tsx";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useRepos } from "../../queries.ts";

export function RepositoryPage() {
  const { repoId } = useParams({ from: "/team/repositories/$repoId" });
  const repos = useRepos();
  const repo = repos.data?.find((each) => each.id === repoId);
  return (
    <Page title={repo?.name ?? "Repository"} above={<BackLink to="/team">Team</BackLink>}>
      <Panel
        title="Repository"
        aside={
          repo && (
            <Link
              to="/activity"
              search={(now) => ({ ...now, repo: repo.name })}
              className="text-meta text-accent hover:underline"
            >
              Activity
            </Link>
          )
        }
      >
        {repos.isPending && <SkeletonRows count={5} height="fact" />}
        {repos.isError && <FaultNote fault={repos.error} onRetry={() => void repos.refetch()} />}
        {repos.data && !repo && (
          <EmptyNote title="Not registered in this team">
            It may have been removed, or belong to another of your teams.
          </EmptyNote>
        )}
        {repo && (
          <Facts
            rows={[
              ["Name", repo.name],
              ["Remote", repo.remote ? <Mono key="remote">{repo.remote}</Mono> : "none"],
              ["Default branch", <Mono key="branch">{repo.default_branch}</Mono>],
              ["Folder", repo.path_hint ? <Mono key="path">{repo.path_hint}</Mono> : "not known"],
              ["Id", <Mono key="id">{repo.id}</Mono>],
            ]}
          />
        )}
      </Panel>
    </Page>
  );
}
