/** Entry point of cache. */
export { readResults } from "./eval-results.ts";
export { type PullResult, pulledKinds, pullTeam } from "./pull-team.ts";
export { type CacheMeta, type CacheOf, cacheFolder, readMeta, readRows, teamFolder, wipeTeam } from "./team-cache.ts";
