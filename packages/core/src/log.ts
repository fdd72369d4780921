/**
 * Structured logs: one JSON object per line, events instead of sentences, secrets removed by name and by type.
 *
 * - `createLog({ level, module, write })` a pino logger; `write` takes each line (default: standard error).
 */
import { openSync } from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";
import { lineWriter } from "./line-writer.ts";

export type Log = Logger;

/** Text in a member whose name ends like this is never printed. Numbers are, because `inputTokens: 512` is not a secret. */
const secretName =
  /(?:token|authorization|passw(?:or)?d|passphrase|secret|cookie|(?:api|private|signing|access)[-_]?key|one[-_]?time[-_]?code|code[-_]?verifier|database[-_]?url)s?$/i;

export interface LogOptions {
  readonly level: LogLevel;
  readonly module: string;
  readonly destination?: DestinationStream;
}

export function createLog({ level, module, destination }: LogOptions): Log {
  const options = {
    level,
    base: { module },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (facts: Record<string, unknown>) => withoutSecrets(facts) as Record<string, unknown>,
    },
    serializers: { err: (error: Error) => withoutSecrets(pino.stdSerializers.err(error)) },
  };
  const log = pino(options, destination ?? lineWriter(2));
  // The formatter above does not see the bindings of a child log; children inherit this member.
  const child = log.child;
  log.child = function cleanChild(this: Log, facts: Record<string, unknown>, settings) {
    return child.call(this, withoutSecrets(facts) as Record<string, unknown>, settings);
  } as typeof child;
  return log;
}

/** A private log file, 0600. Lines are written synchronously, so the last one survives a kill -9. */
export function fileDestination(path: string): DestinationStream {
  return lineWriter(openSync(path, "a", 0o600));
}

/** By name, in plain objects and lists, up to a reasonable depth; nothing deeper is printed. */
function withoutSecrets(value: unknown, depth = 8): unknown {
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  if (depth === 0) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth - 1));
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return value;
  const members = Object.entries(value).map(([name, item]) => {
    const isSecret = secretName.test(name) && item !== null && typeof item !== "number" && typeof item !== "boolean";
    return [name, isSecret ? "[redacted]" : withoutSecrets(item, depth - 1)];
  });
  return Object.fromEntries(members);
}
