/** Search parameters of the run screens: the tab, and the selection in it. */
export const runTabs = {
  overview: "Overview",
  transcript: "Transcript",
  artifacts: "Artifacts",
  diff: "Diff",
  findings: "Findings",
  audit: "Audit",
  events: "Events",
  commands: "Commands",
  report: "Report",
} as const;
export type RunTab = keyof typeof runTabs;

export interface RunSearch {
  readonly tab?: RunTab | undefined;
  /** The session whose transcript is shown. */
  readonly session?: string | undefined;
  readonly artifact?: string | undefined;
  /** A sequence number. */
  readonly event?: number | undefined;
}

export function runSearch(raw: Record<string, unknown>): RunSearch {
  const tab = (Object.keys(runTabs) as RunTab[]).find((each) => each === raw.tab);
  const event = Number(raw.event);
  return {
    tab: tab === "overview" ? undefined : tab,
    session: typeof raw.session === "string" ? raw.session.slice(0, 60) : undefined,
    artifact: typeof raw.artifact === "string" ? raw.artifact.slice(0, 60) : undefined,
    event: Number.isInteger(event) && event > 0 ? event : undefined,
  };
}

export function gateSearch(raw: Record<string, unknown>): { gate?: string | undefined } {
  return { gate: typeof raw.gate === "string" ? raw.gate.slice(0, 60) : undefined };
}
