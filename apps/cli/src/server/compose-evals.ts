/** The eval results of this machine for its server's screens. */
import { machineEvals } from "@devflow/evals/http";
import { openStore } from "@devflow/evals/store";
import { type Mounted, mountEvals } from "@devflow/server";

export async function composeEvals(home: string): Promise<Mounted> {
  const store = await openStore(home);
  return mountEvals(machineEvals(home, store), () => store.close());
}
