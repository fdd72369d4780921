/** The text of an artifact as it was validated, even if the file has changed since. */
import type { Reader } from "./reader.ts";

export interface ArtifactContent {
  readonly name: string;
  readonly content: string | null;
  readonly hash: string;
}

export async function artifactContent(
  { database, claims }: Reader,
  runId: string,
  artifactId: string,
): Promise<ArtifactContent | undefined> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<ArtifactContent[]>`
      select regexp_replace(f.path, '^.*/', '') as name, f.content, f.hash from app.artifacts f
      where f.id = ${artifactId} and f.run_id = ${runId}`,
  );
  return row;
}
