/** Confirms the code that a terminal shows, so that it is signed in as this person. */
import type { DeviceLook } from "@devflow/protocol";
import { type FormEvent, useEffect, useState } from "react";
import { useServices, useSessionState } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Page } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { CardFault } from "./sign-in-card.tsx";
import { useFragment } from "./take-token.ts";
import { useSending } from "./use-sending.ts";

export function DevicePage() {
  const linked = useFragment("user_code");
  return <Device key={linked} linked={linked} />;
}

function Device({ linked }: { linked: string }) {
  const { api } = useServices();
  const [code, setCode] = useState(linked);
  const [found, setFound] = useState<DeviceLook>();
  const [decision, setDecision] = useState<"approved" | "denied">();
  const { isSending, fault, send } = useSending();
  const look = (wanted: string) =>
    send(async () => {
      setFound(await api.signIn.lookAtDevice(wanted));
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the code in the link
  useEffect(() => {
    if (linked) void look(linked);
  }, [linked]);
  const decide = (next: "approved" | "denied") =>
    send(async () => {
      await api.signIn.decideDevice(code, next);
      setDecision(next);
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void look(code);
  };

  return (
    <Page title="Sign in a terminal">
      <div className="max-w-[560px] rounded-panel border border-line bg-raised p-4">
        {decision && <Decided decision={decision} terminal={found?.terminal ?? ""} />}
        {!decision && found && <Question found={found} isSending={isSending} decide={(next) => void decide(next)} />}
        {!decision && !found && (
          <form onSubmit={submit} className="grid gap-3">
            <TextField
              label="Code"
              hint="The terminal shows it: eight letters."
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              required
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
            <div>
              <Button type="submit" variant="strong" disabled={isSending}>
                Continue
              </Button>
            </div>
          </form>
        )}
        <CardFault fault={fault} />
      </div>
    </Page>
  );
}

function Question(props: { found: DeviceLook; isSending: boolean; decide: (decision: "approved" | "denied") => void }) {
  const { found, isSending, decide } = props;
  const state = useSessionState();
  return (
    <>
      <p>
        A terminal wants to sign in as{" "}
        <span className="font-medium">{state.is === "signed-in" ? state.user.name : ""}</span>. Continue only if you
        started this yourself and the terminal shows this code.
      </p>
      <div className="-mx-4 mt-3 border-y border-line">
        <Facts
          rows={[
            ["Code", <Mono key="code">{found.code}</Mono>],
            ["Terminal", found.terminal],
            ["Started", <RelativeTime key="at" at={found.startedAt} />],
          ]}
        />
      </div>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button variant="strong" disabled={isSending} onClick={() => decide("approved")}>
          Sign in this terminal
        </Button>
        <Button variant="danger" disabled={isSending} onClick={() => decide("denied")}>
          It was not me
        </Button>
      </div>
    </>
  );
}

function Decided({ decision, terminal }: { decision: "approved" | "denied"; terminal: string }) {
  return (
    <p role="status">
      {decision === "approved"
        ? `${terminal} will be signed in within a few seconds. You can close this page.`
        : "The terminal was refused. Nobody was signed in."}
    </p>
  );
}
