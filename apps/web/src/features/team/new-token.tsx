/** Makes a token, and shows it once with its server: CI needs both. */
import { type FormEvent, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Modal } from "../../parts/modal.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { useTeam } from "../../queries.ts";
import { CardFault } from "../sign-in/sign-in-card.tsx";
import { useSending } from "../sign-in/use-sending.ts";

export function NewToken({ onClose }: { onClose: () => void }) {
  const { api } = useServices();
  const team = useTeam();
  const [name, setName] = useState("");
  const [mayWrite, setMayWrite] = useState(true);
  const [token, setToken] = useState("");
  const { isSending, fault, send } = useSending();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(async () => {
      const scopes = mayWrite ? (["write"] as const) : (["read"] as const);
      setToken((await api.rpc("create_token", { team_id: team!.id, name, scopes: [...scopes] })).token);
    });
  };
  return (
    <Modal label="New token" onClose={onClose}>
      <div className="p-4">
        <h2 className="text-body">New token</h2>
        {token ? (
          <>
            <p role="status" className="mt-2 text-ink-soft">
              It is shown only now. Store both as secrets of your CI:
            </p>
            <div className="mt-3 grid justify-items-start gap-2">
              <CopyCommand command={`DEVFLOW_SERVER=${location.origin}`} />
              <CopyCommand command={`DEVFLOW_ACCESS_TOKEN=${token}`} />
            </div>
            <div className="mt-6 flex justify-end">
              <Button variant="strong" onClick={onClose}>
                Done
              </Button>
            </div>
          </>
        ) : (
          <form onSubmit={submit} className="mt-3 grid gap-3">
            <TextField
              label="What it is for"
              placeholder="GitHub Actions"
              required
              maxLength={200}
              data-focus
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <label className="flex min-h-6 items-center gap-2">
              <input
                type="checkbox"
                checked={mayWrite}
                onChange={(event) => setMayWrite(event.target.checked)}
                className="size-4 accent-accent"
              />
              It may write records, for example push eval results
            </label>
            <p className="text-meta text-ink-soft">Valid for 90 days, in {team?.name} only. It can manage nothing.</p>
            <CardFault fault={fault} />
            <div className="mt-3 flex justify-end gap-2">
              <Button onClick={onClose}>Go back</Button>
              <Button type="submit" variant="strong" disabled={isSending}>
                Create
              </Button>
            </div>
          </form>
        )}
      </div>
    </Modal>
  );
}
