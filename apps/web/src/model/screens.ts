/** The app's screens: their paths and keys. */
export interface Screen {
  readonly id: "home" | "runs" | "approvals" | "evals" | "brain" | "team" | "browse" | "settings";
  readonly title: string;
  readonly path: "/" | "/runs" | "/approvals" | "/evals" | "/brain" | "/team" | "/browse" | "/settings";
  /** Pressed after `g`. */
  readonly key: string;
  /** Commands that show the same as this screen, best first; the palette uses the first one that exists. */
  readonly commands: readonly string[];
  /** Other paths that belong to this screen: it stays highlighted in the navigation there. */
  readonly also?: readonly string[];
  /** Listed below this screen in the navigation. */
  readonly within?: "runs";
  /** About one machine, so a team server does not have it. */
  readonly isLocal?: true;
}

export const screens: readonly Screen[] = [
  { id: "home", title: "Home", path: "/", key: "h", commands: ["status"] },
  {
    id: "runs",
    title: "Runs",
    path: "/runs",
    key: "r",
    commands: ["run list", "run"],
    also: ["/sessions", "/fleet", "/templates", "/personas"],
    isLocal: true,
  },
  {
    id: "approvals",
    title: "Approvals",
    path: "/approvals",
    key: "a",
    commands: ["run list"],
    within: "runs",
    isLocal: true,
  },
  { id: "evals", title: "Evals", path: "/evals", key: "e", commands: ["eval list", "eval"], isLocal: true },
  { id: "brain", title: "Brain", path: "/brain", key: "b", commands: ["brain sync", "brain"] },
  { id: "team", title: "Team", path: "/team", key: "t", commands: ["team members", "team"] },
  { id: "browse", title: "Browse", path: "/browse", key: "w", commands: ["browse status", "browse"], isLocal: true },
  { id: "settings", title: "Settings", path: "/settings", key: "s", commands: ["config list"] },
];

/** The screens of this server. */
export const screensOf = (isTeamServer: boolean): readonly Screen[] =>
  isTeamServer ? screens.filter(({ isLocal }) => !isLocal) : screens;

/** Whether a path is one of the screen's `also` paths. */
export const belongsTo = ({ also = [] }: Screen, path: string): boolean =>
  also.some((one) => path === one || path.startsWith(`${one}/`));

/** Screens that are in the palette but not in the navigation. */
export const subscreens = [
  { id: "brain-decisions", title: "Decisions", path: "/brain/decisions", commands: ["brain decide list"] },
  { id: "brain-intents", title: "Intents", path: "/brain/intents", commands: ["brain intent list"] },
  { id: "brain-handoffs", title: "Handoffs", path: "/brain/handoffs", commands: ["brain handoff list"] },
  { id: "brain-files", title: "Hot files", path: "/brain/files", commands: ["brain why"] },
  { id: "eval-compare", title: "Compare evals", path: "/evals/compare", commands: ["eval compare"] },
  { id: "eval-trends", title: "Eval trends and flaky cases", path: "/evals/trends", commands: ["eval trend"] },
  { id: "eval-cost", title: "Eval cost", path: "/evals/cost", commands: ["eval cost"] },
  { id: "eval-judges", title: "Eval judges", path: "/evals/judges", commands: ["eval label"] },
  { id: "eval-watch", title: "Watch an eval run", path: "/evals/watch", commands: ["eval watch"] },
  { id: "team-pulse", title: "Team pulse", path: "/team/pulse", commands: ["dashboard"] },
  { id: "team-velocity", title: "Team velocity", path: "/team/velocity", commands: ["ship list"] },
  { id: "team-evals", title: "Team evals and weak spots", path: "/team/evals", commands: ["eval trend"] },
  { id: "team-cost", title: "Team cost", path: "/team/cost", commands: ["eval cost"] },
  { id: "team-qa", title: "Team QA health", path: "/team/qa", commands: ["qa report"] },
  { id: "team-reviews", title: "Review signal", path: "/team/reviews", commands: ["sync show"] },
  { id: "team-agents", title: "How agents are used", path: "/team/agents", commands: ["team agents"] },
  { id: "team-records", title: "Team records", path: "/team/records", commands: ["sync show"] },
] as const satisfies readonly {
  readonly id: string;
  readonly title: string;
  readonly path: `/${string}`;
  readonly commands: readonly string[];
}[];

/** A team server has the screens about the team, and none about one machine. */
export const subscreensOf = (isTeamServer: boolean): readonly (typeof subscreens)[number][] =>
  isTeamServer ? subscreens.filter(({ path }) => path.startsWith("/team/")) : subscreens;
