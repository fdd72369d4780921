/** Entry point of wip. */
export { dropWip, type SharedWip, shareWip } from "./share-wip.ts";
