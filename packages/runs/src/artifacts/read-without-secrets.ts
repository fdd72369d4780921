/**
 * Reads an artifact after removing secrets from its file, so that the file, its hash and its row agree.
 *
 * - `readWithoutSecrets(place, known)` like `readArtifact`. A file with secrets is replaced by the same text with
 *   `[redacted:<kind>]` in their place; one without them is not touched. Repeating it changes nothing.
 */
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { redactJsonText, redactSecrets } from "@devflow/redact";
import { type ArtifactContent, type ArtifactReading, type ReadArtifactOptions, readArtifact } from "./read-artifact.ts";

export async function readWithoutSecrets(
  place: ReadArtifactOptions,
  known: readonly string[],
): Promise<ArtifactReading> {
  const reading = await readArtifact(place);
  if (!reading.ok) return reading;
  const clean = withoutSecrets(reading, known);
  if (clean === reading.text) return reading;
  await writeFileAtomic(place.path, clean);
  return await readArtifact(place);
}

/** Text that is not JSON is refused later, and its message may quote it. */
function withoutSecrets({ text, json }: ArtifactContent, known: readonly string[]): string {
  return json.ok ? redactJsonText(text, { known }).text : redactSecrets(text, { known }).text;
}
