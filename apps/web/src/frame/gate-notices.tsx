/** Shows a browser notification when a gate opens or an agent asks for permission, if the user turned it on. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useApprovals, useOpenPermissions } from "../features/runs/run-queries.ts";
import { createNotices, questionsOf, readNotify } from "../model/runs/gate-notices.ts";

export function GateNotices() {
  const { data: gates } = useApprovals();
  const { data: permissions } = useOpenPermissions();
  const navigate = useNavigate();
  const [notices] = useState(createNotices);
  useEffect(() => {
    if (!gates || !permissions) return;
    const fresh = notices.fresh(questionsOf(gates, permissions));
    if (!("Notification" in window) || Notification.permission !== "granted" || !readNotify(localStorage)) return;
    for (const { id, runId, runTitle, text } of fresh) {
      // With the same tag, several open tabs show one notification.
      const notice = new Notification(runTitle, { body: text, tag: id });
      notice.onclick = () => {
        window.focus();
        void navigate({ to: "/runs/$id", params: { id: runId } });
        notice.close();
      };
    }
  }, [gates, permissions, navigate, notices]);
  return null;
}
