/** Drains a home until its spool is empty, as the drainer in the background does. Reads its options from standard input. */
import { Secret } from "@devflow/core/secret";
import { runDrainer } from "../../src/drain/index.ts";
import type { Destination } from "../../src/spool/index.ts";
import { machineAt } from "../machine.ts";

export interface DrainOptions {
  readonly home: string;
  readonly url: string;
  readonly token: string;
  readonly to: Destination;
}

if (import.meta.main) {
  const { home, url, token, to } = (await Bun.stdin.json()) as DrainOptions;
  const machine = machineAt(home, { [to.server]: { url, token: new Secret(token) } }, to);
  console.log(JSON.stringify(await runDrainer(machine.ports, { giveUpMs: 2_000 })));
}
