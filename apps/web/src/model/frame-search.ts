/** Search parameters of every URL: the selected team and repository. Invalid values are dropped, not reported. */
export interface FrameSearch {
  readonly team?: string | undefined;
  readonly repo?: string | undefined;
}
export interface ListSearch {
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
}

/** The router parses `?team=42` as a number; a name is text. */
function text(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
}

export function frameSearch(raw: Record<string, unknown>): FrameSearch {
  return { team: text(raw.team), repo: text(raw.repo) };
}

export function listSearch(raw: Record<string, unknown>): ListSearch {
  return { q: text(raw.q), sort: text(raw.sort) };
}

export function sessionsSearch(raw: Record<string, unknown>): ListSearch & { all?: true | undefined } {
  return { ...listSearch(raw), all: raw.all === true || raw.all === "true" ? true : undefined };
}

export function activitySearch(raw: Record<string, unknown>): { kind?: string | undefined } {
  return { kind: text(raw.kind) };
}

/** The team in the URL, or the first one. */
export function chosenTeam<Team extends { readonly slug: string }>(
  teams: readonly Team[],
  slug: string | undefined,
): Team | undefined {
  return teams.find((team) => team.slug === slug) ?? teams[0];
}
