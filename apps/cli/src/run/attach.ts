/** `devflow attach`: an agent's screen in tmux. An agent without one has its transcript shown instead, with a note. */

import { spawn } from "node:child_process";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { isTerminalSession } from "@devflow/core/enums";
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
  if (session.screen && context.output.isTerminal && isTerminalSession(session.state) === false)
    return await showScreen(session.screen, context);
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
  if (session.screen) output.note(`Its screen: ${attachWords(session.screen).join(" ")}`);
  else output.note(`${session.role} is a ${session.backend} agent ${noScreen(session)}. Its transcript so far:`);
  const text = chunks.map((chunk) => chunk.content).join("");
  output.result({ session, screen: null, transcript: text }, output.isTerminal ? plainText(text) : text);
};

type Screen = NonNullable<SessionView["screen"]>;

const attachWords = ({ socket, session }: Screen): string[] => ["tmux", "-S", socket, "attach", "-t", session];

const noScreen = ({ backend }: SessionView): string =>
  backend === "fake"
    ? "and has no screen to attach to"
    : "behind pipes, without a screen (for one: devflow config set agents_in tmux)";

/** Until the person detaches (Ctrl-b d); the agent goes on. */
async function showScreen(screen: Screen, { env, output }: CommandContext): Promise<number> {
  output.note("Detach with Ctrl-b d; the agent goes on. While you type, Devflow sends it no prompt.");
  const [program = "tmux", ...words] = attachWords(screen);
  const child = spawn(program, words, { stdio: "inherit", env: { ...env, TMUX: undefined } });
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

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
