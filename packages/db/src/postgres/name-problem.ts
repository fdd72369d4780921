/**
 * Explains a failure from the output of initdb, postgres or the system.
 *
 * - `problemIn(text)` pure: the kind of a failed start, from the server's output.
 * - `nameProblem(error, path)` an error that a person can act on.
 */
import { DevflowError, toDevflowError } from "@devflow/core/errors";

export const startProblems = ["another server", "orphans", "disk full", "permission", "other"] as const;
export type StartProblem = (typeof startProblems)[number];

export function problemIn(text: string): StartProblem {
  if (/lock file ".*" (already exists|is empty)|is another postmaster/i.test(text)) return "another server";
  if (/pre-existing shared memory block|could not (create|map) .*shared memory.*File exists/i.test(text))
    return "orphans";
  if (/No space left on device|Disk quota exceeded/i.test(text)) return "disk full";
  if (/Permission denied|Operation not permitted|has wrong ownership|Read-only file system/i.test(text))
    return "permission";
  return "other";
}

export function nameProblem(error: unknown, path: string): DevflowError {
  if (error instanceof DevflowError) return error;
  const said = error as { stderr?: string; stdout?: string; code?: string; message?: string };
  // The system names the source of the copy, but its disk is not the full one.
  if (said.code === "ENOSPC" || said.code === "EDQUOT")
    return new DevflowError("disk_full", { details: { path }, cause: error });
  if (said.stderr === undefined) {
    const named = toDevflowError(error);
    return named.code === "internal" ? startFailed(said.message ?? String(error), path, error) : named;
  }
  return startError(`${said.stdout ?? ""}\n${said.stderr}`, path, error);
}

export function startError(text: string, path: string, cause?: unknown): DevflowError {
  switch (problemIn(text)) {
    case "disk full":
      return new DevflowError("disk_full", { details: { path }, cause });
    case "permission":
      return new DevflowError("permission_denied", { details: { path }, cause });
    default:
      return startFailed(lastComplaint(text), path, cause);
  }
}

/** The last fatal line has the reason; the lines after it are only the shutdown. */
function lastComplaint(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const fatal = lines.filter((line) => /\b(FATAL|PANIC)\b|error:/.test(line)).at(-1) ?? lines.at(-1);
  return fatal?.replace(/^.*?(FATAL|PANIC|error):\s*/, "").trim() ?? "it exited without a message";
}

function startFailed(reason: string, path: string, cause: unknown): DevflowError {
  const next = `Its log is in ${path}; see also: devflow doctor`;
  return new DevflowError("db_start_failed", { details: { reason, next }, cause });
}
