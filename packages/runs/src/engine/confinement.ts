/**
 * Which agents are confined, and whether this machine can confine them.
 *
 * - `isConfined(context, binding)` the person's setting decides. A persona can demand the sandbox but not refuse it: a persona
 *   may come from the repository, the setting is the person's.
 * - `refuseWithoutSandbox(context, bindings)` throws `sandbox_unavailable` before there is a run that would stop in its first
 *   phase.
 */
import { requireSandbox } from "@devflow/session";
import type { Persona } from "../personas/persona.ts";
import type { EngineContext } from "./context.ts";

interface Bound {
  readonly backend: string;
  readonly persona: Pick<Persona, "modelConfig">;
}

export function isConfined({ sandbox }: Pick<EngineContext, "sandbox">, { backend, persona }: Bound): boolean {
  if (backend === "fake") return false;
  return sandbox().isOn || persona.modelConfig.sandbox === true;
}

export async function refuseWithoutSandbox(
  context: Pick<EngineContext, "sandbox" | "env">,
  bindings: readonly Bound[],
): Promise<void> {
  if (bindings.some((one) => isConfined(context, one))) await requireSandbox(context.env);
}
