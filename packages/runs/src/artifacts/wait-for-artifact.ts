/**
 * Waits until the expected files exist and are finished.
 *
 * - `waitForArtifact(file, options)` / `waitForArtifacts(files, options)` their readings, in the order given.
 *
 * A file is finished when nothing about it has changed for the debounce. One that is not JSON yet counts as still being
 * written and gets longer, because agents write in pieces. A file that equals its baseline is an old answer and does not
 * count. A finished file that changes while others are awaited is awaited again. There is no time limit here:
 * the caller's signal ends the wait.
 */
import { type FSWatcher, watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "@devflow/core/clock";
import { type ArtifactReading, type FileStamp, readArtifact, sameStamp, stampAt } from "./read-artifact.ts";
import { type ArtifactSignature, isStale } from "./signature.ts";

export interface ExpectedFile {
  readonly path: string;
  /** What was there before the prompt was sent. */
  readonly baseline?: ArtifactSignature;
}

export interface WaitOptions {
  /** The run's artifacts folder. */
  readonly folder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly debounceMs?: number;
  /** How long unparsable content has to stay unchanged before it counts as the answer. */
  readonly unfinishedMs?: number;
  readonly pollMs?: number;
  readonly maxBytes?: number;
}

/** After a read that collided with a writer. */
const lookAgainMs = 20;
const defaults = { debounceMs: 500, unfinishedMs: 2_000, pollMs: 1_000 };

/** Faults that exist for a moment while a writer is at work. */
const unfinishedFaults: readonly string[] = ["empty", "binary", "not_utf8"];

export async function waitForArtifact(file: ExpectedFile, options: WaitOptions): Promise<ArtifactReading> {
  const [reading] = await waitForArtifacts([file], options);
  if (!reading) throw new Error("one file gives one reading");
  return reading;
}

export async function waitForArtifacts(
  files: readonly ExpectedFile[],
  options: WaitOptions,
): Promise<readonly ArtifactReading[]> {
  const { clock, signal, pollMs = defaults.pollMs } = options;
  signal.throwIfAborted();
  const watched = files.map((file) => new WatchedFile(file, options));
  const bell = await watchFolders([...new Set(files.map(({ path }) => dirname(path)))]);
  signal.addEventListener("abort", bell.ring);
  try {
    for (;;) {
      bell.reset();
      const dues: number[] = [];
      for (const file of watched) dues.push(await file.step());
      signal.throwIfAborted();
      const readings = watched.map((file) => file.reading);
      if (readings.every((reading) => reading !== undefined)) return readings;
      const until = Math.min(pollMs, ...dues.map((due) => Math.max(0, due - clock.now())));
      await bell.rungOrAfter(until, clock);
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener("abort", bell.ring);
    bell.close();
  }
}

/** One expected file: its last observed state, since when, and its reading once it is finished. */
class WatchedFile {
  reading: ArtifactReading | undefined;
  private seen: FileStamp | undefined;
  private since = 0;
  /** The observation whose content was unfinished or old, so that it is not read at every step. */
  private read: { readonly look: FileStamp | undefined; readonly is: "unfinished" | "stale" } | undefined;
  private readonly file: ExpectedFile;
  private readonly options: WaitOptions;

  constructor(file: ExpectedFile, options: WaitOptions) {
    this.file = file;
    this.options = options;
  }

  /** Checks once; returns when to check again at the latest. */
  async step(): Promise<number> {
    const { clock, debounceMs = defaults.debounceMs, unfinishedMs = defaults.unfinishedMs } = this.options;
    const look = await stampAt(this.file.path);
    const now = clock.now();
    if (!sameStamp(look, this.seen)) {
      this.seen = look;
      this.since = now;
      this.reading = undefined;
      this.read = undefined;
    }
    // A clock that was set back must not extend the debounce by hours.
    if (now < this.since) this.since = now;
    if (!look || this.reading) return Number.POSITIVE_INFINITY;
    if (this.read?.is === "stale" && sameStamp(this.read.look, look)) return Number.POSITIVE_INFINITY;
    const stableMs = now - this.since;
    if (stableMs < debounceMs) return this.since + debounceMs;
    if (this.read?.is === "unfinished" && stableMs < unfinishedMs) return this.since + unfinishedMs;
    return this.readNow(stableMs >= unfinishedMs, unfinishedMs);
  }

  private async readNow(isLastCall: boolean, unfinishedMs: number): Promise<number> {
    const { folder, clock, maxBytes } = this.options;
    const reading = await readArtifact({ path: this.file.path, folder, ...(maxBytes ? { maxBytes } : {}) });
    if (!reading.ok && ["missing", "vanished", "changed"].includes(reading.fault)) return clock.now() + lookAgainMs;
    if (!sameStamp(reading.look, this.seen)) return clock.now() + lookAgainMs;
    if (isStale(this.file.baseline, reading)) {
      this.read = { look: reading.look, is: "stale" };
      return Number.POSITIVE_INFINITY;
    }
    const isUnfinished = reading.ok ? !reading.json.ok : unfinishedFaults.includes(reading.fault);
    if (isUnfinished && !isLastCall) {
      this.read = { look: reading.look, is: "unfinished" };
      return this.since + unfinishedMs;
    }
    this.reading = reading;
    return Number.POSITIVE_INFINITY;
  }
}

interface Bell {
  readonly ring: () => void;
  reset(): void;
  rungOrAfter(ms: number, clock: Clock): Promise<void>;
  close(): void;
}

/** Fires when something happens in one of the folders. A folder that cannot be watched is polled. */
async function watchFolders(folders: readonly string[]): Promise<Bell> {
  let rung = false;
  let wake: (() => void) | undefined;
  const ring = () => {
    rung = true;
    wake?.();
  };
  const watchers: FSWatcher[] = [];
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      const watcher = watch(folder, { persistent: false }, ring);
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
    } catch {
      // Out of watches, or the folder cannot be created: the poll notices the file later.
    }
  }
  return {
    ring,
    reset() {
      rung = false;
    },
    async rungOrAfter(ms, clock) {
      if (rung) return;
      const sleep = new AbortController();
      const ringing = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const slept = clock.sleep(ms, sleep.signal).catch((error) => {
        if (!sleep.signal.aborted) throw error;
      });
      try {
        await Promise.race([ringing, slept]);
      } finally {
        wake = undefined;
        sleep.abort();
      }
    },
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
