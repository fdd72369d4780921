/**
 * `devflow` for tests.
 *
 * - `runCli(words, options)` in this process: fast, no streams of the test runner are touched.
 * - `devflowCommand()` the words that start it as a separate process, for `runProcess` and `startProcess`.
 *
 * `DEVFLOW_TEST_EXECUTABLE` selects a compiled executable instead of the source, for both.
 */
import { fileURLToPath } from "node:url";
import type { CommandLineIo } from "@devflow/cli/run";
import { parseOutput, runProcess } from "./run-process.ts";
import type { TemporaryHome } from "./temporary-home.ts";

export type RunCommandLine = (words: readonly string[], io: CommandLineIo) => Promise<number>;

export interface RunCliOptions {
  readonly home: TemporaryHome;
  /** Default: the home. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** For what a person types in answer to what they were asked, when the test does not know it before. */
  readonly types?: () => AsyncIterable<string>;
  readonly isTerminal?: boolean;
  readonly signal?: AbortSignal;
  /** A command line other than Devflow's. */
  readonly run?: RunCommandLine;
}

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  json<T = unknown>(): T;
}

export async function runCli(words: readonly string[], options: RunCliOptions): Promise<CliResult> {
  const executable = process.env.DEVFLOW_TEST_EXECUTABLE;
  const needsThisProcess = options.run || options.signal || options.isTerminal;
  if (executable && !needsThisProcess) return await runExecutable(executable, words, options);
  const run = options.run ?? (await devflow());
  let stdout = "";
  let stderr = "";
  const code = await run(words, {
    cwd: options.cwd ?? options.home.path,
    env: options.home.environment(options.env),
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    isTerminal: options.isTerminal ?? false,
    columns: 100,
    signal: options.signal ?? new AbortController().signal,
    readStdin: async () => options.stdin ?? "",
    ...(options.types ? { stdinBytes: () => bytesOf(options.types?.()) } : {}),
  });
  return { code, stdout, stderr, json: <T>() => parseOutput<T>(stdout, stderr) };
}

async function runExecutable(
  executable: string,
  words: readonly string[],
  { home, cwd = home.path, env, stdin = "" }: RunCliOptions,
): Promise<CliResult> {
  const { code, stdout, stderr } = await runProcess([executable, ...words], { cwd, env: home.environment(env), stdin });
  return { code: code ?? -1, stdout, stderr, json: <T>() => parseOutput<T>(stdout, stderr) };
}

async function* bytesOf(lines: AsyncIterable<string> | undefined): AsyncIterable<Uint8Array> {
  for await (const line of lines ?? []) yield new TextEncoder().encode(line);
}

/** `DEVFLOW_TEST_EXECUTABLE` selects a compiled executable instead of the source. */
export function devflowCommand(executable = process.env.DEVFLOW_TEST_EXECUTABLE): string[] {
  if (executable) return [executable];
  return [process.execPath, fileURLToPath(new URL("../../../apps/cli/src/main.ts", import.meta.url))];
}

// Loaded on use: most tests need no command line, and those of core must not load everything above it.
async function devflow(): Promise<RunCommandLine> {
  const { runCommandLine } = await import("@devflow/cli/run");
  return runCommandLine;
}
