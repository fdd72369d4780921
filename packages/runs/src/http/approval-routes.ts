/** Gates and permissions: questions and answers. 201 for a new answer, 200 for the same again, 409 otherwise. */
import { approvalStates } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { DecisionRequest, PermissionRequest } from "@devflow/protocol";
import { Hono } from "hono";
import { z } from "zod";
import { listRules, removeRule } from "../permissions/permission-rules.ts";
import type { RunsParts } from "../routes.ts";
import {
  listApprovals,
  listOpenPermissions,
  notFound,
  oneApproval,
  type Reader,
  runOfSession,
  visibleRun,
} from "../views/index.ts";
import { requireDriven } from "./control-routes.ts";
import { actorOf, bodyOf, idOf, invalid, queryOf, type RunsContext, type RunsEnv } from "./request.ts";

export function approvalRoutes({ engine, context }: RunsParts): Hono<RunsEnv> {
  const reader = (c: RunsContext): Reader => ({ database: context.database, claims: c.var.caller.claims });

  return new Hono<RunsEnv>()
    .get("/approvals", async (c) => {
      const { state } = queryOf(c, z.object({ state: z.enum(approvalStates).optional() }));
      const approvals = await listApprovals(reader(c), state);
      const permissions = state === "pending" ? await listOpenPermissions(reader(c)) : [];
      return c.json({ approvals, permissions });
    })
    .get("/approvals/:id", async (c) => c.json(await visibleApproval(c)))
    .post("/approvals/:id/decisions", async (c) => {
      const { id, runId } = await visibleApproval(c);
      requireDriven(await visibleRun(reader(c), runId), context.host);
      const decision = await engine.decide(id, await bodyOf(c, DecisionRequest), actorOf(c));
      return c.json(decision, decision.created ? 201 : 200);
    })
    .get("/permissions/rules", async (c) => c.json({ rules: await listRules(reader(c)) }))
    .delete("/permissions/rules/:id", async (c) => {
      const id = idOf(c, "Rule");
      const rules = await listRules(reader(c));
      if (actorOf(c).kind === "agent") throw new DevflowError("agent_may_not_decide");
      if (!rules.some((one) => one.id === id) || !(await removeRule(context, id))) throw notFound(`Rule ${id}`);
      return c.json({ id });
    })
    .post("/permissions/:id/decisions", async (c) => {
      const permission = c.req.param("id");
      // It becomes a file name on the agent's side.
      if (!/^[\w-]{1,100}$/.test(permission)) throw invalid(`"${permission}" is not a permission's id.`);
      const { sessionId, answer, scope } = await bodyOf(c, PermissionRequest);
      const runId = await runOfSession(reader(c), sessionId);
      if (!runId) throw notFound(`Session ${sessionId}`);
      requireDriven(await visibleRun(reader(c), runId), context.host);
      await engine.answerPermission({ sessionId, permissionId: permission, answer, scope }, actorOf(c));
      return c.json({ id: permission, sessionId, answer, scope }, 201);
    });

  async function visibleApproval(c: RunsContext) {
    const id = idOf(c, "Approval");
    const found = await oneApproval(reader(c), id);
    if (!found) throw notFound(`Approval ${id}`);
    return found;
  }
}
