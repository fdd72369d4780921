/**
 * Parses a client's request into a command with its arguments, and checks whether the caller may run it.
 *
 * - `CommandTable.parse(request)` uses the same records as help; throws `usage` or `unknown_command`.
 * - `checkCaller(caller, step, session)` throws when the token does not permit the command.
 */

import type { AnyCommand } from "@devflow/core/command";
import { type ParsedCommandLine, parseCommandLine } from "@devflow/core/command-line";
import { DevflowError } from "@devflow/core/errors";
import { redactSecrets } from "@devflow/redact";
import type { CommandRequest } from "../client/index.ts";
import type { Answer, AnyBrowseCommand } from "../command.ts";
import { cliRecordOf, type SharedInput, splitInput } from "../commands/index.ts";
import type { Caller } from "./tokens.ts";

export interface Step {
  readonly record: AnyBrowseCommand;
  readonly input: Readonly<Record<string, unknown>>;
  readonly shared: SharedInput;
  /** As typed, for messages. */
  readonly words: string;
}

export class CommandTable {
  readonly #records: ReadonlyMap<string, AnyBrowseCommand>;
  readonly #cli: readonly AnyCommand[];

  constructor(records: readonly AnyBrowseCommand[]) {
    this.#records = new Map(records.map((record) => [record.name, record]));
    this.#cli = records.map((record) => ({ ...cliRecordOf(record), handler: async () => async () => {} }));
  }

  parse({ words, command }: Pick<CommandRequest, "words" | "command">): Step {
    if (command) return this.#checked(command.name, command.input);
    const parsed: ParsedCommandLine = parseCommandLine(["browse", ...(words ?? [])], this.#cli);
    if (!parsed.command)
      throw new DevflowError("usage", {
        details: { problem: "No command was given.", next: "List them: devflow browse --help" },
      });
    const name = parsed.command.name.slice("browse ".length);
    if (parsed.global.help) return this.#step("help", { command: name.split(" ") }, words ?? []);
    return this.#step(name, parsed.input, words ?? []);
  }

  /** As `words` of a step; only its name when it cannot be parsed. */
  describe(words: readonly string[]): string {
    try {
      return this.parse({ words }).words;
    } catch {
      return words[0] ?? "";
    }
  }

  #checked(name: string, given: Readonly<Record<string, unknown>>): Step {
    const cli = this.#cli.find((one) => one.name === `browse ${name}`);
    if (!cli)
      throw new DevflowError("unknown_command", {
        details: { given: name, next: "See all commands: devflow browse --help" },
      });
    const parsed = cli.args.safeParse(given);
    if (!parsed.success) {
      throw new DevflowError("usage", {
        details: { problem: parsed.error.message, next: `See: devflow browse ${name} --help` },
      });
    }
    return this.#step(name, parsed.data, [name]);
  }

  #step(name: string, input: Readonly<Record<string, unknown>>, words: readonly string[]): Step {
    const record = this.#records.get(name);
    if (!record) throw new DevflowError("unknown_command", { details: { given: name, next: "" } });
    const { own, shared } = splitInput(input, record);
    const step = { record, input: own, shared };
    // Few steps are ever described, and looking for secrets takes as long as the rest of the parsing.
    return Object.defineProperty(step, "words", { get: () => shortWords(words, record) }) as Step;
  }
}

const maxWordsLength = 80;

/** For messages and lists, without the text that is typed into pages. */
function shortWords(words: readonly string[], record: AnyBrowseCommand): string {
  const nameLength = record.name.split(" ").length;
  const shown = record.group === "Write" ? words.slice(0, nameLength + 1) : words.map(withoutLogin);
  const text = redactSecrets(shown.join(" ").replace(/\s+/g, " ")).text;
  return text.length > maxWordsLength ? `${text.slice(0, maxWordsLength)}…` : text;
}

/** `goto --auth user:password` */
const withoutLogin = (word: string, at: number, all: readonly string[]): string =>
  all[at - 1] === "--auth" ? "••••" : word.replace(/^(--auth=).+/, "$1••••");

export function checkCaller(caller: Caller, { record }: Step, session: string): void {
  if (caller.kind === "owner") return;
  const refuse = (reason: string) => new DevflowError("browse_session_refused", { details: { reason } });
  if (session !== caller.session) throw refuse(`it belongs to session ${caller.session}, not ${session}`);
  if (caller.scope === "read" && record.effect !== "read")
    throw refuse(`it is read-only, and ${record.name} makes changes`);
  if (record.needs === "daemon" && record.effect !== "read" && !openToSessions.has(record.name)) {
    throw refuse(`only the owner may run ${record.name}`);
  }
  if (ownersOnly.has(record.name)) throw refuse(`only the owner may run ${record.name}`);
}

/** Daemon commands that affect only the caller's session; each of their steps is checked again. */
const openToSessions = new Set([
  "chain",
  "batch",
  "help",
  "evidence start",
  "evidence stop",
  "verify",
  "task",
  "learn",
]);
/** They import personal data, or affect more than the session. */
const ownersOnly = new Set(["cookie-import", "state load", "takeover", "session open", "session close"]);

export type Handler = (input: unknown, scope: unknown) => Promise<Answer>;
