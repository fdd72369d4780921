/** Signing in to a team server: by a link that comes by e-mail, where the server can send it, or from a terminal. */
import { signInPaths } from "@devflow/protocol";
import { type FormEvent, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { CardFault, SignInCard } from "./sign-in-card.tsx";
import { isTabOnly } from "./tab-only.ts";
import { useSending } from "./use-sending.ts";

export function TeamSignInCard({ why, canMail }: { why: string; canMail: boolean }) {
  const isForTerminal = location.pathname === signInPaths.device;
  return (
    <SignInCard title="Sign in to Devflow" why={why}>
      {isForTerminal && (
        <p className="mt-2">
          {isTabOnly
            ? "Sign in here first, then open the link from your terminal in this tab again to confirm its code. Without TLS, only this tab is signed in."
            : "Sign in here first, then open the link from your terminal again to confirm its code."}
        </p>
      )}
      {canMail && <EmailForm />}
      <p className="mt-6 text-ink-soft">
        {canMail ? "Or, in" : "In"} a terminal where you have signed in, run this command. Its link signs you in on any
        device:
      </p>
      <div className="mt-3">
        <CopyCommand command="devflow team open" />
      </div>
      <p className="mt-6 text-meta text-ink-soft">
        New here? Ask an admin of your team for an invite, and open its link in this browser.
      </p>
    </SignInCard>
  );
}

function EmailForm() {
  const { api } = useServices();
  const [email, setEmail] = useState("");
  const [isSent, setSent] = useState(false);
  const { isSending, fault, send } = useSending();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(async () => {
      await api.signIn.mailLink(email);
      setSent(true);
    });
  };
  if (isSent) {
    return (
      <p role="status" className="mt-4">
        If {email} belongs to a member who has confirmed it, a link is on its way. It works for ten minutes, once.
      </p>
    );
  }
  return (
    <form onSubmit={submit} className="mt-4 grid gap-3">
      <TextField
        label="E-mail address"
        type="email"
        autoComplete="email"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Button type="submit" variant="strong" disabled={isSending}>
        Send me a link
      </Button>
      <CardFault fault={fault} />
    </form>
  );
}
