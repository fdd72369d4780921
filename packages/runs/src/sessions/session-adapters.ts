/**
 * Which adapter drives a session. A session keeps the adapter that it began with.
 *
 * - `adapterFor(context, session)` the adapter of a session.
 * - `adapterNameOf(context, backend)` the one that a new session of this backend gets.
 */
import type { Backend } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import type { SessionAdapter } from "@devflow/session";
import type { EngineContext } from "../engine/context.ts";
import type { SessionRow } from "../engine/rows.ts";

export function adapterFor(
  { adapters }: Pick<EngineContext, "adapters">,
  { adapter: name }: Pick<SessionRow, "adapter">,
): SessionAdapter {
  const adapter = adapters[name];
  if (adapter) return adapter;
  throw new DevflowError("backend_unavailable", {
    details: { reason: `agents are not driven by ${name} on this machine`, next: "devflow doctor" },
  });
}

export const adapterNameOf = ({ backends }: Pick<EngineContext, "backends">, backend: Backend): string =>
  backends[backend]?.adapter ?? backend;
