/** Pulls the cache of one repository. Reads its options from standard input. */
import { Secret } from "@devflow/core/secret";
import { type CacheOf, pullTeam } from "../../src/cache/index.ts";

export interface PullOnceOptions {
  readonly home: string;
  readonly of: CacheOf;
  readonly url: string;
  readonly token: string;
  /** Every page takes seconds, by the clock that the pull is given. */
  readonly isSlow: boolean;
}

if (import.meta.main) {
  const { home, of, url, token, isSlow } = (await Bun.stdin.json()) as PullOnceOptions;
  const connection = { url, token: new Secret(token) };
  let asked = 0;
  const now = () => Date.now() + (isSlow ? 2_000 * asked++ : 0);
  console.log(JSON.stringify(await pullTeam({ home, of, connection, now, pageRows: 3 })));
}
