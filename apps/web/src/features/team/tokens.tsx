/** Personal access tokens, for CI: one's own, and for admins everybody's. */
import type { AccessTokenRow } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useTeam, useTokens } from "../../queries.ts";
import { useSending } from "../sign-in/use-sending.ts";
import { NewToken } from "./new-token.tsx";

export function Tokens() {
  const tokens = useTokens(true);
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel title="Tokens for CI" aside={<Button onClick={() => setOpen(true)}>New token</Button>}>
      {tokens.isError && <FaultNote fault={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.isPending && <SkeletonRows count={1} />}
      {tokens.data?.length === 0 && (
        <EmptyNote title="No tokens">A program that pushes or reads records of the team needs one.</EmptyNote>
      )}
      {tokens.data && tokens.data.length > 0 && (
        <ul className="divide-y divide-line">
          {tokens.data.map((token) => (
            <Token key={token.id} token={token} onGone={() => void tokens.refetch()} />
          ))}
        </ul>
      )}
      {isOpen && (
        <NewToken
          onClose={() => {
            setOpen(false);
            void tokens.refetch();
          }}
        />
      )}
    </Panel>
  );
}

function Token({ token, onGone }: { token: AccessTokenRow; onGone: () => void }) {
  const { api } = useServices();
  const team = useTeam();
  const [isAsking, setAsking] = useState(false);
  const { isSending, fault, send } = useSending();
  const revoke = () =>
    send(async () => {
      await api.rpc("revoke_token", { team_id: team!.id, token_id: token.id });
      onGone();
    });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2">
      <p className="min-w-0 flex-1 basis-60 break-words">
        <span className="font-medium">{token.name}</span> ({token.scopes.join(", ")})
        <span className="block text-meta text-ink-soft">
          of {token.user_name}, {token.last_used_at ? "used " : "never used"}
          {token.last_used_at && <RelativeTime at={token.last_used_at} />}, valid until {token.expires_at.slice(0, 10)}
        </span>
      </p>
      <Button variant="danger" disabled={isSending} onClick={() => setAsking(true)}>
        Revoke
      </Button>
      {fault && <FaultNote fault={fault} />}
      {isAsking && (
        <Confirm
          title={`Revoke ${token.name}?`}
          act="Revoke"
          onNo={() => setAsking(false)}
          onYes={() => {
            setAsking(false);
            void revoke();
          }}
        >
          Programs that use it lose access within ten minutes.
        </Confirm>
      )}
    </li>
  );
}
