/** `devflow permission list | remove`: what agents may do in every run on a repository. */
import type { CommandHandler, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainLine } from "@devflow/core/plain-text";
import { shortId } from "@devflow/core/short-id";
import { PermissionRules, type PermissionRuleView } from "@devflow/protocol";
import { z } from "zod";
import { textTable } from "../text-table.ts";
import type { permissionRemoveRecord } from "./permission-commands.ts";
import { connectRuns } from "./runs-client.ts";

export const listRules: CommandHandler = async (_input, context) => {
  const client = await connectRuns(context);
  const answer = await client.get("/api/permissions/rules", PermissionRules);
  const rows = answer.rules.map((rule) => [shortId(rule.id), plainLine(rule.covers), rule.repository]);
  const titles = ["RULE", "AGENTS MAY", "IN"].map((title) => ({ title }));
  const none = "No rules yet. Keep one when an agent asks: devflow run allow --for repository";
  context.output.result(answer, rows.length === 0 ? none : textTable(titles, rows));
};

export const removeRule: HandlerOf<typeof permissionRemoveRecord> = async ({ rule: given }, context) => {
  const client = await connectRuns(context);
  const { rules } = await client.get("/api/permissions/rules", PermissionRules);
  const rule = ruleOf(rules, given);
  await client.remove(`/api/permissions/rules/${rule.id}`, z.unknown());
  context.output.result(rule, `Removed: ${plainLine(rule.covers)}\nFrom now on agents ask for it again.`);
};

function ruleOf(rules: readonly PermissionRuleView[], given: string): PermissionRuleView {
  const fitting = rules.filter(({ id }) => id.startsWith(given) || id.endsWith(given));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  throw new DevflowError("not_found", { details: { what: `Rule ${given}`, next: "devflow permission list" } });
}
