/**
 * Runs under way as their workers' partials tell them, for the routes.
 *
 * - `watchPartials(home)` a `WatchSource`. What was seen of a suite is kept for as long as it is asked for, so that its
 *   files are read again only when they change.
 */
import { suitesWithPartials } from "../partials/partials.ts";
import { type SuiteWatch, watchSuite } from "../partials/watch-suite.ts";
import type { WatchSource } from "./watch-stream.ts";

/** More suites at once than anybody watches; the one asked for longest ago is forgotten. */
const mostSuites = 50;

export function watchPartials(home: string, options: { readonly now?: () => number } = {}): WatchSource {
  const watched = new Map<string, SuiteWatch>();
  return {
    suites: () => suitesWithPartials(home),
    async read(suite) {
      const watch = watched.get(suite) ?? watchSuite(home, suite, options);
      watched.delete(suite);
      watched.set(suite, watch);
      const [oldest] = watched.keys();
      if (watched.size > mostSuites && oldest !== undefined) watched.delete(oldest);
      const news = await watch.look();
      if (news.event === "nothing") {
        watched.delete(suite);
        return undefined;
      }
      const { workers, rows, warnings, ...rest } = news.watch;
      return { ...rest, workers: [...workers], rows: [...rows], warnings: [...warnings] };
    },
  };
}
