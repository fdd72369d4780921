/** The eval results of this machine for its server's screens. */
import { machineEvals } from "@devflow/evals/http";
import { openStore } from "@devflow/evals/store";
import type { EvalsMount } from "@devflow/server";

export interface ComposedEvals {
  readonly mount: EvalsMount;
  close(): void;
}

export async function composeEvals(home: string): Promise<ComposedEvals> {
  const store = await openStore(home);
  return { mount: machineEvals(home, store), close: () => store.close() };
}
