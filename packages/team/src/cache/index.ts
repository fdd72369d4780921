/** Entry point of cache. */
export { readResults } from "./eval-results.ts";
export { pulledKinds, pullTeam } from "./pull-team.ts";
export { type CacheMeta, type CacheOf, cacheFolder, readMeta, readRows, wipeTeam } from "./team-cache.ts";
