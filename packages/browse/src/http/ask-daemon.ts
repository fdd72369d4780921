/**
 * Asks a workspace's daemon for what the Browse screen shows. The daemon's token is read from the workspace's private
 * file after the process is verified, and is sent only in a header of one loopback request.
 *
 * - `overview(root)`, `picture(root, of)` its answer; "stopped" when no daemon runs there, "no answer" when it does not
 *   answer in time.
 */
import { z } from "zod";
import {
  decodeResponse,
  encodeRequest,
  findDaemon,
  netTransport,
  overviewPath,
  picturePath,
  workspaceAt,
} from "../client/index.ts";

const Effect = z.enum(["read", "write", "meta"]);

const Overview = z.object({
  status: z.object({
    version: z.string(),
    startedAt: z.iso.datetime(),
    idleMinutes: z.number(),
    chromium: z.object({
      state: z.enum(["not started", "running", "ended"]),
      version: z.string().optional(),
      window: z.boolean(),
    }),
    sessions: z.array(z.object({ name: z.string(), lease: z.string() })).max(1_000),
    running: z.array(z.object({ command: z.string(), session: z.string(), ms: z.number() })).max(1_000),
  }),
  tabs: z
    .array(
      z.object({
        session: z.string(),
        id: z.string(),
        url: z.string(),
        title: z.string().optional(),
        isCurrent: z.boolean(),
      }),
    )
    .max(10_000),
  recent: z
    .array(
      z.object({
        seq: z.int(),
        at: z.iso.datetime(),
        session: z.string(),
        tab: z.string().optional(),
        command: z.string(),
        effect: Effect,
        outcome: z.enum(["done", "failed"]),
        text: z.string(),
        ms: z.number(),
      }),
    )
    .max(1_000),
});
export type Overview = z.output<typeof Overview>;

const Picture = z.object({
  state: z.enum(["live", "page does not answer", "none"]),
  silentMs: z.number().optional(),
  at: z.iso.datetime().optional(),
  jpeg: z.base64().max(4_000_000).optional(),
});
export type Picture = z.output<typeof Picture>;

type Asked<T> = T | "stopped" | "no answer";

/** Longer than the daemon's own limit for a picture. */
const answerLimitMs = 5_000;

export const overview = (root: string): Promise<Asked<Overview>> => ask(root, overviewPath, {}, Overview);

export const picture = (
  root: string,
  of: { readonly session: string; readonly tab: string },
): Promise<Asked<Picture>> => ask(root, picturePath, of, Picture);

async function ask<T>(root: string, path: string, body: unknown, schema: z.ZodType<T>): Promise<Asked<T>> {
  const daemon = findDaemon(workspaceAt(root));
  if (!daemon) return "stopped";
  try {
    const bytes = encodeRequest(path, body, daemon.port, daemon.token);
    const response = decodeResponse(await netTransport(daemon.port, bytes, AbortSignal.timeout(answerLimitMs)));
    // A daemon of an older Devflow does not know these routes, or answers in another format.
    return response?.status === 200 ? schema.parse(response.body) : "no answer";
  } catch {
    return "no answer";
  }
}
