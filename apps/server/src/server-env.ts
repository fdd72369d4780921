/** What every route finds in its context. */
import type { Caller } from "./auth/identify-caller.ts";

export interface ServerEnv {
  Bindings: {
    /** The part of Bun's server that routes use. */
    readonly server: { timeout(request: Request, seconds: number): void };
  };
  Variables: {
    /** Set before any route that needs a token runs. */
    caller: Caller;
    /** What the request log adds to its line: ids and codes, never content. */
    logged: Record<string, unknown>;
  };
}
