/**
 * The SDK's process-wide part, set up once before the first connection: its log goes into ours, and signals are left to the
 * program that composes the worker.
 */
import type { Log } from "@devflow/core/log";
import { type LogLevel, type LogMetadata, makeTelemetryFilterString, Runtime } from "@temporalio/worker";

let isInstalled = false;

export function installRuntime(log: Log): void {
  if (isInstalled) return;
  isInstalled = true;
  const write = (level: "debug" | "warn" | "error") => (message: string, meta?: LogMetadata) =>
    log[level]({ sdk: meta?.sdkComponent }, message);
  const quiet = write("debug");
  Runtime.install({
    shutdownSignals: [],
    // Its native part would otherwise write to the terminal by itself.
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: "WARN", other: "ERROR" }), forward: {} } },
    logger: {
      log: (level: LogLevel, message: string, meta?: LogMetadata) =>
        write(level === "ERROR" ? "error" : level === "WARN" && !isExpected(message) ? "warn" : "debug")(message, meta),
      trace: quiet,
      debug: quiet,
      info: quiet,
      warn: (message, meta) => (isExpected(message) ? quiet : write("warn"))(message, meta),
      error: write("error"),
    },
  });
}

/** It would keep the process alive for ever if there has never been a connection. */
export async function endRuntime(): Promise<void> {
  if (isInstalled) await Runtime.instance().shutdown();
}

/** The queue of a machine has stints only, on purpose. */
const isExpected = (message: string): boolean => message.startsWith("No workflows registered");
