/**
 * Runs one command line, in a process or inside a test: parse, help, handler, error report.
 *
 * - `runCommandLine(words, io)` returns the exit code. Nothing here touches the process, so tests can replace every stream.
 */
import type { AnyCommand, CommandContext } from "@devflow/core/command";
import { type ParsedCommandLine, parseCommandLine } from "@devflow/core/command-line";
import { type Environment, environmentOf, inspectConfig, loadConfig } from "@devflow/core/config";
import { errorReport, toDevflowError } from "@devflow/core/errors";
import { version } from "@devflow/core/version";
import { allCommands, commandsFor } from "./commands.ts";
import { failureBody, failureText } from "./failure-text.ts";
import { createOutput } from "./output.ts";

export interface CommandLineIo {
  readonly cwd: string;
  readonly env: Environment;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly signal: AbortSignal;
  readonly readStdin: () => Promise<string>;
  /** Optional: standard input as bytes; by default from `readStdin`. */
  readonly stdinBytes?: () => AsyncIterable<Uint8Array>;
}

export async function runCommandLine(words: readonly string[], io: CommandLineIo): Promise<number> {
  const wantsJson = words.includes("--json");
  const debug = words.includes("--debug") || environmentOf(io.env).DEVFLOW_DEBUG === "1";
  try {
    if (words.length === 1 && (words[0] === "--version" || words[0] === "-v")) {
      io.stdout(`${version}\n`);
      return 0;
    }
    const commands = await commandsFor(words);
    const parsed = parseCommandLine(words, commands);
    if (parsed.global.help || !parsed.command) return await explain(parsed, io);
    return await runHandler(parsed.command, parsed, io);
  } catch (error) {
    return endedBy(error, io.signal) ?? reportFailure(error, { wantsJson, debug }, io);
  }
}

/** As shells report a program that a signal ended. The person who pressed Ctrl-C knows why, and needs no message. */
const exitOf: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

function endedBy(error: unknown, { aborted, reason }: AbortSignal): number | undefined {
  if (!aborted) return undefined;
  for (let one = error; one !== undefined && one !== null; one = (one as { cause?: unknown }).cause)
    if (one === reason || (one as Error).name === "AbortError") return exitOf[String(reason)];
  return undefined;
}

async function runHandler(command: AnyCommand, parsed: ParsedCommandLine, io: CommandLineIo): Promise<number> {
  const sources = { env: io.env, repository: io.cwd };
  const context: CommandContext = {
    cwd: io.cwd,
    env: io.env,
    config: (flags) => loadConfig({ ...sources, ...(flags ? { flags } : {}) }),
    inspectConfig: () => inspectConfig(sources),
    output: createOutput(io, parsed.global.json),
    signal: io.signal,
    readStdin: io.readStdin,
    stdinBytes: io.stdinBytes ?? (() => bytesOf(io.readStdin)),
  };
  const handler = await command.handler();
  return (await handler(parsed.input as never, context)) ?? 0;
}

async function* bytesOf(read: () => Promise<string>): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(await read());
}

async function explain(parsed: ParsedCommandLine, io: CommandLineIo): Promise<number> {
  const help = await import("./help.ts");
  const print = (value: unknown, text: string) => io.stdout(parsed.global.json ? `${JSON.stringify(value)}\n` : text);
  if (parsed.command) print(help.commandSchema(parsed.command), help.commandHelp(parsed.command));
  else {
    const commands = (await allCommands()).filter((one) => !one.hidden);
    if (parsed.group === "" && !parsed.all) {
      const overview = help.overviewOf(commands);
      print(overview, help.overviewText(overview));
    } else {
      const schemas = help.inGroup(commands, parsed.group).map(help.commandSchema);
      print(schemas, help.listing(commands, parsed.group));
    }
  }
  return 0;
}

function reportFailure(
  error: unknown,
  { wantsJson, debug }: { wantsJson: boolean; debug: boolean },
  io: CommandLineIo,
) {
  const report = errorReport(error);
  if (wantsJson) io.stdout(`${JSON.stringify(failureBody(report))}\n`);
  else io.stderr(`${failureText(report)}\n`);
  if (debug) io.stderr(`${trace(toDevflowError(error))}\n`);
  return report.exit;
}

function trace(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${trace(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
