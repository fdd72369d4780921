/** Which adapter drives a backend. */
import type { Backend } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import type { SessionAdapter } from "@devflow/session";
import type { EngineContext } from "../engine/context.ts";

export function adapterFor({ adapters }: Pick<EngineContext, "adapters">, backend: Backend): SessionAdapter {
  const adapter = adapters[backend];
  if (adapter) return adapter;
  throw new DevflowError("backend_unavailable", {
    details: { reason: `backend ${backend} is not available`, next: "devflow doctor" },
  });
}
