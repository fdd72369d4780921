/** Entry point of the digest. */
export { composeDigest } from "./compose-digest.ts";
