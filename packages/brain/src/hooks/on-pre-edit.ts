/** Before an edit: what the team knows about the file, once per session and again when it changed. */
import { dirname } from "node:path";
import { hashBytes } from "@devflow/core/hash";
import { agentOf } from "./hook-agent.ts";
import type { HookEvent } from "./hook-event.ts";
import type { HookAnswer, HookPorts } from "./hook-ports.ts";
import { absolutePath, editsOfTool, insidePath, realPath } from "./log-edit.ts";
import { note, readNotes } from "./session-notes.ts";

/** Of one answer; a patch may change many files at once. */
const mostCharacters = 8_900;

export async function beforeEdit(event: HookEvent, ports: HookPorts): Promise<HookAnswer | undefined> {
  const edits = event.tool ? (editsOfTool(event.tool, event.cwd) ?? []) : [];
  const texts: string[] = [];
  for (const { path: given } of edits) {
    const path = realPath(absolutePath(given, event.cwd));
    const place = await ports.place(dirname(path));
    const file = place && insidePath(place, path);
    if (!place?.team || file === undefined || !place.settings.does("decisions")) continue;
    const agent = agentOf(event, place.team);
    const { text, decisions } = await ports.contextForFile(place, file, agent.id);
    if (text === "") continue;
    const { told, decisions: known } = readNotes(ports.home, agent.id);
    const hash = hashBytes(withoutAge(text)).slice(0, 16);
    if (told.get(file) === hash) continue;
    // A block that is cut has no end. What does not fit is told before the next edit.
    if (texts.join("\n\n").length + text.length > mostCharacters) break;
    texts.push(text);
    note(ports.home, agent.id, { is: "told", file, hash });
    for (const { id, rev } of decisions) {
      if ((known.get(id) ?? 0) < rev) note(ports.home, agent.id, { is: "decision", id, rev });
    }
  }
  return texts.length === 0 ? undefined : { context: texts.join("\n\n") };
}

/** How old it is changes every minute; that alone is no news. */
const withoutAge = (text: string): string => text.replace(/as-of="[^"]*"|age="[^"]*"|\d+ (?:min|h|d) ago/g, "");
