/** `devflow run allow | deny`: answers an agent's request for permission. */

import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainLine } from "@devflow/core/plain-text";
import { PermissionAnswer, type PermissionView, type RunDetail } from "@devflow/protocol";
import type { runAllowRecord, runDenyRecord } from "./commands.ts";
import { pickAskingRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { shortId } from "./words.ts";

type PermitInput = InputOf<typeof runDenyRecord>;
type Scope = InputOf<typeof runAllowRecord>["for"];

export const allow: HandlerOf<typeof runAllowRecord> = ({ for: scope, ...input }, context) =>
  answer("allow", input, context, scope);
export const deny: HandlerOf<typeof runDenyRecord> = (input, context) => answer("deny", input, context, "once");

async function answer(
  word: "allow" | "deny",
  input: PermitInput,
  context: CommandContext,
  scope: Scope,
): Promise<void> {
  const client = await connectRuns(context);
  const run = await pickAskingRun(client, input.run, `run ${word}`, context, "permission");
  const { id, sessionId, role, tool, detail } = permissionOf(run, input.permission, word);
  const given = await client.post(
    `/api/permissions/${id}/decisions`,
    { sessionId, answer: word, scope },
    PermissionAnswer,
  );
  const done = `${word === "allow" ? "Allowed" : "Denied"}${reach[scope]}: ${plainLine(`${role} uses ${tool}: ${detail}`)}`;
  context.output.result(given, `${done}\nNext: devflow run watch ${shortId(run.id)}`);
}

const reach: Readonly<Record<Scope, string>> = { once: "", run: " for the run", repository: " for the repository" };

function permissionOf(run: RunDetail, wanted: string | undefined, word: string): PermissionView {
  const fitting = run.permissions.filter((one) => wanted === undefined || one.id === wanted);
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const id = shortId(run.id);
  if (!only) {
    const what = wanted === undefined ? `An agent of run ${id} that asks for permission` : `Permission ${wanted}`;
    throw new DevflowError("not_found", { details: { what, next: `See: devflow run show ${id}` } });
  }
  const listed = fitting.map((one) => `  devflow run ${word} ${id} --permission ${one.id}   ${plainLine(one.detail)}`);
  const details = { problem: "Several agents ask for permission.", next: `Choose one:\n${listed.join("\n")}` };
  throw new DevflowError("usage", { details });
}
