/**
 * opencode: `opencode acp`. Seen with 1.18.33.
 *
 * - It takes 5 to 8 seconds to start.
 * - It asks only where its own configuration says `ask` (`permission: { edit: ask, bash: ask }`); its modes do not change that.
 * - It writes through the client even if the client does not offer it.
 * - A turn with several requests to the model reports only the tokens of the last one.
 */
import type { AcpProfile } from "./acp-profile.ts";

export const opencode: AcpProfile = { mode: "build", offersFiles: true, usage: "turn" };
