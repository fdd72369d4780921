/**
 * The brain as runs use it: their agents are agents of the brain.
 *
 * - `runBrain(options)` implements the port of `@devflow/runs/brain`. A repository without a team costs nothing but the look for one; what
 *   its `.devflow.json` turns off for hooks is off for runs, too.
 *
 * Of a commit, the lines of each file become an edit: it does not matter which agent made it, and whether that has hooks.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentIdentity } from "@devflow/brain/agents";
import { contextForFiles, digestWrittenMs, readDigest } from "@devflow/brain/digest";
import { linesOfDiff } from "@devflow/brain/edits";
import { type HookSettings, hookSettings } from "@devflow/brain/hooks";
import { clearPresence, leavePresence, type Presence, writePresence } from "@devflow/brain/presence";
import { type BrainKind, brainDraft, type brainPayloads } from "@devflow/brain/records";
import type { Environment } from "@devflow/core/config";
import type { Home } from "@devflow/core/home";
import { uuidv5 } from "@devflow/core/ids";
import { parseJson } from "@devflow/core/read-if-there";
import { git } from "@devflow/git";
import type { BrainFact, PresentAgent, RunAgent, RunBrain } from "@devflow/runs/brain";
import { cacheFolder } from "@devflow/team/cache";
import { drainNow } from "@devflow/team/drain";
import { spool } from "@devflow/team/spool";
import type { z } from "zod";
import { fetchDigest } from "../brain/fetch-digest.ts";
import { sendPresence } from "../brain/send-presence.ts";
import { wakeLiveDrainer } from "../hooks/wake-live.ts";
import { drainPorts } from "../sync/drain-ports.ts";
import { findPlace, localServer, type TeamPlace } from "../sync/place.ts";
import { spoolFailed } from "../sync/spool-failed.ts";

export interface RunBrainOptions {
  readonly home: Home;
  readonly env: Environment;
  readonly machine: string;
  /** After something was left for a team; tests send it themselves. */
  readonly wake?: (place: TeamPlace) => Promise<void>;
}

interface Place extends TeamPlace {
  readonly repo: string;
  readonly settings: HookSettings;
}

const maxFiles = 100;
const freshMs = 90_000;

