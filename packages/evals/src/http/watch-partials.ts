/**
 * Runs under way as their workers' partials tell them.
 *
 * - `watchPartials(home)` a `WatchSource`. A run that was stored meanwhile is shown to its end.
 */
import { type SuiteWatch, suitesWithPartials, watchSuite } from "../partials/index.ts";
import type { WatchSource } from "./watch-stream.ts";

/** More than anybody looks at; those looked at last are kept. */
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
      const news = await watch.look();
      return news.event === "nothing" ? undefined : news.watch;
    },
  };
}

/** One look after the other: each remembers what the one before has seen. */
function serial(watch: SuiteWatch): SuiteWatch {
  let last: Promise<unknown> = Promise.resolve();
  return {
    look() {
      const next = last.then(() => watch.look());
      last = next.catch(() => undefined);
      return next;
    },
  };
}
