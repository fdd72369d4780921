/**
 * Gemini CLI: `gemini --acp --skip-trust`. Seen with 0.61.0.
 *
 * - Told that it may write files through the client, it fails to write a new one.
 * - After kill -9 it often cannot load a session in the clock minute in which the session was created ("No previous
 *   sessions found for this project"); the driver then starts a new one.
 * - Its tools refuse folders that it was not started with.
 * - Tokens are only in `_meta.quota`.
 */
import type { AcpProfile } from "./acp-profile.ts";

export const gemini: AcpProfile = {
  mode: "default",
  offersFiles: false,
  folderOption: "--include-directories",
  usage: "quota",
};
