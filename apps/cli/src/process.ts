/** Connects a command line to this process: its streams, its signals, its exit code. */
import { processEnvironment } from "@devflow/core/config";
import { errorReport } from "@devflow/core/errors";
import { failureText } from "./failure-text.ts";
import { runCommandLine } from "./run.ts";

export async function runAsProcess(words: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    // A second Ctrl-C ends it at once: the clean stop was already requested.
    if (interrupt.signal.aborted && signal === "SIGINT") process.exit(130);
    interrupt.abort(signal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", onSignal);
  // A reader that closes early (`devflow logs | head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    const report = errorReport(Object.assign(error, { path: "the output" }));
    process.stderr.write(`${failureText(report)}\n`);
    process.exit(report.exit);
  });
  // A file on a full disk: nothing more can be said, and the process must end all the same.
  let isMute = false;
  process.stderr.on("error", () => {
    isMute = true;
  });

  const code = await runCommandLine(words, {
    cwd: process.cwd(),
    env: processEnvironment(),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns ?? 80,
    signal: interrupt.signal,
    readStdin: () => new Response(Bun.stdin.stream()).text(),
    stdinBytes: () => Bun.stdin.stream(),
  });
  process.exitCode = code;
  // Handles of a finished command (a pooled connection, a watcher) must not keep an agent waiting.
  await flush(process.stdout);
  if (!isMute) await flush(process.stderr);
  process.exit(code);
}

/** Bun calls back for a last empty write before a slow reader has received the earlier ones; this waits until all are sent. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    // Bun does not call back for a stream that fails.
    stream.once("error", () => resolve());
    stream.end(() => resolve());
  });
}
