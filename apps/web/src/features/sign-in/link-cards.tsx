/** What the one-time links of a team server lead to: setting it up, joining a team, signing in. */
import type { Grant } from "@devflow/protocol";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { CardFault, SignInCard } from "./sign-in-card.tsx";
import { isTabOnly } from "./tab-only.ts";
import { useFragment } from "./take-token.ts";
import { useSending } from "./use-sending.ts";

export function SetupCard() {
  const { api } = useServices();
  const token = useFragment("token");
  const [name, setName] = useState("");
  const [team, setTeam] = useState("");
  const [email, setEmail] = useState("");
  return (
    <SignInCard title="Set up this server">
      <p className="mt-2 text-ink-soft">You become the owner of its first team. This link works once.</p>
      <GrantForm act="Create the team" ask={() => api.signIn.setUp({ token, name, team, ...(email ? { email } : {}) })}>
        <TextField label="Name of the team" required value={team} onChange={(event) => setTeam(event.target.value)} />
        <PersonFields name={name} email={email} setName={setName} setEmail={setEmail} />
      </GrantForm>
    </SignInCard>
  );
}

export function InviteCard() {
  const { api } = useServices();
  const token = useFragment("token");
  const invite = useInvite(token);
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  useEffect(() => {
    if (invite.look?.email) setEmail(invite.look.email);
  }, [invite.look]);
  if (invite.fault) {
    return (
      <SignInCard title="Join a team">
        <CardFault fault={invite.fault} />
      </SignInCard>
    );
  }
  return (
    <SignInCard title={invite.look ? `Join ${invite.look.team}` : "Join a team"}>
      <p className="mt-2 text-ink-soft" role="status">
        {invite.look
          ? `${invite.look.invitedBy} invites you as ${roleWords[invite.look.role]}.`
          : "Reading the invite…"}
      </p>
      {invite.look && (
        <GrantForm act="Join" ask={() => api.signIn.join({ token, name, ...(email ? { email } : {}) })}>
          <PersonFields name={name} email={email} setName={setName} setEmail={setEmail} />
        </GrantForm>
      )}
      <p className="mt-6 text-meta text-ink-soft">
        If you have an account on this server, sign in first and open the invite again.
      </p>
    </SignInCard>
  );
}

export function LinkCard() {
  const { api } = useServices();
  const token = useFragment("token");
  return (
    <SignInCard title="Sign in to Devflow">
      <p className="mt-2 text-ink-soft">
        {isTabOnly
          ? "This tab stays signed in until you close it or sign out. A server with TLS signs in the whole browser."
          : "This browser stays signed in until you sign out, or do not use it for 30 days."}
      </p>
      <GrantForm act="Sign in" ask={() => api.signIn.byLink(token)} />
    </SignInCard>
  );
}

export const roleWords = { owner: "an owner", admin: "an admin", member: "a member" } as const;

/** What an invite is for. */
export function useInvite(token: string) {
  const { api } = useServices();
  const [state, setState] = useState<{
    look?: Awaited<ReturnType<typeof api.signIn.lookAtInvite>>;
    fault?: Error;
  }>({});
  useEffect(() => {
    api.signIn.lookAtInvite(token).then(
      (look) => setState({ look }),
      (fault: Error) => setState({ fault }),
    );
  }, [api, token]);
  return state;
}

function PersonFields(props: {
  name: string;
  email: string;
  setName: (name: string) => void;
  setEmail: (email: string) => void;
}) {
  return (
    <>
      <TextField
        label="Your name"
        autoComplete="name"
        required
        maxLength={200}
        value={props.name}
        onChange={(event) => props.setName(event.target.value)}
      />
      <TextField
        label="E-mail address (optional)"
        type="email"
        autoComplete="email"
        value={props.email}
        onChange={(event) => props.setEmail(event.target.value)}
      />
    </>
  );
}

function GrantForm({ act, ask, children }: { act: string; ask: () => Promise<Grant>; children?: ReactNode }) {
  const { team } = useServices();
  const { isSending, fault, send } = useSending();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(async () => {
      const grant = await ask();
      history.replaceState(null, "", "/");
      team.accept(grant);
    });
  };
  return (
    <form onSubmit={submit} className="mt-4 grid gap-3">
      {children}
      <div className="mt-2">
        <Button type="submit" variant="strong" disabled={isSending}>
          {act}
        </Button>
      </div>
      <CardFault fault={fault} />
    </form>
  );
}
