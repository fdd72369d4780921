/** Limits for untrusted files. Exceeding one gives an error message, never a crash. */
export interface ImportLimits {
  /** Size of the file. */
  readonly fileBytes: number;
  /** Size of a stream, which is copied to the disk before it is read. */
  readonly pipeBytes: number;
  /** Size of one record (a result, a line, a member of the header), which is held in memory. */
  readonly recordBytes: number;
  /** Memory for formats that must be held as a whole, such as OTLP groups. */
  readonly heldBytes: number;
  /** Total unpacked size of one archive. */
  readonly unpackedBytes: number;
  /** Unpacked to packed size, checked from `ratioFromBytes`: small entries of zeros are legitimate. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
  readonly archiveEntries: number;
  readonly depth: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: ImportLimits = {
  fileBytes: 8 * 1024 * mebibyte,
  pipeBytes: 2 * 1024 * mebibyte,
  recordBytes: 64 * mebibyte,
  heldBytes: 256 * mebibyte,
  unpackedBytes: 8 * 1024 * mebibyte,
  // Agent logs repeat their messages; Inspect documents 10:1, and 60:1 was observed. A bomb is at 1,000:1.
  ratio: 250,
  ratioFromBytes: 16 * mebibyte,
  archiveEntries: 400_000,
  depth: 400,
};

export function inMegabytes(bytes: number): string {
  return bytes >= mebibyte ? `${Math.round(bytes / mebibyte)} MB` : `${bytes} bytes`;
}
