/**
 * What the compiled executable carries besides code. scripts/build lays the files out under `embedded/`.
 *
 * - `webAssetsFolder()` the built web app: inside the executable, or apps/web/dist.
 * - `bundledSkillsFolder()` the skills: inside the executable, or skills/ of the project.
 * - `packedPostgres()` Postgres inside the executable; undefined when running from source, where npm brought it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { PackedPostgres } from "@devflow/db/postgres";
import { isCompiled } from "./server/self.ts";

/** node:fs and Bun.file read from it in both cases. */
export function webAssetsFolder(): string {
  return isCompiled() ? embeddedFile("web") : join(import.meta.dir, "../../web/dist");
}

export function bundledSkillsFolder(): string {
  return isCompiled() ? embeddedFile("skills") : join(import.meta.dir, "../../../skills");
}

export function packedPostgres(): PackedPostgres | undefined {
  if (!isCompiled()) return undefined;
  const { version, sha256 } = JSON.parse(readFileSync(embeddedFile("postgres.json"), "utf8")) as {
    version: string;
    sha256: string;
  };
  return { version, unpack: (into) => unpackArchive(embeddedFile("postgres.tar.zst"), sha256, into) };
}

/** The hash is checked first: a damaged download must not become half a Postgres. */
export async function unpackArchive(archive: string, sha256: string, into: string): Promise<void> {
  const packed = readFileSync(archive);
  if (new Bun.CryptoHasher("sha256").update(packed).digest("hex") !== sha256) {
    throw new DevflowError("internal_state_corruption", {
      details: { problem: "the Postgres inside this executable is damaged; install Devflow again" },
    });
  }
  await new Bun.Archive(await Bun.zstdDecompress(packed)).extract(into);
}

function embeddedFile(name: string): string {
  return join(import.meta.dir, "embedded", name);
}
