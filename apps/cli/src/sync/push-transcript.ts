/** `devflow sync push-transcript [file]`: what is new in agents' session files, once, without secrets, and only if the person agreed. */
import { realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { homeAt } from "@devflow/core/home";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { repositoryRoot } from "@devflow/git";
import { FileMark, readNewLines, type TranscriptRecords, transcriptRecords } from "@devflow/team/records";
import { counted } from "../data/amounts.ts";
import type { syncPushTranscriptRecord } from "./commands.ts";
import { givenFile } from "./given-file.ts";
import { findPlace, type TeamPlace } from "./place.ts";
import { pushed, syncLine } from "./push-records.ts";
import { sessionFiles } from "./session-files.ts";

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
  const marks = join(homeAt(root).root, "spool", "marks");
  const found: TranscriptRecords[] = [];
  let isSent = true;
  let unread = 0;
  for (const path of file === undefined ? await ownSessions(context) : [resolve(context.cwd, file)]) {
    for await (const part of newParts(path, marks, place, { advance: !dryRun, isRequired: file !== undefined })) {
      if (part === "unreadable") {
        unread += 1;
        continue;
      }
      found.push(part.records);
      if (dryRun || !place) continue;
      if (part.records.drafts.length > 0)
        isSent = (await pushed(homeAt(root), place, part.records.drafts, context)).isSent && isSent;
      // After the records are on disk: a process that is killed in between makes the same records, with the same ids, again.
      await part.keep();
    }
  }
  const sum = (of: "messages" | "redacted" | "skipped") => found.reduce((total, one) => total + one[of], 0);
  const drafts = found.flatMap((one) => one.drafts);
  const facts = { messages: sum("messages"), redacted: sum("redacted"), skipped: sum("skipped"), unread };
  const answer = { ...facts, records: drafts.map(({ id }) => id) };
  if (dryRun || !place) {
    const text = drafts.map(({ payload }) => JSON.stringify(payload, null, 2)).join("\n");
    return context.output.result({ ...answer, payloads: drafts.map(({ payload }) => payload) }, text || "Nothing new.");
  }
  const about = `${counted(facts.messages, "message")}, ${counted(facts.redacted, "secret")} removed`;
  context.output.result(
    { ...answer, team: place.team.name, sent: isSent },
    facts.messages === 0 ? "Nothing new." : `${about}. ${syncLine({ isSent, syncEnabled })}`,
  );
};

async function ownSessions(context: CommandContext): Promise<string[]> {
  const root = await repositoryRoot(context);
  if (root !== undefined) return await sessionFiles(await realpath(root), context.env);
  throw new DevflowError("usage", {
    details: {
      problem: "This is not a repository, so it is not known which sessions are meant.",
      next: "Name a file: devflow sync push-transcript <file>",
    },
  });
}

/** A file of the agent that cannot be read at this moment is left for the next time; one that the person named is an error. */
async function* newParts(
  path: string,
  marks: string,
  place: TeamPlace | undefined,
  { advance, isRequired }: { readonly advance: boolean; readonly isRequired: boolean },
) {
  const markFile = join(marks, `${hashBytes(`${place?.to.team}\n${path}`).slice(0, 32)}.json`);
  let mark = FileMark.safeParse(parseJson((await readIfThere(markFile)) ?? "")).data;
  for (;;) {
    const read = () => readNewLines(path, mark);
    const lines = isRequired
      ? await givenFile(path, "Give an agent's session file: devflow sync push-transcript <file>", read)
      : await read().catch((error: NodeJS.ErrnoException) => {
          if (error.code === undefined) throw error;
          return undefined;
        });
    if (!lines) {
      yield "unreadable" as const;
      return;
    }
    const sessionId = mark?.session ?? basename(path).replace(/\.jsonl?$/, "");
    const records = transcriptRecords(lines.text, { team: place?.to.team ?? "", sessionId, offset: lines.offset });
    const next = { ...lines.mark, session: records.session };
    yield {
      records,
      async keep(): Promise<void> {
        await ensurePrivateFolder(marks);
        await writeFileAtomic(markFile, `${JSON.stringify(next)}\n`);
      },
    };
    if (!lines.more || !advance) return;
    mark = next;
  }
}
