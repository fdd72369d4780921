/** Invites somebody: a link to pass on, or a mail where the server can send one. */
import { signInPaths, type TeamRole, type TeamRow } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Modal } from "../../parts/modal.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { CardFault } from "../sign-in/sign-in-card.tsx";
import { useSending } from "../sign-in/use-sending.ts";
import { RoleSelect } from "./role-select.tsx";

export function InviteButton({ team }: { team: TeamRow }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Invite</Button>
      {isOpen && (
        <Modal label={`Invite somebody to ${team.name}`} onClose={() => setOpen(false)}>
          <InviteForm team={team} onClose={() => setOpen(false)} />
        </Modal>
      )}
    </>
  );
}

function InviteForm({ team, onClose }: { team: TeamRow; onClose: () => void }) {
  const { api } = useServices();
  const ways = useQuery({ queryKey: ["ways"], queryFn: () => api.signIn.ways() });
  const [role, setRole] = useState<TeamRole>("member");
  const [email, setEmail] = useState("");
  const [made, setMade] = useState<{ url: string } | { mailedTo: string }>();
  const { isSending, fault, send } = useSending();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(async () => {
      if (email && ways.data?.email) {
        await api.signIn.mailInvite({ teamId: team.id, role, email });
        setMade({ mailedTo: email });
        return;
      }
      const { token } = await api.rpc("create_invite", { team_id: team.id, role });
      setMade({ url: `${location.origin}${signInPaths.invite}#token=${token}` });
    });
  };
  return (
    <div className="p-4">
      <h2 className="text-body">Invite somebody to {team.name}</h2>
      {made ? (
        <>
          <p role="status" className="mt-2 text-ink-soft">
            {"url" in made
              ? "This link lets one person in, once, within a week. It is shown only now:"
              : `An invite is on its way to ${made.mailedTo}. It works once, within a week.`}
          </p>
          {"url" in made && (
            <div className="mt-3">
              <CopyCommand command={made.url} />
            </div>
          )}
          <div className="mt-6 flex justify-end">
            <Button variant="strong" onClick={onClose}>
              Done
            </Button>
          </div>
        </>
      ) : (
        <form onSubmit={submit} className="mt-3 grid gap-3">
          <RoleSelect label="Role" value={role} mayOwn={team.role === "owner"} onChange={setRole} />
          {ways.data?.email && (
            <TextField
              label="E-mail address (optional)"
              hint="Without one, you get a link to pass on."
              type="email"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
          <CardFault fault={fault} />
          <div className="mt-3 flex justify-end gap-2">
            <Button onClick={onClose}>Go back</Button>
            <Button type="submit" variant="strong" disabled={isSending} data-focus>
              {email ? "Send the invite" : "Make a link"}
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}
