/** Confirms an e-mail address by the link that was sent there; signed in or not. */
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { CardFault, SignInCard } from "./sign-in-card.tsx";
import { useFragment } from "./take-token.ts";
import { useSending } from "./use-sending.ts";

export function ConfirmCard() {
  return (
    <SignInCard title="Confirm your address">
      <Confirmation />
    </SignInCard>
  );
}

export function ConfirmPage() {
  return (
    <Page title="Confirm your address">
      <Confirmation />
    </Page>
  );
}

function Confirmation() {
  const { api } = useServices();
  const token = useFragment("token");
  const [isDone, setDone] = useState(false);
  const { isSending, fault, send } = useSending();
  const confirm = () =>
    send(async () => {
      await api.signIn.confirmEmail(token);
      setDone(true);
    });
  if (isDone) {
    return (
      <p role="status" className="mt-2">
        Your address is confirmed. You can sign in with it from now on.
      </p>
    );
  }
  return (
    <div className="mt-2">
      <p className="text-ink-soft">Afterwards you can sign in with a link that is sent to this address.</p>
      <Button variant="strong" className="mt-4" disabled={isSending} onClick={() => void confirm()}>
        Confirm
      </Button>
      <CardFault fault={fault} />
    </div>
  );
}
