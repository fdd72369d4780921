/**
 * Structured logs: one JSON object a line, events and not sentences, secrets removed by name and by type.
 *
 * - `createLog({ level, module, write })` a pino logger; `write` takes each line (default: standard error).
 */
import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";

export type Log = Logger;

/** Members with these names are never printed, at the top or one or two levels down. */
const secretNames = ["token", "authorization", "password", "secret", "apikey", "cookie", "access_token", "oneTimeCode"];

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
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: "[redacted]",
    },
  };
  return destination ? pino(options, destination) : pino(options, pino.destination({ dest: 2, sync: true }));
}

/** A log file of the user's own, 0600. Lines are written at once: after a kill -9 the last one is there. */
export function fileDestination(path: string): DestinationStream {
  return pino.destination({ dest: path, sync: true, append: true, mode: 0o600 });
}
