/** `devflow sync push-retro | push-triage | push-qa | push-ship <file>`. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CommandHandler } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { type FilePayload, recordsOfFile } from "@devflow/team/records";
import { counted } from "../data/amounts.ts";
import { givenFile } from "./given-file.ts";
import { findPlace } from "./place.ts";
import { pushed, syncLine } from "./push-records.ts";

export const pushFile =
  (what: FilePayload): CommandHandler<{ file: string }> =>
  async ({ file }, context) => {
    const text = file === "-" ? await context.readStdin() : await readGiven(resolve(context.cwd, file));
    const place = await findPlace(context);
    const about = {
      file: file === "-" ? "Standard input" : file,
      team: place?.to.team ?? "",
      repo: place?.repo ?? null,
    };
    // Checked also without a team: a skill that writes something wrong learns it at once.
    const { drafts, redacted } = recordsOfFile(what, text, about);
    if (!place) return context.output.result({ team: null, records: [] }, "");
    const { ids, isSent } = await pushed(homeAt(context.config().home), place, drafts, context);
    if (redacted > 0) context.output.note(`${counted(redacted, "secret")} removed before anything was stored.`);
    const { syncEnabled } = context.config();
    const value = { team: place.team.name, records: ids, sent: isSent };
    context.output.result(value, syncLine({ isSent, syncEnabled }));
  };

const readGiven = (path: string): Promise<string> =>
  givenFile(path, "Give a JSON file, or - for standard input.", () => readFile(path, "utf8"));
