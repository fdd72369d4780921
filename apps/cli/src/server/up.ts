/** `devflow up`: finds the server of this home or starts it, in the foreground or background. */
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

type UpInput = InputOf<typeof upRecord>;

export const up: HandlerOf<typeof upRecord> = async (input, context) => {
  const config = context.config(serverFlags(input));
  const running = await findRunning(config, context);
  if (running) {
    await welcome(config, running, "is already running", input, context);
    return;
  }
  if (input.detach) {
    const flags = [
      ...(input.port === undefined ? [] : ["--port", String(input.port)]),
      ...(input.adopt ? ["--adopt"] : []),
      ...input.allowHost.flatMap((host) => ["--allow-host", host]),
    ];
    const state = await startDetached(config, { env: context.env, flags, signal: context.signal });
    await welcome(config, state, "is running in the background", input, context);
    return;
  }
  const onReady = async (state: ServerState, description: string) => {
    await welcome(config, state, `is running (${description})`, input, context);
    if (input.once) return;
    if (!context.output.json) context.output.note("Press Ctrl-C to stop it.");
    await untilAborted(context.signal);
    if (!context.output.json) context.output.note("Stopping …");
  };
  const { runServer } = await import("./run-server.ts");
  const ran = await runServer(config, { adopt: input.adopt, env: context.env, signal: context.signal, onReady });
  if (!ran) {
    // Another `up` took the home between our check and our lock: use its server.
    const state = await startDetached(config, { env: context.env, flags: [], signal: context.signal });
    await welcome(config, state, "is running, started by another command", input, context);
  }
};

/** The running server, if it may be used; a newer client replaces an idle older one. */
async function findRunning(config: Config, { output, signal }: CommandContext): Promise<ServerState | undefined> {
  const home = homeAt(config.home);
  const state = await findServer(home);
  if (!state) return undefined;
  const { busy } = await patientStatus(state, signal);
  const { decideEncounter } = await import("./versions.ts");
  const encounter = decideEncounter(version, state.version, busy);
  if (encounter === "restart") {
    output.note(`Replacing the server of version ${state.version} with ${version}.`);
    await stopServer(home, state, { force: false });
    return undefined;
  }
  if (encounter === "warn older client") {
    output.note(`The server is version ${state.version}, newer than this ${version}. Upgrade: devflow upgrade`);
  } else if (encounter === "warn busy server") {
    output.note(
      `The server is still version ${state.version}, because it is busy with ${busy.join(", ")}. Later: devflow down && devflow up -d`,
    );
  }
  return state;
}

/** A server whose Postgres was just killed needs a moment to restart it. */
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
    output.result(answer, `Devflow ${state.version} works on this machine.\n${demo?.summary ?? ""}`);
    return;
  }
  const minutes = Math.round((Date.parse(expiresAt) - Date.now()) / 60_000);
  const lines = [
    `Devflow ${state.version} ${how}.`,
    "",
    `  Web   ${link}`,
    `        this link signs you in once, within ${minutes} min; later: devflow open`,
    `  Home  ${config.home}`,
    ...(demo ? ["", demo.summary] : []),
  ];
  output.result(answer, lines.join("\n"));
}
