import { useParams } from "@tanstack/react-router";
import { useIsTeamServer } from "../../app-context.tsx";
import { BackLink } from "../../parts/back-link.tsx";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useMembers, useTeam } from "../../queries.ts";
import { MemberActions } from "./member-actions.tsx";

export function MemberPage() {
  const { userId } = useParams({ from: "/team/members/$userId" });
  const members = useMembers();
  const team = useTeam();
  const isTeam = useIsTeamServer();
  const member = members.data?.find((each) => each.user_id === userId);
  return (
    <Page title={member?.name ?? "Member"} above={<BackLink to="/team">Team</BackLink>}>
      <Panel title="Member">
        {members.isPending && <SkeletonRows count={5} height="fact" />}
        {members.isError && <FaultNote fault={members.error} onRetry={() => void members.refetch()} />}
        {members.data && !member && (
          <EmptyNote title="Not in this team">They may have left, or belong to another of your teams.</EmptyNote>
        )}
        {member && (
          <Facts
            rows={[
              ["Name", member.name],
              ["Email", member.email ?? "none"],
              ["Role", member.role],
              ["Id", <Mono key="id">{member.user_id}</Mono>],
            ]}
          />
        )}
      </Panel>
      {isTeam && member && team && <MemberActions team={team} member={member} />}
    </Page>
  );
}
