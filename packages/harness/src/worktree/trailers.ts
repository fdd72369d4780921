/**
 * The trailers of a commit message that identify the run that made it.
 *
 * - `withTrailers(message, trailers)` the complete message.
 * - `hasTrailers(message, trailers)` whether this message was made for the same run, phase and attempt.
 */
export interface CommitTrailers {
  readonly run: string;
  readonly phase: string;
  readonly attempt: number;
  readonly persona?: string | undefined;
  /** More trailers, by full name: `Devflow-Chain`. */
  readonly others?: Readonly<Record<string, string>>;
}

export function withTrailers(message: string, trailers: CommitTrailers): string {
  const text = message.replaceAll("\r\n", "\n").replaceAll("\0", "").trim() || `Work of phase ${trailers.phase}`;
  return `${text}\n\n${linesOf(trailers).join("\n")}\n`;
}

/** Only the last paragraph counts: text above it may quote another commit. */
export function hasTrailers(message: string, trailers: CommitTrailers): boolean {
  const last =
    message
      .trimEnd()
      .split(/\n{2,}/)
      .at(-1) ?? "";
  const found = new Set(last.split("\n"));
  return linesOf({ run: trailers.run, phase: trailers.phase, attempt: trailers.attempt }).every((line) =>
    found.has(line),
  );
}

function linesOf({ run, phase, attempt, persona, others = {} }: CommitTrailers): string[] {
  const all = {
    "Devflow-Run": run,
    "Devflow-Phase": phase,
    "Devflow-Attempt": String(attempt),
    ...(persona === undefined ? {} : { "Devflow-Persona": persona }),
    ...others,
  };
  return Object.entries(all).map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n\0]+/g, " ").trim()}`);
}
