/** `devflow sync push-retro | push-triage | push-qa | push-ship <file>`. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CommandContext, CommandHandler } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { type FilePayload, recordsOfFile } from "@devflow/team/records";
import { counted } from "../data/amounts.ts";
import { findPlace } from "./place.ts";
import { pushed } from "./push-records.ts";

export const pushFile =
  (what: FilePayload): CommandHandler<{ file: string }> =>
  async ({ file }, context) => {
    const text = file === "-" ? await context.readStdin() : await readFile(resolve(context.cwd, file), "utf8");
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
    say(context, place.team.name, ids, isSent);
  };

function say({ output }: CommandContext, team: string, records: readonly string[], isSent: boolean): void {
  output.result({ team, records, sent: isSent }, isSent ? "Synced to team ✓" : "Queued (offline)");
}
