/**
 * Opens an agent's session over ACP: a new one, or the one that an earlier process of the agent had.
 *
 * - `openAcpSession(…)` initialises the agent, opens the session, and puts it into the mode in which it asks. An agent that
 *   cannot be put there is not used.
 * - `keepMode()` does the latter again, in case the agent has changed it by itself.
 *
 * Nothing here signs in: agents store that in the user's own configuration.
 */
import type {
  ClientCapabilities,
  ClientContext,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  SessionConfigOption,
} from "@agentclientprotocol/sdk";
import type { HeldStart } from "../holder/held-start.ts";
import { failureOf } from "./acp-failure.ts";
import { acpSettings } from "./acp-settings.ts";
import type { AcpProfile } from "./profiles/index.ts";

export interface AcpSession {
  readonly id: string;
  /** It continues an earlier one. */
  readonly isContinued: boolean;
  /** The agent replays what was said when it continues, so that its history can be searched. */
  readonly hasReplay: boolean;
  readonly model: string | undefined;
  modeChanged(mode: string): void;
  keepMode(): Promise<void>;
}

interface Opening {
  readonly agent: ClientContext;
  readonly start: HeldStart;
  readonly profile: AcpProfile;
  /** The session to continue. */
  readonly known: string | undefined;
  /** Nothing is lost when it cannot be continued: it has confirmed no prompt yet. Agents store no empty sessions. */
  readonly mayBeLost: boolean;
  /** Folders besides the worktree that it needs. */
  readonly folders: readonly string[];
}

const protocolVersion = 1;

export async function openAcpSession(opening: Opening): Promise<AcpSession> {
  const { agent, start, profile, known, mayBeLost, folders } = opening;
  const files: ClientCapabilities = { fs: { readTextFile: true, writeTextFile: true } };
  const initialized = await agent.request("initialize", {
    protocolVersion,
    clientCapabilities: profile.offersFiles ? files : {},
    clientInfo: { name: "devflow", version: "1" },
  });
  if (initialized.protocolVersion !== protocolVersion)
    throw new Error(`it speaks version ${initialized.protocolVersion} of ACP; Devflow speaks ${protocolVersion}`);
  const { loadSession = false, sessionCapabilities } = initialized.agentCapabilities ?? {};
  const place: NewSessionRequest = { cwd: start.cwd, mcpServers: [] };
  if (sessionCapabilities?.additionalDirectories) place.additionalDirectories = [...folders];

  const create = async () => {
    const made = await agent.request("session/new", place).catch((error: Error & { code?: number }) => {
      throw error.code === authRequired ? signInFirst(initialized.authMethods ?? []) : error;
    });
    return { id: made.sessionId, opened: made, isContinued: false };
  };
  const proceed = async (id: string): Promise<{ id: string; opened: Opened; isContinued: boolean }> => {
    try {
      if (!loadSession && !sessionCapabilities?.resume)
        throw new Error("it offers neither session/load nor session/resume");
      const earlier = { ...place, sessionId: id };
      const opened: Opened = await (loadSession
        ? agent.request("session/load", earlier)
        : agent.request("session/resume", earlier));
      return { id, opened, isContinued: true };
    } catch (cause) {
      if (mayBeLost) return await create();
      throw new Error(`it could not continue its session ${id}: ${failureOf(cause)}`, { cause });
    }
  };
  const { id, opened, isContinued } = known === undefined ? await create() : await proceed(known);

  const wanted = start.launch.permissionMode ?? acpSettings(start).mode ?? profile.mode;
  let current = await setMode(agent, id, opened, wanted);
  for (const [option, value] of Object.entries(profile.options ?? {}))
    await setOption(agent, id, opened, option, value);
  return {
    id,
    isContinued,
    hasReplay: loadSession,
    model: await setModel(agent, id, opened, start.launch.model),
    modeChanged: (mode) => {
      current = mode;
    },
    async keepMode() {
      if (wanted === undefined || current === wanted) return;
      current = await setMode(agent, id, unknownMode(opened), wanted);
    },
  };
}

const authRequired = -32000;

function signInFirst(methods: readonly { readonly name: string; readonly description?: string | null }[]): Error {
  const ways = methods.map(({ name, description }) => (description ? `${name} (${description})` : name)).join("; ");
  return new Error(`it asks you to sign in. Start it by itself and sign in first${ways ? `: ${ways}` : ""}.`);
}

type Opened = Partial<NewSessionResponse> | LoadSessionResponse | null | undefined;

/** Modes are a list of their own, an option of the category `mode`, or both; the option's answer says what is in force. */
async function setMode(
  agent: ClientContext,
  sessionId: string,
  opened: Opened,
  wanted: string | undefined,
): Promise<string | undefined> {
  const option = optionsOf(opened).find(({ category }) => category === "mode");
  const offered = opened?.modes?.availableModes.map(({ id }) => id) ?? (option ? valuesOf(option) : []);
  if (offered.length === 0 && wanted === undefined) return undefined;
  if (offered.length === 0) throw new Error(`it offers no modes, so it cannot be put into the mode ${wanted}`);
  if (wanted === undefined || !offered.includes(wanted)) {
    const problem = wanted === undefined ? "it has several modes" : `it has no mode ${wanted}`;
    throw new Error(
      `${problem}. Set \`mode\` in its definition to the one in which it asks before it acts: ${offered.join(", ")}`,
    );
  }
  if (option) {
    if (option.currentValue !== wanted) await setOption(agent, sessionId, opened, option.id, wanted);
  } else if (opened?.modes?.currentModeId !== wanted) {
    await agent.request("session/set_mode", { sessionId, modeId: wanted });
  }
  return wanted;
}

async function setOption(
  agent: ClientContext,
  sessionId: string,
  opened: Opened,
  configId: string,
  value: string,
): Promise<void> {
  const option = optionsOf(opened).find(({ id }) => id === configId);
  if (!option || option.currentValue === value) return;
  const { configOptions } = await agent.request("session/set_config_option", { sessionId, configId, value });
  const now = configOptions.find(({ id }) => id === configId)?.currentValue;
  if (now !== value) throw new Error(`its ${option.name} should be ${value}, but it is ${now}`);
}

/** The model in use, if the agent says so. */
async function setModel(agent: ClientContext, sessionId: string, opened: Opened, wanted: string | undefined) {
  const option = optionsOf(opened).find(({ category }) => category === "model");
  if (!option || wanted === undefined) return option ? String(option.currentValue) : wanted;
  if (!valuesOf(option).includes(wanted))
    throw new Error(`it has no model ${wanted}; it has ${valuesOf(option).join(", ")}`);
  await setOption(agent, sessionId, opened, option.id, wanted);
  return wanted;
}

/** What the agent offers, as if it were in no mode: so that the mode is set in any case. */
const unknownMode = (opened: Opened): Opened => ({
  ...opened,
  modes: opened?.modes ? { ...opened.modes, currentModeId: "" } : null,
  configOptions: optionsOf(opened).map((one) =>
    one.type === "select" && one.category === "mode" ? { ...one, currentValue: "" } : one,
  ),
});

const optionsOf = (opened: Opened): readonly SessionConfigOption[] => opened?.configOptions ?? [];

function valuesOf(option: SessionConfigOption): string[] {
  if (option.type !== "select") return [];
  return option.options.flatMap((one) => ("value" in one ? [one.value] : one.options.map(({ value }) => value)));
}
