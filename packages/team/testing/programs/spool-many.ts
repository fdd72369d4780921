/** Spools records and prints the id of each one that is safe. Reads its options from standard input. */
import { type Destination, spool } from "../../src/spool/index.ts";
import { payloadNumber } from "../payloads.ts";

export interface SpoolManyOptions {
  readonly home: string;
  readonly to: Destination;
  readonly amount: number;
}

if (import.meta.main) {
  const { home, to, amount } = (await Bun.stdin.json()) as SpoolManyOptions;
  for (let n = 0; n < amount; n++) {
    const outcome = await spool(home, { kind: "ping", to, repo: "example.org/acme/shop", payload: payloadNumber(n) });
    // In one write: a line is there or not.
    if (outcome.spooled) process.stdout.write(`${outcome.id} ${n}\n`);
    else process.stderr.write(`${outcome.why}: ${outcome.problem}\n`);
  }
}
