/**
 * Some of many clients, in one process: each has a home of its own, writes records and drains them until its spool is empty, however
 * often the server goes away. Reads its options from standard input; prints the id and number of every record that is safe, then `done`.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@devflow/core/secret";
import { runDrainer } from "../../src/drain/index.ts";
import type { Destination } from "../../src/spool/index.ts";
import { machineAt } from "../machine.ts";
import { payloadNumber } from "../payloads.ts";

export interface CrowdOptions {
  readonly folder: string;
  readonly url: string;
  readonly token: string;
  readonly to: Destination;
  /** Numbers of the clients in this process. */
  readonly clients: readonly number[];
  /** Each writes this many. */
  readonly amount: number;
}

if (import.meta.main) {
  const { folder, url, token, to, clients, amount } = (await Bun.stdin.json()) as CrowdOptions;
  await Promise.all(
    clients.map(async (client) => {
      // Soon again: a test does not wait for a minute.
      const sleep = (ms: number) => Bun.sleep(Math.min(ms, 250));
      const machine = machineAt(join(folder, String(client)), { [to.server]: { url, token: new Secret(token) } }, to, {
        sleep,
      });
      let isWriting = true;
      const drained = (async () => {
        while (isWriting || readdirSync(machine.ports.folder.new).length > 0) {
          await runDrainer(machine.ports, { giveUpMs: 60_000 });
          await Bun.sleep(20);
        }
      })();
      for (let n = 0; n < amount; n += 1) {
        const number = client * amount + n;
        const outcome = await machine.spool({ repo: "example.org/acme/shop", payload: payloadNumber(number) });
        if (outcome.spooled) process.stdout.write(`${outcome.id} ${number}\n`);
      }
      isWriting = false;
      await drained;
    }),
  );
  process.stdout.write("done\n");
}
