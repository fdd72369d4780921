/** `--override role=persona@version`, `--override role=backend` and `--model role=model`, as a request has them. */
import { DevflowError } from "@devflow/core/errors";
import type { RunStartRequest } from "@devflow/protocol";

type Overrides = NonNullable<RunStartRequest["overrides"]>;

export function overridesOf(players: readonly string[], models: readonly string[] = []): Overrides {
  const overrides: Overrides = {};
  for (const text of players) {
    const [role, who] = split(text, "--override must be role=persona@version or role=backend");
    overrides[role] = { ...overrides[role], ...(who.includes("@") ? { persona: who } : { backend: who }) };
  }
  for (const text of models) {
    const [role, model] = split(text, "--model must be role=model");
    overrides[role] = { ...overrides[role], model };
  }
  return overrides;
}

/** At the first `=`: a model's name may contain one. */
function split(text: string, rule: string): [role: string, value: string] {
  const at = text.indexOf("=");
  const [role, value] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (role !== "" && value !== "") return [role, value];
  throw new DevflowError("usage", {
    details: { problem: `${rule}, not "${text}".`, next: "See who there is: devflow persona list" },
  });
}
