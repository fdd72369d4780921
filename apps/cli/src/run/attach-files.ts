/**
 * Files of this machine on their way to a run: read here, stored by the server, used by their ids.
 *
 * - `attachFiles(client, paths, context)` the ids. A link is not followed: its name may promise something else.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainLine } from "@devflow/core/plain-text";
import { AttachmentView, mostAttachmentBytes, mostAttachments } from "@devflow/protocol";
import type { RunsClient } from "./runs-client.ts";

export async function attachFiles(
  client: RunsClient,
  paths: readonly string[],
  { cwd, output }: Pick<CommandContext, "cwd" | "output">,
): Promise<string[]> {
  if (paths.length > mostAttachments)
    throw unusable(`${paths.length} files`, `at most ${mostAttachments} can be attached`);
  // All are read before the first is sent: a misspelled name leaves nothing behind.
  const files = await Promise.all(paths.map(async (path) => ({ path, bytes: await readGiven(resolve(cwd, path)) })));
  const ids: string[] = [];
  for (const { path, bytes } of files) {
    const query = new URLSearchParams({ name: basename(path) });
    const kept = await client.upload(`/api/runs/attachments?${query}`, bytes, AttachmentView);
    if (kept.isRedacted) output.note(`Secrets were taken out of ${plainLine(kept.name)}.`);
    ids.push(kept.id);
  }
  return ids;
}

async function readGiven(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw unusable(path, reasons[error.code ?? ""] ?? error.code ?? error.message);
    },
  );
  try {
    const found = await file.stat();
    if (!found.isFile()) throw unusable(path, "it is not a file");
    if (found.size > mostAttachmentBytes)
      throw unusable(path, `it is larger than ${mostAttachmentBytes / 1024 / 1024} MB`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

const reasons: Readonly<Record<string, string>> = {
  ELOOP: "it is a link; name the file itself",
  ENOENT: "there is no such file",
  EACCES: "you may not read it",
};

function unusable(what: string, why: string): DevflowError {
  const next = "Attach another one: --attach <file>";
  return new DevflowError("usage", { details: { problem: `${what} cannot be attached: ${why}.`, next } });
}
