/** How much of a foreign file is read before it is refused. Every limit is a sentence when met, never a crash. */
export interface ImportLimits {
  /** The file itself. JSON and JSONL are streamed, so this guards the disk that standard input is spooled to. */
  readonly fileBytes: number;
  /** One record (one result, one line, one member of the header): the most that is in memory at once. */
  readonly recordBytes: number;
  /** Formats that have to be held whole (OTLP groups, CSV rows of one case) count what they hold. */
  readonly heldBytes: number;
  /** Everything that comes out of one archive. */
  readonly unpackedBytes: number;
  /** Unpacked to packed, counted from `ratioFromBytes` on: small entries of zeros are honest. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
  readonly archiveEntries: number;
  readonly depth: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: ImportLimits = {
  fileBytes: 8 * 1024 * mebibyte,
  recordBytes: 64 * mebibyte,
  heldBytes: 256 * mebibyte,
  unpackedBytes: 8 * 1024 * mebibyte,
  // Agent logs repeat their messages; Inspect speaks of 10:1, and 60:1 was seen. A bomb is at 1,000:1.
  ratio: 250,
  ratioFromBytes: 16 * mebibyte,
  archiveEntries: 400_000,
  depth: 400,
};

export function inMegabytes(bytes: number): string {
  return bytes >= mebibyte ? `${Math.round(bytes / mebibyte)} MB` : `${bytes} bytes`;
}
