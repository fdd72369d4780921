/**
 * Codex makes a store in CODEX_HOME when it first starts there. Of two that begin at the same moment, one may find the other at it, and exits.
 *
 * - `exitError(reason)` the error for an exit of Codex, of the class `StoreTaken` where that was the reason.
 * - `untilStoreIsFree(open)` opens it again after such an exit, some times.
 */
import { setTimeout as pause } from "node:timers/promises";

export class StoreTaken extends Error {}

const mostTries = 5;
const pauseMs = 200;

export const exitError = (reason: string): Error =>
  /failed to initialize (sqlite )?state runtime/.test(reason) ? new StoreTaken(reason) : new Error(reason);

export async function untilStoreIsFree<T>(open: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreTaken) || tries === mostTries) throw error;
      await pause(tries * pauseMs);
    }
  }
}
