/**
 * A picture that a run changed, before or after, for the page of its diff.
 *
 * - `runPicture(context, run, path, side)` its bytes; undefined when there is none on that side, or it is not a picture that a
 *   browser shows without danger: PNG, JPEG, GIF or WebP by its first bytes, up to 5 MB. An SVG is text, with scripts.
 *
 * Only files of the run's diff are read, and no lent file. The path comes from a request: it is not followed out of the
 * worktree, and links are not followed at all.
 */
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { git } from "@devflow/git";
import type { EngineContext } from "../engine/context.ts";
import type { VisibleRun } from "../views/index.ts";
import { runDiff, workOf } from "./run-diff.ts";

export type PictureSide = "before" | "after";

const mostBytes = 5 * 1024 * 1024;

export async function runPicture(
  { env }: Pick<EngineContext, "env">,
  run: VisibleRun,
  path: string,
  side: PictureSide,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const { files } = await runDiff({ env }, run);
  const file = files.find((one) => one.path === path && one.isBinary);
  const place = await workOf(run, env);
  if (!file || !place) return undefined;
  const bytes =
    side === "before"
      ? await committed(run.repository, run.baseCommit, file.from ?? path, env)
      : place.tip === undefined
        ? await inFolder(place.worktree, path)
        : await committed(run.repository, place.tip, path, env);
  return bytes && isPicture(bytes) ? bytes : undefined;
}

async function committed(cwd: string, commit: string, path: string, env: EngineContext["env"]) {
  const found = await git(["cat-file", "blob"], {
    cwd,
    env,
    revisions: [`${commit}:${path}`],
    answers: [128],
    maxOutput: mostBytes,
  }).catch(() => undefined);
  return found?.exit === 0 ? Buffer.from(found.bytes) : undefined;
}

async function inFolder(worktree: string, path: string): Promise<Buffer<ArrayBuffer> | undefined> {
  const whole = join(worktree, path);
  const [root, folder] = await Promise.all([realpath(worktree), realpath(dirname(whole)).catch(() => "")]);
  if (folder !== root && !folder.startsWith(`${root}/`)) return undefined;
  const file = await open(whole, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!file) return undefined;
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= mostBytes ? Buffer.from(await file.readFile()) : undefined;
  } finally {
    await file.close();
  }
}

const starts: readonly string[] = ["89504e47", "ffd8ff", "47494638", "52494646"];

function isPicture(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 4).toString("hex");
  if (start === "52494646") return bytes.subarray(8, 12).toString("latin1") === "WEBP";
  return starts.some((one) => start.startsWith(one));
}
