/**
 * A picture that a run changed, before or after, for the page of its diff.
 *
 * - `runPicture(context, run, path, side)` its bytes; undefined when there is none on that side, or it is not a picture that a
 *   browser shows without danger: PNG, JPEG, GIF or WebP by its first bytes, up to 5 MB. An SVG is text, with scripts.
 *
 * Only files of the run's diff are read, and no lent file.
 */
import { isPicture, mediaTypeOf } from "../attachments/media-type.ts";
import type { EngineContext } from "../engine/context.ts";
import { changedFile } from "./changed-file.ts";
import { type RunPlace, runDiff } from "./run-diff.ts";

export type PictureSide = "before" | "after";

const mostBytes = 5 * 1024 * 1024;

export async function runPicture(
  { env }: Pick<EngineContext, "env">,
  run: RunPlace,
  path: string,
  side: PictureSide,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const { files } = await runDiff({ env }, run);
  const file = files.find((one) => one.path === path && one.isBinary);
  const bytes = file && (await changedFile({ env }, run, file, side, mostBytes));
  return bytes && isPicture(mediaTypeOf(bytes)) ? bytes : undefined;
}
