/**
 * What the terminal wire has to know about one kind of agent.
 *
 * - `prepare` how to start it, or to continue the session `known`.
 * - `findRecord` its own record of the session, once it is there.
 * - `reader` reads that record; `mode` the rules that a hook says the turn runs under, where it does.
 * - `notReady` why it will never show its input line, from its screen: not logged in, a question of a first start.
 */
import type { WireHost } from "../holder/wire.ts";
import type { Hook } from "./hook-socket.ts";
import type { InputLook } from "./input-line.ts";
import type { RecordReader } from "./record-event.ts";

export interface TerminalAgent {
  readonly name: string;
  readonly look: InputLook;
  /** The permission mode that each of our prompts must run under. */
  readonly expectedMode: string;
  prepare(known: string | undefined, hookCommand: string): Promise<PreparedAgent>;
  findRecord(agentSessionId: string): Promise<string | undefined>;
  reader(): RecordReader;
  mode(hook: Hook): string | undefined;
  /** The key that answers a question of its start; only for one whose answer is safe. */
  startKey(screen: string): string | undefined;
  /** Its input line is there, and something else may still take its place. */
  isLoading(screen: string): boolean;
  notReady(screen: string): string | undefined;
  /** What its screen says about a limit of the model's provider while it waits to try again. */
  rateLimit(screen: string): { readonly reason: string; readonly seconds: number | undefined } | undefined;
}

export interface PreparedAgent {
  readonly agentSessionId: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type MakeTerminalAgent = (host: WireHost) => TerminalAgent;
