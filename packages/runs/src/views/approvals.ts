/** Gates of the caller's runs: those that wait, or those of one state, oldest first. */
import type { ApprovalState } from "@devflow/core/enums";
import type { ApprovalView } from "@devflow/protocol";
import type { Reader } from "./reader.ts";
import { approvalJson } from "./run-shapes.ts";

const mostApprovals = 200;

export async function listApprovals(
  { database, claims }: Reader,
  state: ApprovalState | undefined,
): Promise<ApprovalView[]> {
  const rows = await database.withClaims(
    claims,
    (tx) => tx<{ approval: ApprovalView }[]>`
      select ${approvalJson(tx)} as approval
      from app.approval_requests q join app.runs r on r.id = q.run_id left join app.run_phases p on p.id = q.phase_id
      ${state ? tx`where q.state = ${state} order by q.created_at, q.id` : tx`order by q.created_at desc, q.id desc`}
      limit ${mostApprovals}`,
  );
  return rows.map((row) => row.approval);
}

export async function oneApproval({ database, claims }: Reader, id: string): Promise<ApprovalView | undefined> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<{ approval: ApprovalView }[]>`
      select ${approvalJson(tx)} as approval
      from app.approval_requests q join app.runs r on r.id = q.run_id left join app.run_phases p on p.id = q.phase_id
      where q.id = ${id}`,
  );
  return row?.approval;
}
