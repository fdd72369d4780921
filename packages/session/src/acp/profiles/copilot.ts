/**
 * GitHub Copilot CLI: `copilot --acp`. Seen with 1.0.102.
 *
 * - Its modes are named by URLs, and `allow_all` is an option apart from them.
 * - Usage is that of its whole process.
 */
import type { AcpProfile } from "./acp-profile.ts";

export const copilot: AcpProfile = {
  mode: "https://agentclientprotocol.com/protocol/session-modes#agent",
  options: { allow_all: "off" },
  offersFiles: true,
  usage: "process",
};
