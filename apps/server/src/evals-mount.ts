/** What the server needs of evals: routes under `/api/evals` and `/sse/evals`, which only the person of this machine may read. */
import type { Hono } from "hono";

export interface EvalsMount {
  readonly api: Hono<EvalsEnv>;
  readonly live: Hono<EvalsEnv>;
  readonly subscribers: number;
  /** Ends the streams. */
  stop(): void;
}

/** They find these where the server puts them. */
interface EvalsEnv {
  Bindings: { readonly server?: { timeout(request: Request, seconds: number): void } };
  Variables: { caller?: { readonly expiresAtMs?: number } };
}
