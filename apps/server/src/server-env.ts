/** The context of every route. */
import type { Caller } from "./auth/identify-caller.ts";

export interface ServerEnv {
  Bindings: {
    /** The part of Bun's server that routes use. */
    readonly server: { timeout(request: Request, seconds: number): void };
    /** From the server to the routes of a mount, which have them as variables. */
    readonly caller?: Caller | undefined;
    readonly logged?: Record<string, unknown>;
  };
  Variables: {
    /** Set before any route that needs a token runs. */
    caller: Caller;
    /** Additions to the request's log line: ids and codes, never content. */
    logged: Record<string, unknown>;
  };
}
