/** The inline engine and the Temporal engine side by side, each with its own Postgres, and a real Temporal server. */
import { startTemporal } from "@devflow/testkit/temporal-server";
import { temporalTestDriver } from "@devflow/worker/testing";
import { type LocalEngine, prepareEngine } from "../local-engine.ts";

export const inline = "inline";
export const temporal = "Temporal";

export async function prepareBoth(atOnce: number): Promise<{
  readonly engines: readonly { readonly name: string; readonly local: LocalEngine }[];
  finish(): Promise<void>;
}> {
  const server = await startTemporal();
  // With the times of the product: only tests need to notice a dead worker quickly.
  const times = { heartbeatMs: 30_000, toStartMs: 60_000, lookEveryMs: 2_000, sweepEveryMs: 30_000 };
  const engines = [
    { name: inline, local: await prepareEngine({ atOnce }) },
    { name: temporal, local: await prepareEngine({ atOnce, driver: await temporalTestDriver(server, times) }) },
  ];
  return {
    engines,
    async finish() {
      for (const { local } of engines) await local.finish();
      await server.stop();
    },
  };
}
