/** Invites that nobody has used yet. */
import type { InviteRow } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useInvites, useTeam } from "../../queries.ts";
import { useSending } from "../sign-in/use-sending.ts";

export function Invites() {
  const invites = useInvites(true);
  return (
    <Panel title="Open invites">
      {invites.isError && <FaultNote fault={invites.error} onRetry={() => void invites.refetch()} />}
      {invites.isPending && <SkeletonRows count={1} />}
      {invites.data?.length === 0 && <EmptyNote title="Nobody is invited at the moment" />}
      {invites.data && invites.data.length > 0 && (
        <ul className="divide-y divide-line">
          {invites.data.map((invite) => (
            <Invite key={invite.id} invite={invite} onGone={() => void invites.refetch()} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Invite({ invite, onGone }: { invite: InviteRow; onGone: () => void }) {
  const { api } = useServices();
  const team = useTeam();
  const [isAsking, setAsking] = useState(false);
  const { isSending, fault, send } = useSending();
  const revoke = () =>
    send(async () => {
      await api.rpc("revoke_invite", { team_id: team!.id, invite_id: invite.id });
      onGone();
    });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2">
      <p className="min-w-0 flex-1 basis-60 break-words">
        <span className="font-medium">{invite.email ?? "A link"}</span> for {invite.role}
        <span className="block text-meta text-ink-soft">
          by {invite.created_by_name}, <RelativeTime at={invite.created_at} />
        </span>
      </p>
      <Button variant="danger" disabled={isSending} onClick={() => setAsking(true)}>
        Revoke
      </Button>
      {fault && <FaultNote fault={fault} />}
      {isAsking && (
        <Confirm
          title="Revoke this invite?"
          act="Revoke"
          onNo={() => setAsking(false)}
          onYes={() => {
            setAsking(false);
            void revoke();
          }}
        >
          Its link stops working at once.
        </Confirm>
      )}
    </li>
  );
}
