/**
 * The fast path of `devflow hook <host> <moment>`: an agent waits for it, many times in a turn. It loads no settings, no database and no
 * command records.
 *
 * - `quickHook(words)` false when the full command line must handle it (help). Otherwise it never fails: whatever happens, the exit code
 *   is 0 and a fault is a line in `log/hooks.log`.
 */
import { fstatSync, readSync } from "node:fs";
import { handleHook, hookMoments, readHookEvent } from "@devflow/brain/hooks";
import { type Environment, environmentOf, processEnvironment } from "@devflow/core/environment";
import { type Home, homeAt } from "@devflow/core/home";
import { answerText } from "./answer-text.ts";
import { homeFolder } from "./home-folder.ts";
import { logHookFault, markFired } from "./hook-log.ts";
import { hookPorts } from "./hook-ports.ts";

/** What each moment may take; the hosts' own limits are above these. */
const deadlinesMs: Readonly<Record<string, number>> = {
  "session-start": 2_500,
  prompt: 1_500,
  "pre-bash": 3_000,
  "pre-edit": 1_500,
  "post-tool": 8_000,
  stop: 8_000,
  "session-end": 1_200,
  "self-test": 1_000,
};

export async function quickHook(words: readonly string[]): Promise<boolean> {
  const [host = "", given = ""] = words;
  if (words.length !== 2 || words.some((word) => word.startsWith("-"))) return false;
  const env = processEnvironment();
  const home = homeAt(homeFolder(env));
  const moment = hookMoments.find((one) => one === given);
  if (host === "git") return await prePush(home, env, given);
  try {
    const text = await readInput();
    const { DEVFLOW_SESSION_TOKEN: run } = environmentOf(env);
    // Inside a run the run itself reports what its agent does.
    if (isOff(env) || (run !== undefined && moment !== "self-test")) return true;
    if (moment === undefined) throw new Error(`there is no moment ${given}; there are ${hookMoments.join(", ")}`);
    const event = readHookEvent(host, moment, text);
    if (!event) throw new Error("the input is no event: expected a JSON object with session_id and cwd");
    markFired(home, host, moment);
    await withDeadline(deadlinesMs[moment] ?? 1_000, async (signal) => {
      const ports = hookPorts({ home, env, host, signal });
      const answer = await handleHook(event, ports);
      if (answer) {
        const said = await answerText(host, moment, answer, environmentOf(env));
        if (said !== undefined) console.log(said);
      }
      await ports.finish();
    });
  } catch (error) {
    logHookFault(home, { host, moment: given, problem: error instanceof Error ? error.message : String(error) });
  }
  return true;
}

/** Git's own pre-push hook: says what it found on standard error, and never stops the push. */
async function prePush(home: Home, env: Environment, moment: string): Promise<boolean> {
  if (moment !== "pre-push" || isOff(env)) return true;
  try {
    markFired(home, "git", moment);
    const { runPrecheck } = await import("../brain/run-precheck.ts");
    const { reportText } = await import("@devflow/brain/precheck-report");
    const report = await runPrecheck({ home, env, folder: process.cwd() });
    if (report.findings.length > 0) console.error(`devflow precheck:\n${reportText(report)}`);
  } catch (error) {
    logHookFault(home, { host: "git", moment, problem: error instanceof Error ? error.message : String(error) });
  }
  return true;
}

function isOff(env: Environment): boolean {
  return ["0", "false", "off", "no"].includes(environmentOf(env).DEVFLOW_HOOKS ?? "");
}

async function withDeadline(ms: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      deadline.abort();
      reject(new Error(`it took longer than ${ms} ms`));
    }, ms);
  });
  try {
    await Promise.race([work(deadline.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

const maxInput = 32_000_000;
const chunkBytes = 65_536;

/** All of it is read, so that the host's pipe does not break; of what is too much nothing is kept. */
async function readInput(): Promise<string> {
  if (fstatSync(0).isCharacterDevice()) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  const take = (chunk: Uint8Array) => {
    size += chunk.length;
    if (size <= maxInput) chunks.push(chunk);
  };
  try {
    // Without streams, which take longer to load than to read.
    for (;;) {
      const chunk = new Uint8Array(chunkBytes);
      const length = readSync(0, chunk);
      if (length === 0) break;
      take(chunk.subarray(0, length));
    }
  } catch (error) {
    // A host may give a pipe that does not wait.
    if ((error as { code?: string }).code !== "EAGAIN") throw error;
    for await (const chunk of Bun.stdin.stream()) take(chunk);
  }
  if (size > maxInput) throw new Error(`the input has ${size} bytes, more than ${maxInput}`);
  return Buffer.concat(chunks).toString("utf8");
}
