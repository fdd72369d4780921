/**
 * What the server needs from evals: routes under `/api/evals` and `/sse/evals`.
 *
 * - `mountEvals(evals, close)` returns them as a mount; `close` is called when all requests have ended.
 */
import type { Hono } from "hono";
import { mountedRoutes } from "./mounts/mounted-routes.ts";
import type { Mounted } from "./mounts/mounts.ts";

export interface EvalsMount {
  readonly api: Hono<EvalsEnv>;
  readonly live: Hono<EvalsEnv>;
  readonly subscribers: number;
  /** Ends the streams. */
  stop(): void;
}

/** They find these in the context. */
interface EvalsEnv {
  Bindings: { readonly server?: { timeout(request: Request, seconds: number): void } };
  Variables: { caller?: { readonly expiresAtMs?: number } };
}

export function mountEvals(evals: EvalsMount, close?: () => void): Mounted {
  return {
    answer: mountedRoutes((app) => app.route("/api/evals", evals.api).route("/sse/evals", evals.live)),
    get subscribers() {
      return evals.subscribers;
    },
    stop: () => evals.stop(),
    close: () => close?.(),
  };
}
