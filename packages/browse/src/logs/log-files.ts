/**
 * The logs as append-only files, one JSON object per line: `<kind>.ndjson` in the session's folder. Lines are buffered in
 * memory and written each second, so that no page ever waits for the disk; a crash loses one second at most.
 *
 * - `writer(session, tab, redactor)` takes entries; `flush()` writes the buffer; `close()` flushes for the last time.
 *
 * Before a batch is written, `learn` collects values that became secret meanwhile, and the batch is cleaned once more.
 */
import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Redactor } from "./redactor.ts";

export type LogKind = "console" | "network" | "dialogs" | "downloads";

const flushEveryMs = 1_000;
/** A larger file is renamed to `<kind>.1.ndjson` and replaces the previous one. */
const maxFileBytes = 50 * 1024 * 1024;

export class LogFiles {
  readonly #folder: string;
  readonly #learn: () => Promise<void>;
  readonly #waiting = new Map<string, (() => string)[]>();
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, learn: () => Promise<void>) {
    this.#folder = folder;
    this.#learn = learn;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs);
    this.#timer.unref();
  }

  writer(session: string, tab: string, redactor: Redactor): (kind: LogKind, entry: object) => void {
    const folder = session.replace(/[^\w.-]/g, "_").slice(0, 80) || "_";
    return (kind, entry) => {
      const file = join(folder, `${kind}.ndjson`);
      const lines = this.#waiting.get(file) ?? [];
      lines.push(() => JSON.stringify({ tab, ...redactor.cleanAll(entry) }));
      this.#waiting.set(file, lines);
    };
  }

  flush(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      if (this.#waiting.size === 0) return;
      await this.#learn().catch(() => {});
      const batch = [...this.#waiting];
      this.#waiting.clear();
      for (const [file, lines] of batch) {
        // A full disk must not stop the browser; the rings in memory still have the entries.
        await this.#append(join(this.#folder, file), `${lines.map((line) => line()).join("\n")}\n`).catch(() => {});
      }
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #append(path: string, text: string): Promise<void> {
    await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    if (size > maxFileBytes) await rename(path, path.replace(/\.ndjson$/, ".1.ndjson"));
    await appendFile(path, text, { mode: 0o600 });
  }
}
