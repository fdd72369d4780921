/** What an admin may do about a member, and everybody about themselves. */
import type { MemberRow, TeamRole, TeamRow } from "@devflow/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useServices, useSessionState } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Panel } from "../../parts/page.tsx";
import { CardFault } from "../sign-in/sign-in-card.tsx";
import { useSending } from "../sign-in/use-sending.ts";
import { RoleSelect } from "./role-select.tsx";

export function MemberActions({ team, member }: { team: TeamRow; member: MemberRow }) {
  const { api } = useServices();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const state = useSessionState();
  const [isAsking, setAsking] = useState<"" | "remove" | "erase">("");
  const { isSending, fault, send } = useSending();
  const isMe = state.is === "signed-in" && state.user.id === member.user_id;
  const about = { team_id: team.id, user_id: member.user_id };
  const mayManage = team.role === "owner" || (team.role === "admin" && member.role !== "owner");
  if (!mayManage && !isMe) return null;

  const setRole = (role: TeamRole) =>
    send(async () => {
      await api.rpc("set_role", { ...about, role });
      await queries.invalidateQueries();
    });
  const end = (how: "remove_member" | "erase_member") =>
    send(async () => {
      await api.rpc(how, about);
      await queries.invalidateQueries();
      await navigate({ to: "/team" });
    });

  return (
    <div className="mt-8">
      <Panel title="Membership">
        <div className="grid gap-4 p-4">
          {mayManage && (
            <div className="max-w-[420px]">
              <RoleSelect
                label="Role"
                value={member.role}
                mayOwn={team.role === "owner"}
                disabled={isSending}
                onChange={(role) => void setRole(role)}
              />
            </div>
          )}
          <div className="flex flex-wrap gap-2">
            <Button variant="danger" disabled={isSending} onClick={() => setAsking("remove")}>
              {isMe ? `Leave ${team.name}` : `Remove from ${team.name}`}
            </Button>
            {mayManage && !isMe && (
              <Button variant="danger" disabled={isSending} onClick={() => setAsking("erase")}>
                Erase
              </Button>
            )}
          </div>
          <CardFault fault={fault} />
        </div>
      </Panel>
      {isAsking === "remove" && (
        <Confirm
          title={isMe ? `Leave ${team.name}?` : `Remove ${member.name}?`}
          act={isMe ? "Leave" : "Remove"}
          onNo={() => setAsking("")}
          onYes={() => {
            setAsking("");
            void end("remove_member");
          }}
        >
          Access ends at once, and so do the tokens. The records stay with the team.
        </Confirm>
      )}
      {isAsking === "erase" && (
        <Confirm
          title={`Erase ${member.name}?`}
          act="Erase for ever"
          onNo={() => setAsking("")}
          onYes={() => {
            setAsking("");
            void end("erase_member");
          }}
        >
          Their records in {team.name} are deleted everywhere, and with their last team their name and address too. This
          cannot be undone.
        </Confirm>
      )}
    </div>
  );
}
