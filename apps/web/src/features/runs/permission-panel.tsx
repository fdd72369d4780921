/** An agent's request for permission, with buttons to allow or deny it. On a phone each button has a line of its own. */
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
  const [sent, setSent] = useState<Choice>();
  const isBusy = act.isSending || sent !== undefined;
  const send = async (choice: Choice) => {
    if (await act.send(choice)) setSent(choice);
  };
  const button = (choice: Choice, label: string, variant?: "strong" | "danger") => (
    <Button
      {...(variant ? { variant } : {})}
      disabled={isBusy}
      onClick={() => void send(choice)}
      className="max-wide:min-h-11"
    >
      {label}
    </Button>
  );
  return (
    <section
      aria-label="Permission"
      data-permission={permission.id}
      className="min-w-0 overflow-hidden rounded-panel border border-line-strong bg-warn-soft px-4 py-3"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="text-body">{permissionQuestion(permission)}</h2>
        <span className="text-meta text-ink-soft">
          asked <RelativeTime at={permission.askedAt} />
        </span>
      </div>
      {/* A command may be long; the answers stay in view. */}
      <code className="mt-2 block max-h-40 overflow-y-auto rounded-small border border-line bg-canvas px-2 py-1 font-mono text-meta break-all whitespace-pre-wrap">
        {permission.detail}
      </code>
      {permission.covers !== null && (
        <p className="mt-1 text-meta break-words text-ink-soft">
          Allowed for longer, it covers: <span className="font-mono break-all">{permission.covers}</span>
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2 max-wide:grid">
        {button("once", "Allow once", "strong")}
        {permission.covers !== null && button("run", "Allow for this run")}
        {permission.covers !== null && button("repository", "Always in this repository")}
        {button("deny", "Deny", "danger")}
      </div>
      <p role="status" className="text-meta text-ink-soft empty:hidden">
        {sent !== undefined && `${sent === "deny" ? "Denied" : "Allowed"}. The agent is told…`}
      </p>
      {act.fault && (
        <div className="mt-2">
          <Refusal fault={act.fault} />
        </div>
      )}
    </section>
  );
}
