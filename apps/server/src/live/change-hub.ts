/**
 * One reader of the change log for all live streams of this server.
 *
 * - `subscribe(request)` a stream that replays what came after the given cursors, sends `ready`, and then follows.
 * - `hint()` something was committed: read now. Without hints a slow poll finds it.
 * - `checkMemberships()` ends the streams of people who are no longer members, adds teams that were joined.
 * - `stop()` ends every stream cleanly, so that clients reconnect.
 *
 * A subscriber is first `replaying`: it reads its own pages until it has caught up with the hub's reader, and only then is
 * `live` and receives what the reader reads. Both steps compare with the subscriber's own cursor per team, so that the
 * transition neither skips nor repeats a seq. Comparison and transition happen in one turn of the event loop.
 */
import { setImmediate } from "node:timers/promises";
import { bestEffort } from "@devflow/core/best-effort";
import type { Clock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import type { Log } from "@devflow/core/log";
import { type ChangeRow, type ChangeStore, pageSize } from "./change-store.ts";
import { type Outbox, openOutbox } from "./outbox.ts";
import { frame, globalEventId, heartbeat, opening, readyFrame } from "./stream-frames.ts";

export interface StreamRequest {
  readonly userId: string;
  readonly expiresAtMs: number;
  /** A team's stream, or undefined for all teams of the person. */
  readonly teamId: string | undefined;
  /** The cursor of each team; a team without one starts at its current end. */
  readonly after: ReadonlyMap<string, number>;
}

export interface ChangeHub {
  subscribe(request: StreamRequest): Promise<ReadableStream<Uint8Array>>;
  hint(teamId?: string, seq?: number): void;
  checkMemberships(): Promise<void>;
  /** Heartbeats to all, after checking memberships and expiry. */
  beat(): Promise<void>;
  readonly subscribers: number;
  stop(): Promise<void>;
}

export interface HubLimits {
  readonly maxStreams: number;
  readonly maxWaitingBytes: number;
}

interface Subscriber {
  readonly request: StreamRequest;
  readonly outbox: Outbox;
  readonly cursors: Map<string, number>;
  phase: "replaying" | "live";
  resync: boolean;
}

interface StartingPoint {
  readonly cursors: Map<string, number>;
  readonly ends: ReadonlyMap<string, number>;
  readonly resync: boolean;
}

/** Kinds of changes after which someone may have joined or left a team. */
const membershipKinds = new Set(["team", "member", "team_member"]);

const membershipPauseMs = 50;
const maxGlobalTeams = 200;

/** Changes sent in one turn of the event loop; small compared with what may be pending for one client. */
const portion = 32;

export function changeHub(options: {
  readonly store: ChangeStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: HubLimits;
}): ChangeHub {
  const { store, clock, log, limits } = options;
  const subscribers = new Set<Subscriber>();
  /** The reader's position in each followed team. */
  const heads = new Map<string, number>();
  let reading: Promise<void> | undefined;
  let readAgain = false;
  let checkTimer: ReturnType<typeof setTimeout> | undefined;
  let opened = 0;
  let stopped = false;

  async function subscribe(request: StreamRequest): Promise<ReadableStream<Uint8Array>> {
    if (stopped) throw new DevflowError("server_busy");
    if (opened >= limits.maxStreams)
      throw new DevflowError("too_many_streams", { details: { limit: limits.maxStreams } });
    opened += 1;
    let subscriber: Subscriber | undefined;
    try {
      subscriber = admit(request, await startingPoint(request));
      void replay(subscriber).catch((error) => {
        log.warn({ err: error }, "replay failed");
        subscriber?.outbox.end();
      });
      return subscriber.outbox.stream;
    } catch (error) {
      if (!subscriber) opened -= 1;
      throw error;
    }
  }

  async function startingPoint({ userId, teamId, after }: StreamRequest): Promise<StartingPoint> {
    const mine = (await store.teamsOf([userId])).get(userId) ?? new Set<string>();
    if (teamId !== undefined && !mine.has(teamId)) throw notMember();
    const teams = teamId === undefined ? [...followable(mine)] : [teamId];
    const ends = await store.heads(teams);
    const cursors = new Map<string, number>();
    let resync = false;
    for (const team of teams) {
      const end = ends.get(team) ?? 0;
      const from = after.get(team) ?? end;
      // A cursor beyond the end comes from a lost log, such as one before a restored backup.
      if (from > end) resync = true;
      cursors.set(team, Math.min(from, end));
    }
    return { cursors, ends, resync };
  }

  /** The reader adds the teams in the same turn as the subscriber, or one that leaves could drop them. */
  function admit(request: StreamRequest, { cursors, ends, resync }: StartingPoint): Subscriber {
    for (const team of cursors.keys()) if (!heads.has(team)) heads.set(team, ends.get(team) ?? 0);
    const outbox = openOutbox({
      maxBytes: limits.maxWaitingBytes,
      onGone(reason) {
        opened -= 1;
        subscribers.delete(subscriber);
        forgetUnfollowed();
        if (reason === "too slow") log.info({ userId: request.userId }, "stream dropped: too slow");
      },
    });
    const subscriber: Subscriber = { request, outbox, cursors, phase: "replaying", resync };
    subscribers.add(subscriber);
    outbox.push(opening);
    return subscriber;
  }

  async function replay(subscriber: Subscriber): Promise<void> {
    while (subscriber.outbox.isOpen) {
      const behind = new Map([...subscriber.cursors].filter(([team, seq]) => seq < (heads.get(team) ?? seq)));
      if (behind.size === 0) break;
      const rows = await store.changesAfter(behind);
      // No rows although the counter says there are some: they were trimmed.
      if (rows.length === 0) {
        subscriber.resync = true;
        for (const team of behind.keys()) subscriber.cursors.set(team, heads.get(team) ?? 0);
        break;
      }
      for (const row of rows) {
        const cursor = subscriber.cursors.get(row.teamId);
        if (cursor === undefined || row.seq <= cursor) continue;
        if (row.seq !== cursor + 1) subscriber.resync = true;
        deliver(subscriber, row, frameOf(row));
        if (subscriber.outbox.waitingBytes > limits.maxWaitingBytes / 2) await subscriber.outbox.drained();
      }
      await subscriber.outbox.drained();
    }
    if (!subscriber.outbox.isOpen) return;
    subscriber.phase = "live";
    sayReady(subscriber);
  }

  function sayReady(subscriber: Subscriber): void {
    subscriber.outbox.push(readyFrame(subscriber.cursors, subscriber.resync, eventId(subscriber)));
  }

  function eventId({ request, cursors }: Subscriber): string {
    return request.teamId === undefined ? globalEventId(cursors) : String(cursors.get(request.teamId) ?? 0);
  }

  function deliver(subscriber: Subscriber, row: ChangeRow, bytes: Uint8Array): void {
    subscriber.cursors.set(row.teamId, row.seq);
    const isGlobal = subscriber.request.teamId === undefined;
    subscriber.outbox.push(isGlobal ? frame("change", row.data, globalEventId(subscriber.cursors)) : bytes);
  }

  function hint(teamId?: string, seq?: number): void {
    if (stopped || subscribers.size === 0) return;
    if (teamId !== undefined) {
      const head = heads.get(teamId);
      if (head === undefined) {
        // Nobody follows it yet: perhaps someone has just joined it.
        if (hasGlobalStreams()) checkMembershipsSoon();
        return;
      }
      if (seq !== undefined && seq <= head) return;
    }
    readAgain = true;
    reading ??= bestEffort("read changes", log, readOn).then(() => {
      reading = undefined;
      if (readAgain) hint();
    });
  }

  async function readOn(): Promise<void> {
    while (readAgain && !stopped && heads.size > 0) {
      readAgain = false;
      const rows = await store.changesAfter(heads);
      faultPoint("afterChangesReadBeforeSend");
      await fanOut(rows);
      if (rows.length >= pageSize) readAgain = true;
    }
    readAgain = false;
  }

  async function fanOut(rows: readonly ChangeRow[]): Promise<void> {
    let membershipsMayDiffer = false;
    for (const [index, row] of rows.entries()) {
      // A burst is sent in portions: nobody is slow only because the sockets had no turn to send.
      if (index > 0 && index % portion === 0) await setImmediate();
      const head = heads.get(row.teamId);
      if (head === undefined || row.seq <= head) continue;
      heads.set(row.teamId, row.seq);
      if (membershipKinds.has(row.kind)) membershipsMayDiffer = true;
      const bytes = frameOf(row);
      for (const subscriber of subscribers) {
        const cursor = subscriber.cursors.get(row.teamId);
        if (subscriber.phase !== "live" || cursor === undefined || row.seq <= cursor) continue;
        deliver(subscriber, row, bytes);
        // Somebody whose membership or role has changed connects again, with what they may see now.
        if (row.kind === "member" && row.entityId === subscriber.request.userId) subscriber.outbox.end();
      }
    }
    if (membershipsMayDiffer) checkMembershipsSoon();
  }

  /** At most one check per interval, for any number of hints. */
  function checkMembershipsSoon(): void {
    if (stopped) return;
    checkTimer ??= setTimeout(() => {
      checkTimer = undefined;
      void bestEffort("check memberships", log, checkMemberships);
    }, membershipPauseMs);
  }

  async function checkMemberships(): Promise<void> {
    // Who subscribes while Postgres answers was checked then, and is not in the answer.
    const asked = [...subscribers];
    if (asked.length === 0) return;
    const memberships = await store.teamsOf([...new Set(asked.map((one) => one.request.userId))]);
    const joined = new Set<string>();
    for (const subscriber of asked) {
      const { teamId, userId } = subscriber.request;
      const teams = memberships.get(userId) ?? new Set<string>();
      if (teamId !== undefined) {
        if (!teams.has(teamId)) subscriber.outbox.end();
        continue;
      }
      for (const team of followable(teams)) if (!subscriber.cursors.has(team)) joined.add(team);
    }
    const ends = joined.size > 0 ? await store.heads([...joined]) : new Map<string, number>();
    for (const subscriber of asked)
      if (subscribers.has(subscriber)) followTeams(subscriber, memberships.get(subscriber.request.userId), ends);
  }

  /** A team that was joined is followed from its current end; `ready` tells the client that its teams have changed. */
  function followTeams(
    subscriber: Subscriber,
    memberOf: ReadonlySet<string> | undefined,
    ends: Map<string, number>,
  ): void {
    if (subscriber.request.teamId !== undefined || subscriber.phase !== "live" || !memberOf) return;
    const teams = followable(memberOf);
    const lost = [...subscriber.cursors.keys()].filter((team) => !teams.has(team));
    const added = [...teams].filter((team) => !subscriber.cursors.has(team));
    for (const team of lost) subscriber.cursors.delete(team);
    for (const team of added) {
      const end = ends.get(team) ?? 0;
      if (!heads.has(team)) heads.set(team, end);
      subscriber.cursors.set(team, heads.get(team) ?? end);
    }
    if (lost.length > 0) forgetUnfollowed();
    if (lost.length + added.length > 0) sayReady(subscriber);
  }

  async function beat(): Promise<void> {
    const now = clock.now();
    for (const subscriber of [...subscribers]) if (subscriber.request.expiresAtMs <= now) subscriber.outbox.end();
    await bestEffort("check memberships", log, checkMemberships);
    for (const subscriber of [...subscribers]) subscriber.outbox.push(heartbeat);
  }

  function forgetUnfollowed(): void {
    for (const team of heads.keys()) {
      if (![...subscribers].some((one) => one.cursors.has(team))) heads.delete(team);
    }
  }

  function hasGlobalStreams(): boolean {
    return [...subscribers].some((one) => one.request.teamId === undefined);
  }

  return {
    subscribe,
    hint,
    checkMemberships,
    beat,
    get subscribers() {
      return subscribers.size;
    },
    async stop() {
      stopped = true;
      clearTimeout(checkTimer);
      for (const subscriber of [...subscribers]) subscriber.outbox.end();
      await reading;
    },
  };
}

/**
 * The teams a global stream follows. Its id names them all and comes back in a header of at most 16 kB, hence the limit;
 * `ready` lists them, and every other team has its own stream.
 */
function followable(teams: ReadonlySet<string>): ReadonlySet<string> {
  return teams.size <= maxGlobalTeams ? teams : new Set([...teams].sort().slice(0, maxGlobalTeams));
}

function frameOf(row: ChangeRow): Uint8Array {
  return frame("change", row.data, String(row.seq));
}

/** A missing team and another person's team give the same answer. */
function notMember(): DevflowError {
  return new DevflowError("forbidden", {
    details: { problem: "You are not a member of this team.", next: "List your teams: devflow status" },
  });
}
