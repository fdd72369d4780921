/**
 * Qwen Code: `qwen --acp`. Seen with 0.24.4.
 *
 * - It starts in the mode `auto`, in which a model answers for the person.
 * - Tokens are in `_meta.usage` of an empty message chunk after each request to the model.
 */
import type { AcpProfile } from "./acp-profile.ts";

export const qwen: AcpProfile = { mode: "default", offersFiles: true, usage: "chunks" };
