/** `devflow sync push-transcript <file>`: what is new in an agent's session file, once, without secrets, and only if the person agreed. */
import { open } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { homeAt } from "@devflow/core/home";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { transcriptRecords } from "@devflow/team/records";
import { z } from "zod";
import { counted } from "../data/amounts.ts";
import type { syncPushTranscriptRecord } from "./commands.ts";
import { findPlace } from "./place.ts";
import { pushed, syncLine } from "./push-records.ts";

/** A part at a time; the rest follows with the next call. */
const maxBytes = 16 * 1024 * 1024;

/** How far a file was pushed. A file that is now shorter, or another one of the same name, starts again. */
const Marker = z.object({ inode: z.number(), bytes: z.number() });

export const pushTranscript: HandlerOf<typeof syncPushTranscriptRecord> = async ({ file, dryRun }, context) => {
  const { home: root, syncEnabled, syncTranscripts } = context.config();
  if (!syncTranscripts && !dryRun) {
    throw new DevflowError("forbidden", {
      details: {
        problem: "You have not agreed to share transcripts.",
        next: "See what would be sent: add --dry-run. Agree: devflow config set sync_transcripts true",
      },
    });
  }
  const place = await findPlace(context);
  if (!place && !dryRun) return context.output.result({ team: null, records: [] }, "");
  const home = homeAt(root);
  const path = resolve(context.cwd, file);
  const marks = join(home.root, "spool", "marks");
  const markFile = join(marks, `${hashBytes(`${place?.to.team}\n${path}`).slice(0, 32)}.json`);
  const { bytes, inode, offset } = await readNew(path, markFile);
  const sessionId = basename(path).replace(/\.jsonl?$/, "");
  const found = transcriptRecords(bytes.toString("utf8"), { team: place?.to.team ?? "", sessionId, offset });
  const { messages, redacted, skipped } = found;
  const facts = { messages, redacted, skipped, records: found.drafts.map(({ id }) => id) };
  if (dryRun || !place) {
    const text = found.drafts.map(({ payload }) => JSON.stringify(payload, null, 2)).join("\n");
    return context.output.result(
      { ...facts, payloads: found.drafts.map(({ payload }) => payload) },
      text || "Nothing new.",
    );
  }
  const { isSent } = await pushed(home, place, found.drafts, context);
  // After the records are on disk: a process that is killed in between makes the same records, with the same ids, again.
  await ensurePrivateFolder(marks);
  const read = Buffer.byteLength(bytes.toString("utf8").slice(0, found.read));
  await writeFileAtomic(markFile, `${JSON.stringify({ inode, bytes: offset + read })}\n`);
  const about = `${counted(messages, "message")}, ${counted(redacted, "secret")} removed`;
  context.output.result(
    { ...facts, team: place.team.name, sent: isSent },
    messages === 0 ? "Nothing new." : `${about}. ${syncLine({ isSent, syncEnabled })}`,
  );
};

async function readNew(path: string, markFile: string): Promise<{ bytes: Buffer; inode: number; offset: number }> {
  const mark = Marker.safeParse(parseJson((await readIfThere(markFile)) ?? "")).data;
  const handle = await open(path, "r");
  try {
    const { ino: inode, size } = await handle.stat();
    const offset = mark && mark.inode === inode && mark.bytes <= size ? mark.bytes : 0;
    const bytes = Buffer.alloc(Math.min(maxBytes, size - offset));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset);
    return { bytes: bytes.subarray(0, bytesRead), inode, offset };
  } finally {
    await handle.close();
  }
}
