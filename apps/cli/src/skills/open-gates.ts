/**
 * How many gates wait for a person.
 *
 * - `openGates(home)` undefined when no server runs here, or it does not answer at once: an agent that starts a skill
 *   must not wait for it.
 */
import type { Home } from "@devflow/core/home";
import { z } from "zod";
import { callServer } from "../server/client.ts";
import { findServer } from "../server/state.ts";

const answer = z.object({ approvals: z.array(z.unknown()) });
const patienceMs = 25;

export async function openGates(home: Home): Promise<number | undefined> {
  try {
    const server = await findServer(home);
    if (!server) return undefined;
    const path = "/api/approvals?state=pending";
    return (await callServer(server, path, answer, { timeoutMs: patienceMs })).approvals.length;
  } catch {
    return undefined;
  }
}
