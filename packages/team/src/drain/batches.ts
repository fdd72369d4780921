/**
 * Ordered batches, one destination each.
 *
 * - `Batcher.add(record)` the batch that is now full, if any; `rest()` what is left. At most 500 records and 3.5 MB each.
 * - `bodyOf(batch, sentAt)` the JSON text of a push.
 */
import type { Destination, SpooledRecord } from "../spool/index.ts";

export interface ClaimedRecord {
  /** The file's name in `cur/`. */
  readonly name: string;
  readonly record: SpooledRecord;
  /** What is sent of it. */
  readonly json: string;
  readonly bytes: number;
}

export interface Batch {
  readonly to: Destination;
  readonly records: readonly ClaimedRecord[];
}

const maxRecords = 500;
const maxBytes = 3_500_000;
/** Team, time and brackets. */
const around = 400;

export class Batcher {
  readonly #open = new Map<string, { to: Destination; records: ClaimedRecord[]; bytes: number }>();

  add(claimed: ClaimedRecord): Batch | undefined {
    const { server, team, user } = claimed.record;
    const key = destinationKey(claimed.record);
    const open = this.#open.get(key);
    const fits = open && open.records.length < maxRecords && open.bytes + claimed.bytes + 1 <= maxBytes;
    if (open && fits) {
      open.records.push(claimed);
      open.bytes += claimed.bytes + 1;
      return undefined;
    }
    this.#open.set(key, { to: { server, team, user }, records: [claimed], bytes: around + claimed.bytes });
    return open;
  }

  rest(): Batch[] {
    const left = [...this.#open.values()];
    this.#open.clear();
    return left;
  }
}

export function destinationKey({ server, team, user }: Destination): string {
  return JSON.stringify([server, team, user]);
}

export function halves({ to, records }: Batch): readonly [Batch, Batch] {
  const middle = Math.ceil(records.length / 2);
  return [
    { to, records: records.slice(0, middle) },
    { to, records: records.slice(middle) },
  ];
}

/** The destination and the person stay here: the address and the token say them. */
export function wireJson({ server: _server, team: _team, user: _user, ...rest }: SpooledRecord): string {
  return JSON.stringify(rest);
}

export function bodyOf({ to, records }: Batch, sentAt: string): string {
  const list = records.map(({ json }) => json).join(",");
  return `{"team_id":${JSON.stringify(to.team)},"sent_at":${JSON.stringify(sentAt)},"records":[${list}]}`;
}
