/**
 * One pass of the drainer over the spool. The caller holds the lock.
 *
 * - `drainPass(ports, until)` sends what can be sent and reports what is left and why. A destination that cannot be reached is left
 *   alone for the rest of the pass; its records go back to `new/`.
 */
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { faultPoint } from "@devflow/core/fault-point";
import { hash } from "@devflow/core/hash";
import { type Connection, callRpc, type RpcOutcome } from "../remote/index.ts";
import { type Destination, makeFolders, type SpoolFolder } from "../spool/index.ts";
import { type Batch, Batcher, bodyOf, destinationKey, halves } from "./batches.ts";
import { backoffMs, decidePush, type Settlement, settlementOf } from "./decide-push.ts";
import { claim, readReason, readRecord, recordNames, returnAll, settle, tidy } from "./spool-files.ts";

export type TokenFor = (
  server: string,
  user: string,
  options?: { /** The last token was refused. */ readonly renew?: boolean },
) => Promise<Connection | { readonly waiting: string }>;

export interface DrainPorts {
  readonly folder: SpoolFolder;
  readonly tokenFor: TokenFor;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
  /** For one push; 5 s. */
  readonly timeoutMs?: number;
  /** The person is no longer in the team: its local copy has to go. */
  readonly onEvicted: (to: Destination) => Promise<void>;
  /** One line per push. */
  readonly onPush?: (push: PushNote) => void;
}

export interface PushNote {
  readonly to: Destination;
  readonly records: number;
  readonly kinds: readonly string[];
  readonly result: string;
  readonly ms: number;
}

export interface Obstacle {
  readonly to: Destination;
  readonly reason: string;
  readonly afterMs?: number;
}

export interface DrainReport {
  readonly sent: number;
  readonly dead: number;
  readonly waiting: number;
  /** Destinations that were left alone, each with its reason. */
  readonly obstacles: readonly Obstacle[];
}

const pushTimeoutMs = 5_000;

export async function drainPass(ports: DrainPorts): Promise<DrainReport> {
  const pass = new Pass(ports);
  await makeFolders(ports.folder);
  await returnAll(ports.folder);
  await tidy(ports.folder, ports.now());
  await pass.retryWaiting();
  // Records may arrive meanwhile, and a partial answer leaves some: until nothing more moves.
  while (await pass.sweep());
  return pass.report();
}

class Pass {
  readonly #ports: DrainPorts;
  readonly #obstacles = new Map<string, Obstacle>();
  readonly #versions = new Map<string, string | undefined>();
  readonly #counts = { sent: 0, dead: 0, wait: 0 };

  constructor(ports: DrainPorts) {
    this.#ports = ports;
  }

  report(): DrainReport {
    const { sent, dead, wait } = this.#counts;
    return { sent, dead, waiting: wait, obstacles: [...this.#obstacles.values()] };
  }

  /** True when something was settled, so that another look is worth it. */
  async sweep(): Promise<boolean> {
    const { folder, now, signal } = this.#ports;
    const batcher = new Batcher();
    const isWanted = (record: Destination) => !this.#obstacles.has(destinationKey(record));
    let settled = 0;
    for (const name of await recordNames(folder.new)) {
      if (signal?.aborted) break;
      const claimed = await claim(folder, name, { nowMs: now(), isWanted });
      if (claimed === "dead") this.#counts.dead += 1;
      const full = claimed && claimed !== "dead" ? batcher.add(claimed) : undefined;
      if (full) settled += await this.#send(full);
    }
    for (const batch of batcher.rest()) settled += await this.#send(batch);
    return settled > 0 && !signal?.aborted;
  }

  /** How many records left the spool. */
  async #send(batch: Batch): Promise<number> {
    if (batch.records.length === 0) return 0;
    if (this.#obstacles.has(destinationKey(batch.to)) || this.#ports.signal?.aborted) return await this.#keep(batch);
    let failures = 0;
    let before = "";
    let renew = false;
    for (;;) {
      const connection = await this.#connect(batch.to, renew);
      if (!connection) return await this.#keep(batch);
      const outcome = await this.#push(connection, batch);
      const failure = signatureOf(outcome);
      failures = failure === before ? failures + 1 : 1;
      before = failure;
      const decision = decidePush(outcome, { size: batch.records.length, failures, isTokenFresh: renew });
      switch (decision.do) {
        case "settle":
          return await this.#settle(
            batch,
            settlementOf(
              batch.records.map(({ record }) => record.id),
              decision.answers,
            ),
          );
        case "renew token":
          renew = true;
          continue;
        case "again":
          await this.#ports.sleep(backoffMs(failures - 1, this.#ports.random), this.#ports.signal).catch(() => {});
          continue;
        case "halve": {
          const [first, second] = halves(batch);
          return (await this.#send(first)) + (await this.#send(second));
        }
        case "isolate":
          return await this.#isolate(connection, batch, decision.reason);
        case "leave":
          this.#obstacles.set(destinationKey(batch.to), { to: batch.to, ...decision });
          if (decision.isEvicted) await this.#ports.onEvicted(batch.to);
          return await this.#keep(batch);
      }
    }
  }

  async #connect(to: Destination, renew: boolean): Promise<Connection | undefined> {
    const found = await this.#ports.tokenFor(to.server, to.user, renew ? { renew } : {});
    if (!("waiting" in found)) return found;
    this.#obstacles.set(destinationKey(to), { to, reason: found.waiting });
    return undefined;
  }

  async #push(connection: Connection, batch: Batch): Promise<RpcOutcome> {
    const { now, signal, onPush, timeoutMs = pushTimeoutMs } = this.#ports;
    const started = now();
    faultPoint("drainBeforeSend");
    const body = bodyOf(batch, new Date(started).toISOString());
    const args = { team_id: batch.to.team, records: [] };
    const options = { timeoutMs, body, ...(signal ? { signal } : {}) };
    const outcome = await callRpc(connection, "push_records", args, options);
    faultPoint("drainAfterAnswer");
    onPush?.({
      to: batch.to,
      records: batch.records.length,
      kinds: [...new Set(batch.records.map(({ record }) => record.kind))],
      result: outcome.is === "answered" ? "ok" : outcome.is === "refused" ? String(outcome.status) : outcome.reason,
      ms: now() - started,
    });
    return outcome;
  }

