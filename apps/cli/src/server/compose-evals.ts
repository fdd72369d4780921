/** The eval results of this machine for its server's screens. */
import { openStore } from "@devflow/evals";
import { evalRoutes, labelPairs, watchPartials } from "@devflow/evals/http";
import type { EvalsMount } from "@devflow/server";

export interface ComposedEvals {
  readonly mount: EvalsMount;
  close(): void;
}

export async function composeEvals(home: string): Promise<ComposedEvals> {
  const store = await openStore(home);
  return {
    mount: evalRoutes({ store, watch: watchPartials(home), labels: labelPairs(home, store) }),
    close: () => store.close(),
  };
}
