/** `browse record start | stop`. */
import { relative } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { Answer, SessionScope } from "../command.ts";
import { browseCommands } from "../commands/index.ts";
import { recorder, startBundle, stopBundle } from "../evidence/index.ts";
import { learnFrom } from "../tasks/index.ts";
import { type PersonRecording, startRecording } from "./person-recording.ts";

/** By session. */
const recordings = new Map<string, { readonly recording: PersonRecording; readonly verb: string }>();

export async function startRecord(
  { verb, shots }: { readonly verb: string; readonly shots: boolean },
  scope: SessionScope,
): Promise<Answer> {
  const { session, signal } = scope;
  const workspace = workspaceOf(scope);
  const tabs = session.tabs().map(({ id }) => id);
  const how = { withShots: shots, isByHand: true, signal };
  const started = await startBundle({ workspace, session: session.name, name: verb, tabs, ...how });
  // It goes on after this command has ended.
  const lasting = { ...scope, signal: new AbortController().signal };
  const recording = await startRecording(lasting, browseCommands, (deed) => recorder.noteDeed(session.name, deed));
  recordings.set(session.name, { recording, verb });
  const next = "Do it in the browser's window, then: devflow browse record stop";
  return { text: `${started.text}\n${next}`, data: started.data };
}

export async function stopRecord(_: unknown, scope: SessionScope): Promise<Answer> {
  const { session } = scope;
  const running = recordings.get(session.name);
  if (!running) {
    const next = "Start one: devflow browse record start <verb>";
    throw new DevflowError("not_found", { details: { what: "A recording of a person in this session", next } });
  }
  recordings.delete(session.name);
  await running.recording.end();
  const workspace = workspaceOf(scope);
  const ended = await stopBundle(workspace, session.name);
  const learned = await learnFrom(workspace, ended.data.bundle, running.verb).catch((error: unknown) => {
    if (error instanceof DevflowError && error.code === "input_invalid") return undefined;
    throw error;
  });
  const spec = `Run it with Playwright: ${relative(workspace, ended.data.spec)}`;
  const text = [ended.text, spec, learned?.text ?? "Nothing was done that could be repeated."].join("\n");
  return { text, data: { ...ended.data, ...(learned && { verb: learned.data }) } };
}

function workspaceOf({ files }: SessionScope): string {
  return files.workspace ?? process.cwd();
}