export function runBrain({ home, env, machine, ...options }: RunBrainOptions): RunBrain {
  const signal = new AbortController().signal;
  const ports = { home, env, signal };
  const wake = options.wake ?? send;
  const shown = new Map<string, Presence>();
  const files = new Map<string, Set<string>>();

  return {
    async tell(facts) {
      for (const [repository, own] of Map.groupBy(facts, (fact) => fact.repository)) {
        const place = await placeOf(repository);
        if (!place) continue;
        for (const fact of own) await tellOne(place, fact);
        await wake(place);
      }
    },
    async present(agents) {
      const before = new Map(shown);
      shown.clear();
      for (const one of agents) {
        const place = await placeOf(one.repository);
        if (!place) continue;
        const presence = presenceOf(place, one);
        shown.set(presence.agent.id, presence);
        before.delete(presence.agent.id);
        await writePresence(home.root, presence);
        if (isLocal(place)) await sendPresence(ports, presence, "working");
        await wake(place);
      }
      for (const [id, presence] of before) {
        await leavePresence(home.root, id);
        if (presence.server === localServer && (await sendPresence(ports, presence, "left")) === undefined)
          await clearPresence(home.root, id);
      }
    },
    async contextFor({ repository, files: asked }, given) {
      const place = await placeOf(repository);
      if (!place?.settings.does("decisions")) return "";
      const of = { ...place.to, repo: place.repo };
      const folder = cacheFolder(home.root, of);
      const isFresh = Date.now() - (digestWrittenMs(folder) ?? 0) < freshMs;
      if (!isFresh) await fetchDigest({ home, env, signal: given }, of);
      const digest = await readDigest(folder);
      return digest ? contextForFiles(digest, asked, { nowMs: Date.now() }) : "";
    },
  };

  /** The local server is this process; for another one, the machine's drainer stays while agents work. */
  async function send(place: TeamPlace): Promise<void> {
    if (isLocal(place)) await drainNow(drainPorts(home, env, signal));
    else await wakeLiveDrainer(home, env);
  }

  function presenceOf(place: Place, { agent, branch, doing, runId }: PresentAgent): Presence {
    const { server, team, user } = place.to;
    return {
      ...{ agent: identityOf(place, agent), server, team, user, repo: place.repo, intent: doing, branch },
      files: [...(files.get(runId) ?? [])].slice(0, 20),
      state: "working",
      at: new Date().toISOString(),
    };
  }

  /** Asked for each time: a repository may join a team while the server runs. */
  async function placeOf(repository: string): Promise<Place | undefined> {
    const place = await findPlace({
      cwd: repository,
      env,
      signal,
      inspectConfig: () => ({ home: home.root }) as never,
    });
    if (!place || place.repo === null) return undefined;
    const text = await readFile(join(repository, ".devflow.json"), "utf8").catch(() => "");
    return { ...place, repo: place.repo, settings: hookSettings(parseJson(text)) };
  }

  function identityOf({ to }: TeamPlace, { session, role, model }: RunAgent) {
    const about = { handle: role.slice(0, 100), ...(model ? { model: model.slice(0, 200) } : {}) };
    return agentIdentity({ user: to.user, machine, host: "run", session }, about);
  }

  async function tellOne(place: Place, fact: BrainFact): Promise<void> {
    const agent = identityOf(place, fact.agent);
    const intent_id = intentOf(fact.runId);
    const known = () => [...(files.get(fact.runId) ?? [])].slice(0, maxFiles);
    switch (fact.is) {
      case "intent": {
        if (!place.settings.does("intents")) return;
        const { rev, state, branch } = fact;
        const text = fact.text.slice(0, 2_000);
        const payload = {
          intent_id,
          rev,
          agent,
          state,
          text,
          branch,
          files: known(),
          source: "run",
          confidence: 1,
        } as const;
        return await write(place, agent.id, `intent:${rev}:${state}`, fact, "intent", payload);
      }
      case "commit":
        return await tellCommit(place, agent, fact);
      case "handoff": {
        if (!place.settings.does("handoffs")) return;
        const text = fact.text.slice(0, 20_000);
        const payload = { agent, intent_id, text, files: known(), branch: fact.branch, source: "run" } as const;
        return await write(place, agent.id, "handoff", fact, "handoff", payload);
      }
    }
  }

  async function tellCommit(
    place: Place,
    agent: ReturnType<typeof identityOf>,
    fact: BrainFact & { readonly is: "commit" },
  ): Promise<void> {
    const { commit, before, runId, branch, asked } = fact;
    const { stdout, exit } = await git(["diff", "--no-color", "--unified=0", "--no-renames"], {
      ...{ cwd: fact.repository, env, revisions: [before, commit], maxOutput: 16_000_000 },
      // The run was cleaned up, and git with it.
      answers: [128],
    });
    if (exit !== 0) return;
    const touched = files.get(runId) ?? new Set();
    files.set(runId, touched);
    for (const [file, lines] of [...linesOfDiff(stdout)].slice(0, maxFiles)) {
      touched.add(file);
      if (!place.settings.does("edits") || place.settings.ignores(file)) continue;
      const payload = {
        ...{ agent, file, tool: "run", lines, branch, commit: before, intent_id: intentOf(runId) },
        ...{ via: "run" as const, run_id: runId, prompt: asked.slice(0, 300) },
      };
      await write(place, agent.id, `edit:${commit}:${file}`, fact, "agent_edit", payload);
    }
  }

  /** The same fact has the same id, so that telling it again after a restart changes nothing. */
  async function write<Kind extends BrainKind>(
    { to, repo }: Place,
    agent: string,
    key: string,
    fact: BrainFact,
    kind: Kind,
    payload: z.input<(typeof brainPayloads)[Kind]>,
  ): Promise<void> {
    const draft = brainDraft(kind, payload);
    const record = { id: uuidv5(fact.runId, key), kind, to, repo, agent, payload: draft.payload as object };
    const outcome = await spool(home.root, record, "at" in fact ? fact.at.getTime() : Date.now());
    if (!outcome.spooled) throw spoolFailed(home, outcome);
  }
}

const isLocal = ({ to }: TeamPlace): boolean => to.server === localServer;

/** One per run: what it says changes from phase to phase. */
const intentOf = (runId: string): string => uuidv5(runId, "intent");