  async #settle(batch: Batch, settlements: ReadonlyMap<string, Settlement>): Promise<number> {
    const { folder, now } = this.#ports;
    const deferred = [...settlements.values()].some(({ to }) => to === "wait");
    const version = deferred ? await this.#versionOf(batch.to) : undefined;
    let left = 0;
    for (const { name, record } of batch.records) {
      const settlement = settlements.get(record.id) ?? kept;
      await settle(folder, name, settlement, { nowMs: now(), version });
      faultPoint("drainMidSettle");
      if (settlement.to !== "new") left += 1;
      if (settlement.to === "sent" || settlement.to === "gone") this.#counts.sent += 1;
      if (settlement.to === "dead") this.#counts.dead += 1;
      if (settlement.to === "wait") this.#counts.wait += 1;
    }
    // An answer that lists none of ours would be asked for again without end.
    if (left === 0)
      this.#obstacles.set(destinationKey(batch.to), { to: batch.to, reason: "the answer lists no record" });
    return left;
  }

  /** A server that refuses even an empty push is broken as a whole, and the record is not to blame. */
  async #isolate(connection: Connection, batch: Batch, reason: string): Promise<number> {
    const empty = { to: batch.to, records: [] };
    const probe = await this.#push(connection, empty);
    if (probe.is !== "answered") {
      this.#obstacles.set(destinationKey(batch.to), { to: batch.to, reason });
      return await this.#keep(batch);
    }
    const [only] = batch.records;
    if (!only) return 0;
    const version = await this.#versionOf(batch.to);
    await settle(this.#ports.folder, only.name, { to: "wait", reason }, { nowMs: this.#ports.now(), version });
    this.#counts.wait += 1;
    return 1;
  }

  async #keep(batch: Batch): Promise<0> {
    for (const { name } of batch.records) await settle(this.#ports.folder, name, kept, { nowMs: this.#ports.now() });
    return 0;
  }

  /** Records wait until the server knows something else than when it put them off. */
  async retryWaiting(): Promise<void> {
    const { folder } = this.#ports;
    for (const name of await recordNames(folder.wait)) {
      const record = await readRecord(join(folder.wait, name));
      if (record === undefined || record === "gone") continue;
      const why = await readReason(folder.wait, name);
      const version = await this.#versionOf(record);
      if (version === undefined || version === why?.version) continue;
      await rename(join(folder.wait, name), join(folder.new, name)).catch(() => {});
    }
  }

  /** What the server can store, as a hash; undefined when it does not say. */
  async #versionOf(to: Destination): Promise<string | undefined> {
    const key = destinationKey(to);
    if (this.#versions.has(key)) return this.#versions.get(key);
    const found = await this.#ports.tokenFor(to.server, to.user);
    const outcome =
      "waiting" in found ? undefined : await callRpc(found, "record_kinds", {}, { timeoutMs: pushTimeoutMs });
    const version = outcome?.is === "answered" ? hash(outcome.body).slice(0, 16) : undefined;
    this.#versions.set(key, version);
    return version;
  }
}

const kept: Settlement = { to: "new", reason: "" };

const signatureOf = (outcome: RpcOutcome): string =>
  outcome.is === "refused" ? `${outcome.status} ${outcome.code} ${outcome.message}` : outcome.is;
