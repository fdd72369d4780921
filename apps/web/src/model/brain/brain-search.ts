/** Search parameters of the brain's screens. Invalid values are dropped. */
export interface DecisionsSearch {
  readonly q?: string | undefined;
  readonly all?: true | undefined;
  readonly type?: "decision" | "learning" | "freeze" | undefined;
}

const text = (value: unknown, longest: number): string | undefined => {
  const given = typeof value === "number" ? String(value) : value;
  return typeof given === "string" && given !== "" ? given.slice(0, longest) : undefined;
};
const isTrue = (value: unknown): true | undefined => (value === true || value === "true" ? true : undefined);

export function decisionsSearch(raw: Record<string, unknown>): DecisionsSearch {
  const type = ["decision", "learning", "freeze"].includes(String(raw.type))
    ? (raw.type as DecisionsSearch["type"])
    : undefined;
  return { q: text(raw.q, 500), all: isTrue(raw.all), type };
}

export function intentsSearch(raw: Record<string, unknown>): { all?: true | undefined } {
  return { all: isTrue(raw.all) };
}

export interface FilesSearch {
  readonly file?: string | undefined;
  readonly in?: string | undefined;
  readonly line?: number | undefined;
}

export function filesSearch(raw: Record<string, unknown>): FilesSearch {
  const line = Number(raw.line);
  const isLine = Number.isInteger(line) && line > 0 && line <= 10_000_000;
  return { file: text(raw.file, 1000), in: text(raw.in, 500), line: isLine ? line : undefined };
}
