/** Joins another team by an invite, as the person who has signed in. */
import { useNavigate } from "@tanstack/react-router";
import { useServices, useSessionState } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { roleWords, useInvite } from "./link-cards.tsx";
import { CardFault } from "./sign-in-card.tsx";
import { useFragment } from "./take-token.ts";
import { useSending } from "./use-sending.ts";

export function JoinPage() {
  const { api } = useServices();
  const state = useSessionState();
  const navigate = useNavigate();
  const token = useFragment("token");
  const { look, fault } = useInvite(token);
  const sending = useSending();
  const join = () =>
    sending.send(async () => {
      const team = await api.rpc("accept_invite", { token });
      await navigate({ to: "/team", search: { team: team.slug } });
    });
  return (
    <Page title={look ? `Join ${look.team}` : "Join a team"}>
      <div className="max-w-[560px] rounded-panel border border-line bg-raised">
        {fault && <FaultNote fault={fault} />}
        {!fault && !look && <SkeletonRows count={2} />}
        {look && (
          <div className="p-4">
            <p>
              {look.invitedBy} invites you as {roleWords[look.role]}. You join as{" "}
              <span className="font-medium">{state.is === "signed-in" ? state.user.name : ""}</span>.
            </p>
            <Button variant="strong" className="mt-4" disabled={sending.isSending} onClick={() => void join()}>
              Join
            </Button>
            <CardFault fault={sending.fault} />
          </div>
        )}
      </div>
    </Page>
  );
}
