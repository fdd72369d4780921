/** Pulls the cache of one repository. Reads its options from standard input. */
import { Secret } from "@devflow/core/secret";
import { type CacheOf, pullTeam } from "../../src/cache/index.ts";

export interface PullOnceOptions {
  readonly home: string;
  readonly of: CacheOf;
  readonly url: string;
  readonly token: string;
}

if (import.meta.main) {
  const { home, of, url, token } = (await Bun.stdin.json()) as PullOnceOptions;
  const connection = { url, token: new Secret(token) };
  console.log(JSON.stringify(await pullTeam({ home, of, connection, now: Date.now, pageRows: 3 })));
}
