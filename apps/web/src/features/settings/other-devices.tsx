/** A link that signs this person in on a phone or another computer, and the way to sign out everywhere. */
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { CardFault } from "../sign-in/sign-in-card.tsx";
import { useSending } from "../sign-in/use-sending.ts";

export function OtherDevices() {
  const { api, team } = useServices();
  const [url, setUrl] = useState("");
  const [isAsking, setAsking] = useState(false);
  const { isSending, fault, send } = useSending();
  const makeLink = () => send(async () => setUrl((await api.signIn.link()).url));
  const endEverywhere = () =>
    send(async () => {
      await api.signIn.endEverywhere();
      await team.end();
    });
  return (
    <div className="px-4 py-3">
      <p className="text-ink-soft">A link signs you in on another device, once, within ten minutes.</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button disabled={isSending} onClick={() => void makeLink()}>
          Make a link
        </Button>
        <Button variant="danger" disabled={isSending} onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      </div>
      {url && (
        <div className="mt-3">
          <CopyCommand command={url} />
        </div>
      )}
      <CardFault fault={fault} />
      {isAsking && (
        <Confirm
          title="Sign out everywhere?"
          act="Sign out everywhere"
          onNo={() => setAsking(false)}
          onYes={() => {
            setAsking(false);
            void endEverywhere();
          }}
        >
          Every browser and terminal of yours has to sign in again. Tokens for CI keep working.
        </Confirm>
      )}
    </div>
  );
}
