/**
 * Runs in progress, from their workers' partials.
 *
 * - `watchPartials(home)` a `WatchSource`. A run that is stored in the meantime is still shown to its end.
 */
import { type SuiteWatch, suitesWithPartials, watchSuite } from "../partials/index.ts";
import type { WatchSource } from "./watch-stream.ts";

/** More suites than anyone watches at once; the last used are kept. */
const mostKept = 20;

export function watchPartials(home: string): WatchSource {
  const kept = new Map<string, SuiteWatch>();
  return {
    suites: () => suitesWithPartials(home),
    async read(suite) {
      const watch = kept.get(suite) ?? serial(watchSuite(home, suite));
      kept.delete(suite);
      kept.set(suite, watch);
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
      const news = await watch.read();
      return news.event === "nothing" ? undefined : news.watch;
    },
  };
}

/** Reads are serialised, because each depends on the state of the previous one. */
function serial(watch: SuiteWatch): SuiteWatch {
  let last: Promise<unknown> = Promise.resolve();
  return {
    read() {
      const next = last.then(() => watch.read());
      last = next.catch(() => undefined);
      return next;
    },
  };
}
