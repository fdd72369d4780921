/** Server-sent events as bytes, and the ids that let a client resume. */
import { isUuid } from "@devflow/core/ids";
import type { RunStreamEvent, StreamEvent, StreamReady } from "@devflow/protocol";

const encoder = new TextEncoder();

/** `data` is JSON text without raw line breaks, so one `data:` line is enough. */
export function frame(event: StreamEvent | RunStreamEvent, data: string, id?: string): Uint8Array {
  return encoder.encode(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
}

/** Sent first, so that the response headers reach the client at once; the number is the delay before reconnecting. */
export const opening = encoder.encode("retry: 1000\n\n");

export const heartbeat = frame("heartbeat", "{}");

export function readyFrame(cursors: ReadonlyMap<string, number>, resync: boolean, id: string): Uint8Array {
  const data: StreamReady = { teams: Object.fromEntries(cursors), resync };
  return frame("ready", JSON.stringify(data), id);
}

/** `<team>:<seq>,<team>:<seq>` */
export function globalEventId(cursors: ReadonlyMap<string, number>): string {
  return [...cursors].map(([team, seq]) => `${team}:${seq}`).join(",");
}

/** Undefined when it is not a seq; an empty id means none was given. */
export function parseTeamEventId(text: string): number | undefined {
  const seq = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  return seq;
}

export function parseGlobalEventId(text: string): Map<string, number> | undefined {
  const cursors = new Map<string, number>();
  for (const part of text.split(",")) {
    const colon = part.lastIndexOf(":");
    const seq = parseTeamEventId(part.slice(colon + 1));
    const team = part.slice(0, colon).toLowerCase();
    if (colon < 0 || seq === undefined || !isUuid(team)) return undefined;
    cursors.set(team, seq);
  }
  return cursors;
}
