/** An agent's request for permission, with buttons to allow or deny it. */
import type { PermissionView } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { permissionQuestion } from "../../model/runs/run-words.ts";
import { Button } from "../../parts/button.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { Refusal } from "./gate-decision.tsx";
import { useAction } from "./use-action.ts";

export function PermissionPanel({ permission }: { permission: PermissionView }) {
  const { api } = useServices();
  const act = useAction((answer: "allow" | "deny") => api.runs.permit(permission, answer));
  const [sent, setSent] = useState<"allow" | "deny">();
  const isBusy = act.isSending || sent !== undefined;
  const send = async (answer: "allow" | "deny") => {
    if (await act.send(answer)) setSent(answer);
  };
  return (
    <section
      aria-label="Permission"
      data-permission={permission.id}
      className="min-w-0 overflow-hidden rounded-panel border border-line-strong bg-warn-soft px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-80">
          <h2 className="text-body">{permissionQuestion(permission)}</h2>
          <code className="block font-mono text-meta break-all whitespace-pre-wrap">{permission.detail}</code>
        </div>
        <span className="text-meta text-ink-soft">
          asked <RelativeTime at={permission.askedAt} />
        </span>
        <div className="flex gap-2">
          <Button variant="strong" disabled={isBusy} onClick={() => void send("allow")}>
            Allow
          </Button>
          <Button variant="danger" disabled={isBusy} onClick={() => void send("deny")}>
            Deny
          </Button>
        </div>
      </div>
      {act.fault && (
        <div className="mt-2">
          <Refusal fault={act.fault} />
        </div>
      )}
    </section>
  );
}
