/** Shows a browser notification when a gate opens, if the user turned it on. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useApprovals } from "../features/runs/run-queries.ts";
import { createGateNotices, readNotify } from "../model/runs/gate-notices.ts";
import { gateQuestion } from "../model/runs/run-words.ts";

export function GateNotices() {
  const approvals = useApprovals();
  const navigate = useNavigate();
  const [notices] = useState(createGateNotices);
  useEffect(() => {
    if (!approvals.data) return;
    const fresh = notices.fresh(approvals.data);
    if (!("Notification" in window) || Notification.permission !== "granted" || !readNotify(localStorage)) return;
    for (const gate of fresh) {
      // With the same tag, several open tabs show one notification.
      const notice = new Notification(gate.runTitle, { body: gateQuestion(gate), tag: gate.id });
      notice.onclick = () => {
        window.focus();
        void navigate({ to: "/runs/$id", params: { id: gate.runId } });
        notice.close();
      };
    }
  }, [approvals.data, navigate, notices]);
  return null;
}
