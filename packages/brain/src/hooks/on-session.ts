/** The beginning, the prompts and the end of a session. */
import { uuidv7 } from "@devflow/core/ids";
import { leavePresence } from "../presence/index.ts";
import type { AgentRead, Handoff, Intent } from "../records/index.ts";
import { agentOf, type HookAgent, showPresence } from "./hook-agent.ts";
import type { HookEvent } from "./hook-event.ts";
import type { HookAnswer, HookPlace, HookPorts, HookTeam } from "./hook-ports.ts";
import { forgetOldNotes, note, readNotes } from "./session-notes.ts";

const maxPrompt = 300;
const maxSaid = 4_000;
const maxFiles = 500;

interface Here {
  readonly place: HookPlace;
  readonly team: HookTeam;
  readonly agent: HookAgent;
}

async function hereOf(event: HookEvent, ports: HookPorts): Promise<Here | undefined> {
  const place = await ports.place(event.cwd);
  return place?.team && { place, team: place.team, agent: agentOf(event, place.team) };
}

export async function onSessionStart(event: HookEvent, ports: HookPorts): Promise<HookAnswer | undefined> {
  const here = await hereOf(event, ports);
  if (!here) return undefined;
  const { place, team, agent } = here;
  await showPresence(ports, place, team, { agent, state: "working" });
  forgetOldNotes(ports.home, ports.now());
  const context = place.settings.does("digest") ? await ports.digest(place, agent.id) : "";
  return context === "" ? undefined : { context };
}

export async function onPrompt(event: HookEvent, ports: HookPorts): Promise<undefined> {
  const here = await hereOf(event, ports);
  if (!here || event.prompt === undefined) return undefined;
  const { place, team, agent } = here;
  const text = (await ports.redact(event.prompt.slice(0, 4 * maxPrompt))).slice(0, maxPrompt);
  note(ports.home, agent.id, { is: "prompt", text });
  if (place.settings.does("intents")) await inferIntent(here, ports, text);
  await showPresence(ports, place, team, { agent, state: "working" });
  return undefined;
}

/** One intent per session: what it says changes when more is known, and its revision counts up. */
async function inferIntent({ place, team, agent }: Here, ports: HookPorts, prompt: string): Promise<void> {
  const { branch } = place.checkout;
  const { intent: known, edited } = readNotes(ports.home, agent.id);
  // What a person wrote stands, and a guess is replaced only by one that is as good.
  if (known?.source === "person") return;
  const found = await ports.inferIntent({ branch: branch ?? null, prompt, files: edited });
  if (!found || found.text === known?.text || found.confidence < (known?.confidence ?? 0)) return;
  const payload: Intent = {
    intent_id: known?.id ?? uuidv7(ports.now()),
    rev: (known?.rev ?? 0) + 1,
    agent,
    state: "active",
    text: found.text,
    branch: branch ?? null,
    files: edited.slice(0, maxFiles),
    features: [],
    decisions: [],
    source: "inferred",
    confidence: found.confidence,
  };
  await ports.spool(team, { kind: "intent", agent: agent.id, payload });
  const { intent_id: id, rev, text, confidence } = payload;
  note(ports.home, agent.id, { is: "intent", id, rev, text, confidence, source: "inferred" });
}

/** A session may end without a word, so what it would leave is kept after each turn. */
export async function onStop(event: HookEvent, ports: HookPorts): Promise<undefined> {
  const here = await hereOf(event, ports);
  if (!here) return undefined;
  const { place, team, agent } = here;
  if (event.lastMessage !== undefined) {
    const text = (await ports.redact(event.lastMessage.slice(0, 2 * maxSaid))).slice(0, maxSaid);
    note(ports.home, agent.id, { is: "said", text });
  }
  await sendReads(here, ports);
  await showPresence(ports, place, team, { agent, state: "waiting" });
  return undefined;
}

export async function onSessionEnd(event: HookEvent, ports: HookPorts): Promise<undefined> {
  const here = await hereOf(event, ports);
  if (!here) return undefined;
  await handOff(here, ports);
  await sendReads(here, ports);
  await leavePresence(ports.home, here.agent.id);
  ports.wake(here.team);
  return undefined;
}

/** Nothing was edited since the last one: then there is nothing to hand over. */
async function handOff({ place, team, agent }: Here, ports: HookPorts): Promise<void> {
  const { edited, edits, handedOff, said, prompt, intent } = readNotes(ports.home, agent.id);
  if (!place.settings.does("handoffs") || edits <= handedOff) return;
  const payload: Handoff = {
    agent,
    ...(intent ? { intent_id: intent.id } : {}),
    text: said ?? prompt ?? `${edited.length} files edited.`,
    files: edited.slice(0, maxFiles),
    branch: place.checkout.branch ?? null,
    source: "auto",
  };
  await ports.spool(team, { kind: "handoff", agent: agent.id, payload });
  note(ports.home, agent.id, { is: "sent", what: "handoff", count: edits });
}

async function sendReads({ place, team, agent }: Here, ports: HookPorts): Promise<void> {
  const { reads, decisions, sentReads } = readNotes(ports.home, agent.id);
  const count = reads.size + decisions.size;
  if (!place.settings.does("reads") || count <= sentReads) return;
  const payload: AgentRead = {
    agent,
    files: [...reads].slice(-maxFiles).map(([path, hash]) => ({ path, hash })),
    decisions: [...decisions].slice(-maxFiles).map(([id, rev]) => ({ id, rev })),
  };
  await ports.spool(team, { kind: "agent_read", agent: agent.id, payload });
  note(ports.home, agent.id, { is: "sent", what: "reads", count });
}
