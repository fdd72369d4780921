/**
 * Sends one command to a workspace's daemon. Starts the daemon if there is none, and replaces it if it is idle and older
 * than this program.
 */
import { type CallOptions, callRunning, lost } from "./call-running.ts";
import { type Build, isNewerBuild } from "./compare-builds.ts";
import { type DaemonState, findDaemon } from "./daemon-state.ts";
import { type StartOptions, startDaemon } from "./start-daemon.ts";
import { stuckError } from "./stuck-daemon.ts";
import { type CommandReply, type CommandRequest, decodeResponse, encodeRequest, handoverPath } from "./wire.ts";

export async function callDaemon(
  request: CommandRequest,
  options: CallOptions & { readonly start: StartOptions; readonly build: Build },
): Promise<CommandReply> {
  let notes: readonly string[] = [];
  for (let attempt = 1; ; attempt++) {
    let state = findDaemon(options.workspace);
    if (state && (await isNewerBuild(options.build, state))) {
      const replaced = await replaceDaemon(state, options);
      notes = [...notes, ...replaced.notes];
      state = replaced.state;
    }
    const { patienceMs } = options;
    state ??= await startDaemon(options.workspace, {
      ...options.start,
      ...(patienceMs === undefined ? {} : { patienceMs }),
    });
    const reply = await callRunning(request, options, state);
    if (reply) return notes.length > 0 ? { ...reply, notes: [...notes, ...(reply.notes ?? [])] } : reply;
    // It was about to end, or died before it accepted the command: its successor gets it.
    if (attempt === 5) throw await lost("it did not answer");
  }
}

/** It remembers its tabs first, and asks each for a second at most. */
const handoverMs = 20_000;

/** The old daemon hands its memory to this process, which passes it to the new one; nothing is written to disk. */
async function replaceDaemon(
  state: DaemonState,
  options: CallOptions & { readonly start: StartOptions },
): Promise<{ state: DaemonState | undefined; notes: readonly string[] }> {
  const request = encodeRequest(handoverPath, {}, state.port, state.token);
  const answer = await options
    .transport(state.port, request, AbortSignal.timeout(handoverMs))
    .catch((error: unknown) => {
      throw stuckError(options.workspace, handoverMs, error);
    });
  const response = decodeResponse(answer);
  if (response?.status === 409) {
    const note = `The browser was started by Devflow ${state.binaryVersion} and is busy; this version replaces it when it is idle.`;
    return { state, notes: [note] };
  }
  if (response?.status !== 200) return { state: undefined, notes: [] };
  const started = await startDaemon(options.workspace, {
    ...options.start,
    handover: { body: JSON.stringify(response.body), from: state },
  });
  return { state: started, notes: [] };
}
