/** An agent's request for permission, with buttons to allow or deny it. */
import type { PermissionView } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { permissionQuestion } from "../../model/runs/run-words.ts";
import { Button } from "../../parts/button.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { Refusal } from "./gate-decision.tsx";
import { useAction } from "./use-action.ts";

const answers = {
  once: ["allow", "once"],
  run: ["allow", "run"],
  repository: ["allow", "repository"],
  deny: ["deny", "once"],
} as const;
type Choice = keyof typeof answers;

export function PermissionPanel({ permission }: { permission: PermissionView }) {
  const { api } = useServices();
  const act = useAction((choice: Choice) => {
    const [answer, scope] = answers[choice];
    return api.runs.permit(permission, answer, scope);
  });
  const [isSent, setSent] = useState(false);
  const isBusy = act.isSending || isSent;
  const send = async (choice: Choice) => {
    if (await act.send(choice)) setSent(true);
  };
  const button = (choice: Choice, label: string, variant?: "strong" | "danger") => (
    <Button {...(variant ? { variant } : {})} disabled={isBusy} onClick={() => void send(choice)}>
      {label}
    </Button>
  );
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
        <div className="flex flex-wrap gap-2">
          {button("once", "Allow once", "strong")}
          {permission.covers !== null && button("run", "Allow for this run")}
          {permission.covers !== null && button("repository", "Always in this repository")}
          {button("deny", "Deny", "danger")}
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
