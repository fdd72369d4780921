/**
 * From which version to which a repository came.
 *
 * - `versionRange(place, span)` by its version tags, else by the version in `VERSION` or `package.json` then and now; undefined where
 *   there is none.
 * - `versionTags(place)` tags that are versions and are part of HEAD's history, newest first.
 * - `versionAt(place, revision)` the version that the files of a commit state.
 */
import { parseJson } from "@devflow/core/read-if-there";
import { type GitOptions, git } from "@devflow/git";

type Place = Pick<GitOptions, "cwd" | "env" | "signal">;

export interface VersionTag {
  readonly name: string;
  /** The commit. */
  readonly sha: string;
  readonly atMs: number;
}

const version = /^v?\d+(?:\.\d+){1,3}(?:[-+.][0-9a-z.-]+)?$/i;

export async function versionTags(place: Place): Promise<VersionTag[]> {
  const shape = "--format=%(refname:strip=2)%00%(objectname)%00%(*objectname)%00%(creatordate:unix)";
  const words = ["for-each-ref", "--merged=HEAD", "--sort=-creatordate", "--count=500", shape, "refs/tags"] as const;
  // 129, 128: a repository without a commit.
  const { stdout, exit } = await git([...words], { ...place, answers: [128, 129] });
  if (exit !== 0) return [];
  return stdout.split("\n").flatMap((line) => {
    const [name = "", object = "", peeled = "", at = ""] = line.split("\0");
    return version.test(name) ? [{ name, sha: peeled || object, atMs: Number(at) * 1000 }] : [];
  });
}

export async function versionRange(
  place: Place,
  span: { readonly sinceMs: number; readonly untilMs: number },
): Promise<{ from: string | null; to: string } | undefined> {
  const tags = (await versionTags(place)).filter(({ atMs }) => atMs <= span.untilMs);
  const [newest] = tags;
  if (newest) {
    const older = tags.find(({ atMs }) => atMs <= span.sinceMs);
    return { from: older?.name ?? tags.at(-1)?.name ?? null, to: newest.name };
  }
  const to = await versionAt(place, "HEAD");
  if (to === undefined) return undefined;
  const { stdout } = await git(["rev-list", "--max-count=1", `--before=${new Date(span.sinceMs).toISOString()}`], {
    ...place,
    revisions: ["HEAD"],
  });
  const start = stdout.trim();
  return { from: start === "" ? null : ((await versionAt(place, start)) ?? null), to };
}

export async function versionAt(place: Place, revision: string): Promise<string | undefined> {
  const plain = (await fileAt(place, revision, "VERSION"))?.trim();
  if (plain && version.test(plain)) return plain;
  const manifest = parseJson((await fileAt(place, revision, "package.json")) ?? "");
  const stated = (manifest as { version?: unknown } | undefined)?.version;
  return typeof stated === "string" && version.test(stated) ? stated : undefined;
}

async function fileAt(place: Place, revision: string, path: string): Promise<string | undefined> {
  const { stdout, exit } = await git(["cat-file", "blob"], {
    ...place,
    revisions: [`${revision}:${path}`],
    answers: [128],
    maxOutput: 1024 * 1024,
  });
  return exit === 0 ? stdout : undefined;
}
