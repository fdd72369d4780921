/**
 * The source of releases: a folder, or a URL with the same files.
 *
 * - `openReleaseSource(from)` → `read(name, limitBytes)`; https only, except on this machine.
 */
import { open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DevflowError } from "@devflow/core/errors";

export interface ReleaseSource {
  readonly place: string;
  read(name: string, limitBytes: number, signal: AbortSignal): Promise<Uint8Array>;
}

export function openReleaseSource(from: string, cwd: string): ReleaseSource {
  if (from.startsWith("file://")) return folderSource(fileURLToPath(from));
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(from) ? urlSource(from) : folderSource(resolve(cwd, from));
}

function folderSource(folder: string): ReleaseSource {
  return {
    place: folder,
    read: async (name, limitBytes) => {
      const path = join(folder, name);
      const file = await open(path).catch((error) => {
        throw notThere(path, error);
      });
      try {
        if ((await file.stat()).size > limitBytes) throw tooLarge(path, limitBytes);
        return await file.readFile();
      } finally {
        await file.close();
      }
    },
  };
}

function urlSource(from: string): ReleaseSource {
  const base = new URL(from.endsWith("/") ? from : `${from}/`);
  const onThisMachine = ["127.0.0.1", "[::1]", "localhost"].includes(base.hostname);
  if (base.protocol !== "https:" && !(base.protocol === "http:" && onThisMachine)) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `Releases are fetched only over https, not ${base.protocol}//.`,
        next: "Use an https:// URL or a folder.",
      },
    });
  }
  return {
    place: base.href,
    read: async (name, limitBytes, signal) => {
      const url = new URL(name, base).href;
      const answer = await fetch(url, { signal, redirect: "follow" }).catch((error) => {
        throw notThere(url, error);
      });
      if (!answer.ok || !answer.body) throw notThere(url, new Error(`HTTP ${answer.status}`));
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of answer.body) {
        size += chunk.length;
        if (size > limitBytes) throw tooLarge(url, limitBytes);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
  };
}

function notThere(place: string, cause: unknown): DevflowError {
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new DevflowError("not_found", {
    details: {
      what: `${place}${reason}`,
      next: "Use a folder or URL that contains a release: devflow upgrade --from <place>",
    },
    cause,
  });
}

function tooLarge(place: string, limitBytes: number): DevflowError {
  return new DevflowError("input_invalid", {
    details: {
      problem: `${place} is larger than ${limitBytes} bytes; that is not a release.`,
      next: "Check the source.",
    },
  });
}
