/** The cache of outputs and of judges' answers; see `eval-cache.ts`. */
export { type CacheKey, cacheKeyOf, type KeyParts, type KeySources } from "./cache-key.ts";
export { clearBeforeRun } from "./clear-before-run.ts";
export {
  type CacheFault,
  type CacheOptions,
  type CacheWrite,
  type EvalCache,
  openCache,
  type SuiteStats,
  type WhyAnswer,
} from "./eval-cache.ts";
