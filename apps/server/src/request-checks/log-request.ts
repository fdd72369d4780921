/** One log line per request: method, path without query, status, time. No headers, no body, no query, so no secrets. */
import type { Log } from "@devflow/core/log";

export function logRequest(
  log: Log,
  request: Request,
  path: string,
  status: number,
  ms: number,
  logged: Readonly<Record<string, unknown>>,
): void {
  const line = { method: request.method, path: path.slice(0, 200), status, ms: Math.round(ms * 10) / 10, ...logged };
  const isRoutine = status < 400 && request.method === "GET" && !path.startsWith("/rest/");
  if (isRoutine) log.debug(line, "request");
  else log.info(line, "request");
}
