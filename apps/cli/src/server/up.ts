/** `devflow up`: find the server of this home or start it, in the foreground or behind. */
import { systemClock } from "@devflow/core/clock";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import type { Config } from "@devflow/core/config";
import { homeAt } from "@devflow/core/home";
import { version } from "@devflow/core/version";
import { CodeIssued, type ServerState, ServerStatus } from "@devflow/protocol";
import { callServer } from "./client.ts";
import type { upRecord } from "./commands.ts";
import { serverFlags } from "./server-flags.ts";
import { startDetached } from "./start-detached.ts";
import { findServer, urlOf } from "./state.ts";
import { stopServer } from "./stop-server.ts";
import { untilAborted } from "./until-aborted.ts";
import { decideEncounter } from "./versions.ts";

type UpInput = InputOf<typeof upRecord>;

export const up: HandlerOf<typeof upRecord> = async (input, context) => {
  const config = context.config(serverFlags(input));
  const running = await findRunning(config, context);
  if (running) {
    await welcome(config, running, "already running", input, context);
    return;
  }
  if (input.detach) {
    const flags = [
      ...(input.port === undefined ? [] : ["--port", String(input.port)]),
      ...(input.adopt ? ["--adopt"] : []),
      ...input.allowHost.flatMap((host) => ["--allow-host", host]),
    ];
    const state = await startDetached(config, { env: context.env, flags, signal: context.signal });
    await welcome(config, state, "running in the background", input, context);
    return;
  }
  const onReady = async (state: ServerState, description: string) => {
    await welcome(config, state, description, input, context);
    if (input.once) return;
    if (!context.output.json) context.output.note("Ctrl-C stops it.");
    await untilAborted(context.signal);
    if (!context.output.json) context.output.note("Stopping …");
  };
  const { runServer } = await import("./run-server.ts");
  const ran = await runServer(config, { adopt: input.adopt, env: context.env, signal: context.signal, onReady });
  if (!ran) {
    // Another `up` took the home between our look and our lock: its server is the answer.
    const state = await startDetached(config, { env: context.env, flags: [], signal: context.signal });
    await welcome(config, state, "started by another command", input, context);
  }
};

/** The server that runs already and may be used; a newer client replaces an idle older one. */
async function findRunning(config: Config, { output, signal }: CommandContext): Promise<ServerState | undefined> {
  const home = homeAt(config.home);
  const state = await findServer(home);
  if (!state) return undefined;
  const { busy } = await patientStatus(state, signal);
  const encounter = decideEncounter(version, state.version, busy);
  if (encounter === "restart") {
    output.note(`Replacing the server of version ${state.version} by ${version}.`);
    await stopServer(home, state, { force: false });
    return undefined;
  }
  if (encounter === "warn older client") {
    output.note(`The server is ${state.version}, newer than this ${version}. Upgrade: devflow upgrade`);
  } else if (encounter === "warn busy server") {
    output.note(
      `The server is still ${state.version}, busy with ${busy.join(", ")}. Later: devflow down && devflow up -d`,
    );
  }
  return state;
}

/** A server whose Postgres was just killed needs a moment to bring it back. */
async function patientStatus(state: ServerState, signal: AbortSignal): Promise<ServerStatus> {
  for (let tries = 1; ; tries++) {
    try {
      return await callServer(state, "/api/status", ServerStatus);
    } catch (error) {
      if (tries === 20) throw error;
      await systemClock.sleep(500, signal);
    }
  }
}

async function demoOf(config: Config, state: ServerState, { once }: UpInput, context: CommandContext) {
  const { makeDemo } = await import("../demo/demo.ts");
  return await makeDemo({ config, state, context, complete: once });
}

async function welcome(config: Config, state: ServerState, how: string, input: UpInput, context: CommandContext) {
  const { output } = context;
  const demo = input.demo || input.once ? await demoOf(config, state, input, context) : undefined;
  const { code, expiresAt } = await callServer(state, "/auth/code", CodeIssued, {
    method: "POST",
    body: { forMinutes: 10 },
  });
  const link = `${urlOf(state)}/#code=${code}`;
  const answer = {
    url: urlOf(state),
    pid: state.pid,
    version: state.version,
    home: config.home,
    ...(demo ? { demo } : {}),
  };
  if (input.once) {
    output.result(answer, `Devflow ${state.version} works here.\n${demo?.summary ?? ""}`);
    return;
  }
  const minutes = Math.round((Date.parse(expiresAt) - Date.now()) / 60_000);
  const lines = [
    `Devflow ${state.version} is up (${how}).`,
    "",
    `  Web   ${link}`,
    `        signed in by this link, once, within ${minutes} min; later: devflow open`,
    `  Home  ${config.home}`,
    ...(demo ? ["", demo.summary] : []),
  ];
  output.result(answer, lines.join("\n"));
}
