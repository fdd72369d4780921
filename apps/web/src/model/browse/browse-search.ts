/** Search parameters of the browse screens: the selected tab, or the step of a bundle. Invalid values are dropped. */
export interface TabSearch {
  readonly session?: string | undefined;
  readonly tab?: string | undefined;
}

export function tabSearch(raw: Record<string, unknown>): TabSearch {
  // The router parses `?session=42` as a number.
  const session = typeof raw.session === "number" ? String(raw.session) : raw.session;
  const isTab = typeof raw.tab === "string" && /^t\d{1,9}$/.test(raw.tab);
  return {
    session: typeof session === "string" && session !== "" ? session.slice(0, 200) : undefined,
    tab: isTab ? (raw.tab as string) : undefined,
  };
}

export function stepSearch(raw: Record<string, unknown>): { readonly step?: number | undefined } {
  const step = Number(raw.step);
  return { step: Number.isInteger(step) && step > 0 ? step : undefined };
}
