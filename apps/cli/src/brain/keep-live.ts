/**
 * While agents are at work on this machine: their teams hear of it, what they record is sent at once, and what their hooks are told stays
 * fresh.
 *
 * - `keepLive(ports)` returns when nobody is at work any more. One per home; a second one returns at once.
 *
 * Hooks open no connection: they leave a presence file, look whether somebody is here to send it (`wokenMark`, which is touched with
 * every turn), and otherwise start a drainer, which ends up here.
 */
import { readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { clearPresence, type Presence, presenceFolder, readLeft, readPresences } from "@devflow/brain/presence";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import { systemClock } from "@devflow/core/clock";
import type { Environment } from "@devflow/core/config";
import { tryLock } from "@devflow/core/exclusive-lock";
import type { Home } from "@devflow/core/home";
import { type DrainPorts, drainNow } from "@devflow/team/drain";
import { wokenMark } from "../hooks/wake-live.ts";
import { fetchDigest } from "./fetch-digest.ts";
import { followTeam } from "./follow-team.ts";
import { sendPresence } from "./send-presence.ts";
import { WipSharer } from "./wip-sharer.ts";

export interface LivePorts {
  readonly home: Home;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly drain: DrainPorts;
}

const turnMs = 500;
/** A server that does not answer is left alone for this long. */
const quietMs = 15_000;
/** Unchanged presence is told again; the server forgets it after five minutes. */
const repeatMs = 60_000;
/** A digest is as old as this when nothing has changed, and as young as that when much does: every machine of the team asks. */
const refreshMs = 45_000;
const leastMs = 10_000;
const leftMs = 5 * 60_000;
const digestKinds = new Set([
  "presence",
  "intent",
  "decision",
  "decision_event",
  "handoff",
  "feature_tag",
  "agent_edit",
]);

export async function keepLive(ports: LivePorts): Promise<void> {
  const folder = presenceFolder(ports.home.root);
  await ensurePrivateFolder(folder);
  await ensurePrivateFolder(ports.home.hooksFolder);
  const mark = wokenMark(ports.home);
  do {
    const lock = tryLock(join(folder, ".lock"));
    if (!lock) return;
    const live = new Live(ports);
    try {
      while (!ports.signal.aborted && (await live.turn())) {
        await touch(mark);
        await systemClock.sleep(turnMs, ports.signal).catch(() => {});
      }
      // A hook that comes now starts the next one.
      await rm(mark, { force: true });
    } finally {
      await live.stop();
      lock.release();
    }
    // A hook that came just before saw the mark and started nobody.
  } while (!ports.signal.aborted && (await readPresences(ports.home.root, Date.now())).length > 0);
}

type Team = Pick<Presence, "server" | "team" | "user">;
type Repository = Team & Pick<Presence, "repo">;

const keyOf = ({ server, team, user }: Team): string => JSON.stringify([server, team, user]);
const repoKey = (of: Repository): string => JSON.stringify([keyOf(of), of.repo]);

class Live {
  readonly #ports: LivePorts;
  readonly #sent = new Map<string, { readonly text: string; readonly atMs: number }>();
  readonly #refreshedMs = new Map<string, number>();
  readonly #followers = new Map<string, AbortController>();
  /** Teams in which something happened since. */
  readonly #changedMs = new Map<string, number>();
  readonly #quietUntil = new Map<string, number>();
  readonly #wip: WipSharer;
  #drainAfterMs = 0;

  constructor(ports: LivePorts) {
    this.#ports = ports;
    this.#wip = new WipSharer(ports);
  }

  /** False when nobody is at work. */
  async turn(): Promise<boolean> {
    const { home } = this.#ports;
    const present = await readPresences(home.root, Date.now());
    const left = await readLeft(home.root);
    for (const one of left) await this.#tellLeft(one);
    for (const one of present) await this.#tell(one);
    await this.#drain();
    for (const of of new Map(present.map((one) => [repoKey(one), one])).values()) await this.#refresh(of);
    this.#followOnly(present);
    this.#wip.turn(present);
    return present.length > 0;
  }

  async stop(): Promise<void> {
    for (const follower of this.#followers.values()) follower.abort();
    await this.#wip.stop();
  }

  async #tell(presence: Presence): Promise<void> {
    const { state, at: _at, folder: _folder, ...rest } = presence;
    const text = JSON.stringify({ ...rest, state });
    const before = this.#sent.get(presence.agent.id);
    const nowMs = Date.now();
    if (before?.text === text && nowMs - before.atMs < repeatMs) return;
    if (await this.#ask(presence, () => sendPresence(this.#ports, presence, state)))
      this.#sent.set(presence.agent.id, { text, atMs: nowMs });
  }

  async #tellLeft(presence: Omit<Presence, "state">): Promise<void> {
    const isTold = await this.#ask(presence, () => sendPresence(this.#ports, presence, "left"));
    // By now its team has forgotten it anyway.
    const isOver = Date.now() - Date.parse(presence.at) > leftMs;
    if (isTold || isOver) await clearPresence(this.#ports.home.root, presence.agent.id);
  }

  async #refresh(of: Repository): Promise<void> {
    const last = this.#refreshedMs.get(repoKey(of)) ?? 0;
    const hasNews = (this.#changedMs.get(keyOf(of)) ?? 0) > last;
    if (Date.now() - last < (hasNews ? leastMs : refreshMs)) return;
    const started = Date.now();
    const isDone = await this.#ask(of, async () => {
      const answer = await fetchDigest(this.#ports, of);
      return "failed" in answer ? answer.failed : undefined;
    });
    if (isDone) this.#refreshedMs.set(repoKey(of), started);
  }

  /** Records go at once; those that cannot are left to the next try. */
  async #drain(): Promise<void> {
    const { drain } = this.#ports;
    if (Date.now() < this.#drainAfterMs) return;
    const names = await readdir(drain.folder.new).catch(() => []);
    if (!names.some((name) => !name.startsWith("."))) return;
    const report = await drainNow(drain);
    if (report !== "busy" && report.obstacles.length > 0) this.#drainAfterMs = Date.now() + quietMs;
  }

  #followOnly(present: readonly Team[]): void {
    const wanted = new Map(present.map((one) => [keyOf(one), one]));
    for (const [key, follower] of this.#followers) {
      if (wanted.has(key)) continue;
      follower.abort();
      this.#followers.delete(key);
    }
    for (const [key, to] of wanted) {
      if (this.#followers.has(key)) continue;
      const ending = new AbortController();
      this.#followers.set(key, ending);
      void this.#follow(to, AbortSignal.any([ending.signal, this.#ports.signal]));
    }
  }

  async #follow(to: Team, signal: AbortSignal): Promise<void> {
    for await (const change of followTeam({ ...this.#ports, signal }, to)) {
      if (change === undefined || digestKinds.has(change.kind)) this.#changedMs.set(keyOf(to), Date.now());
    }
  }

  /** True when the server took it. */
  async #ask(to: Team, work: () => Promise<string | undefined>): Promise<boolean> {
    if (Date.now() < (this.#quietUntil.get(keyOf(to)) ?? 0)) return false;
    if ((await work()) === undefined) return true;
    this.#quietUntil.set(keyOf(to), Date.now() + quietMs);
    return false;
  }
}

async function touch(mark: string): Promise<void> {
  const now = new Date();
  await utimes(mark, now, now).catch(() => writeFile(mark, "", { mode: 0o600 }).catch(() => {}));
}
