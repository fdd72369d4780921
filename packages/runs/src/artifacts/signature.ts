/**
 * The identity of a file at a moment, kept so that the same file is not taken for a new answer later.
 *
 * - `signatureOf({ path, folder })` undefined when nothing is there.
 * - `isStale(baseline, reading)` whether this is still the file of the baseline.
 */
import { type ArtifactReading, type ReadArtifactOptions, readArtifact } from "./read-artifact.ts";

export interface ArtifactSignature {
  readonly dev: string;
  readonly ino: string;
  readonly size: string;
  readonly mtimeNs: string;
  /** Null for what could not be read: a directory, a link, a file above the limit. */
  readonly sha256: string | null;
}

export async function signatureOf(options: ReadArtifactOptions): Promise<ArtifactSignature | undefined> {
  return signatureIn(await readArtifact(options));
}

function signatureIn(reading: ArtifactReading): ArtifactSignature | undefined {
  if (!reading.look) return undefined;
  const { dev, ino, size, mtimeNs } = reading.look;
  return { dev, ino, size, mtimeNs, sha256: reading.sha256 ?? null };
}

/** The same bytes written again are a new answer; so is a file with different bytes whose times were set back. */
export function isStale(baseline: ArtifactSignature | undefined, reading: ArtifactReading): boolean {
  const now = signatureIn(reading);
  if (!baseline || !now) return false;
  return (
    now.dev === baseline.dev &&
    now.ino === baseline.ino &&
    now.size === baseline.size &&
    now.mtimeNs === baseline.mtimeNs &&
    now.sha256 === baseline.sha256
  );
}
