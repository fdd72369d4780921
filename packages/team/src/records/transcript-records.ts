/**
 * The part of an agent's session file that has not been pushed yet, as records.
 *
 * - `transcriptRecords(text, options)` of whole lines, at most 500 kB each. Secrets are removed from every message. Lines of a form that is
 *   not known are counted and left out.
 *
 * Reads the session files of Claude Code and Codex, and Claude Code's `history.jsonl`.
 */
import { uuidv5 } from "@devflow/core/ids";
import { parseJson } from "@devflow/core/read-if-there";
import { redactSecrets, safeText } from "@devflow/redact";
import { z } from "zod";
import type { RecordDraft } from "../spool/index.ts";

export interface TranscriptMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly tools: readonly string[];
  readonly at: string | null;
}

export interface TranscriptRecords {
  readonly drafts: readonly Pick<RecordDraft, "id" | "kind" | "payload">[];
  /** The session that the last line belongs to; the next part of the file may not say it again. */
  readonly session: string;
  readonly messages: number;
  readonly redacted: number;
  /** Lines that were not understood. */
  readonly skipped: number;
}

export interface TranscriptOptions {
  readonly team: string;
  /** When the file does not say it. */
  readonly sessionId: string;
  /** Where in the file the text begins; part of the records' ids. */
  readonly offset: number;
}

const namespace = "b1a4f6b0-2f6b-5d57-9c3e-6f0f6c1f2a11";
const maxChars = 500_000;
const maxMessageChars = 100_000;

export function transcriptRecords(text: string, { team, sessionId, offset }: TranscriptOptions): TranscriptRecords {
  const bySession = new Map<string, TranscriptMessage[]>();
  let session = sessionId;
  let redacted = 0;
  let skipped = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const found = readLine(parseJson(line));
    if (found?.session !== undefined) session = found.session;
    if (found === undefined) skipped += 1;
    if (!found?.message) continue;
    const clean = redactSecrets(safeText(found.message.text.slice(0, maxMessageChars)).value);
    redacted += clean.found.length;
    const messages = bySession.get(session) ?? [];
    bySession.set(session, messages);
    messages.push({ ...found.message, text: clean.text });
  }
  const drafts = [...bySession].flatMap(([id, messages]) =>
    portions(messages).map((portion, index) => ({
      id: uuidv5(namespace, `${team}\n${id}\n${offset}\n${index}`),
      kind: "transcript" as const,
      payload: payloadOf(id, portion),
    })),
  );
  const messages = [...bySession.values()].reduce((sum, own) => sum + own.length, 0);
  return { drafts, session, messages, redacted, skipped };
}

function payloadOf(sessionId: string, messages: readonly TranscriptMessage[]): object {
  const tools: Record<string, number> = {};
  for (const name of messages.flatMap((message) => message.tools)) tools[name] = (tools[name] ?? 0) + 1;
  const times = messages.flatMap(({ at }) => at ?? []).sort();
  return {
    session_id: sessionId.slice(0, 200),
    turns: messages.filter(({ role }) => role === "user").length,
    tools,
    started_at: times[0] ?? null,
    ended_at: times.at(-1) ?? null,
    messages,
  };
}

function portions(messages: readonly TranscriptMessage[]): TranscriptMessage[][] {
  const made: TranscriptMessage[][] = [[]];
  let chars = 0;
  for (const message of messages) {
    const size = message.text.length + 200;
    if (chars + size > maxChars && chars > 0) {
      made.push([]);
      chars = 0;
    }
    made.at(-1)?.push(message);
    chars += size;
  }
  return made.filter((portion) => portion.length > 0);
}

const Time = z.union([z.string(), z.number()]).optional();
const Part = z.looseObject({ type: z.string(), text: z.string().optional(), name: z.string().optional() });
const Content = z.union([z.string(), z.array(Part)]);
const Role = z.enum(["user", "assistant"]);

/** Claude Code's session file. */
const ClaudeLine = z.looseObject({
  type: Role,
  sessionId: z.string().optional(),
  timestamp: Time,
  message: z.looseObject({ role: Role, content: Content }),
});
/** Its history of prompts. */
const HistoryLine = z.looseObject({ display: z.string(), timestamp: Time, sessionId: z.string().optional() });
/** Codex. */
const CodexLine = z.looseObject({
  type: z.literal("response_item"),
  timestamp: Time,
  payload: z.looseObject({
    type: z.string(),
    role: z.string().optional(),
    content: Content.optional(),
    name: z.string().optional(),
  }),
});
const CodexHead = z.looseObject({ type: z.literal("session_meta"), payload: z.looseObject({ id: z.string() }) });
/** Lines that agents write for themselves. */
const OtherLine = z.looseObject({ type: z.string() });

function readLine(value: unknown): { readonly session?: string; readonly message?: TranscriptMessage } | undefined {
  const claude = ClaudeLine.safeParse(value).data;
  if (claude) {
    const { role, content } = claude.message;
    const session = claude.sessionId === undefined ? {} : { session: claude.sessionId };
    const said = partsOf(content);
    const isSilent = said.text === "" && said.tools.length === 0;
    return { ...session, ...(isSilent ? {} : { message: { role, ...said, at: timeOf(claude.timestamp) } }) };
  }
  const head = CodexHead.safeParse(value).data;
  if (head) return { session: head.payload.id };
  const codex = CodexLine.safeParse(value).data;
  if (codex) {
    const at = timeOf(codex.timestamp);
    const { type, role, content, name } = codex.payload;
    if (name !== undefined && type.endsWith("_call"))
      return { message: { role: "assistant", text: "", tools: [name], at } };
    const spoken = Role.safeParse(role).data;
    return spoken && content !== undefined ? { message: { role: spoken, ...partsOf(content), at } } : {};
  }
  const prompt = HistoryLine.safeParse(value).data;
  if (prompt) {
    const session = prompt.sessionId === undefined ? {} : { session: prompt.sessionId };
    return { ...session, message: { role: "user", text: prompt.display, tools: [], at: timeOf(prompt.timestamp) } };
  }
  return OtherLine.safeParse(value).success ? {} : undefined;
}

/** What tools answered is left out: it is the content of files. */
function partsOf(content: z.infer<typeof Content>): { text: string; tools: string[] } {
  if (typeof content === "string") return { text: content, tools: [] };
  const text = content.flatMap(({ type, text: own }) => (/^(input_|output_)?text$/.test(type) && own ? [own] : []));
  const tools = content.flatMap(({ type, name }) => (type === "tool_use" && name ? [name] : []));
  return { text: text.join("\n"), tools };
}

function timeOf(value: z.infer<typeof Time>): string | null {
  const ms = typeof value === "number" ? value : Date.parse(value ?? "");
  return Number.isFinite(ms) && Math.abs(ms) < 8e15 ? new Date(ms).toISOString() : null;
}
