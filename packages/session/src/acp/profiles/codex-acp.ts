/**
 * Codex behind ACP: `codex-acp`. Seen with 2.6.0. Devflow drives Codex by itself as `codex`; this is for comparison.
 *
 * - It asks only in the mode `read-only`. In `agent`, where it starts, a model answers for the person.
 * - A denied permission ends its turn as `cancelled`, where others say `end_turn`.
 * - A cancelled turn reports no usage.
 */
import type { AcpProfile } from "./acp-profile.ts";

export const codexAcp: AcpProfile = { mode: "read-only", offersFiles: true, usage: "turn" };
