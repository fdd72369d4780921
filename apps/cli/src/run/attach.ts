/** `devflow attach`: an agent's screen. A fake agent has none, so its transcript is shown instead, with a note. */

import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainText } from "@devflow/core/plain-text";
import { type RunDetail, type SessionView, Transcript } from "@devflow/protocol";
import type { attachRecord } from "./commands.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { shortId } from "./words.ts";

export const attach: HandlerOf<typeof attachRecord> = async ({ run: given, role }, context) => {
  const client = await connectRuns(context);
  const run = await pickRun(client, given, "attach", context);
  const session = sessionOf(run, role);
  const chunks: { seq: number; content: string }[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page: { chunks: { seq: number; content: string }[]; next: number | null } = await client.get(
      `/api/sessions/${session.id}/transcript?from=${from}&limit=1000`,
      Transcript,
    );
    chunks.push(...page.chunks);
    from = page.next;
  }
  const { output } = context;
  output.note(`${session.role} is a ${session.backend} agent and has no screen to attach to. Its transcript so far:`);
  const text = chunks.map((chunk) => chunk.content).join("");
  output.result({ session, screen: null, transcript: text }, output.isTerminal ? plainText(text) : text);
};

function sessionOf(run: RunDetail, role: string | undefined): SessionView {
  const fitting = role === undefined ? run.sessions : run.sessions.filter((one) => one.role === role);
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const id = shortId(run.id);
  if (run.sessions.length === 0) {
    const next = `No agent has started yet: devflow run watch ${id}`;
    throw new DevflowError("not_found", { details: { what: `A session of run ${id}`, next } });
  }
  const listed = run.sessions.map((one) => `  devflow attach ${id} ${one.role}`).join("\n");
  const problem = role === undefined ? "Several agents work on it." : `No agent plays ${role}.`;
  throw new DevflowError("usage", { details: { problem, next: `Name one:\n${listed}` } });
}
