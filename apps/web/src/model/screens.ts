/** The app's screens: their paths and keys, and the description of systems that have no records yet. */
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
    also: ["/sessions", "/templates", "/personas"],
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
  { id: "brain", title: "Brain", path: "/brain", key: "b", commands: ["brain who", "brain"] },
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
  { id: "eval-compare", title: "Compare evals", path: "/evals/compare", commands: ["eval compare"] },
  { id: "eval-trends", title: "Eval trends and flaky cases", path: "/evals/trends", commands: ["eval trend"] },
  { id: "eval-cost", title: "Eval cost", path: "/evals/cost", commands: ["eval cost"] },
  { id: "eval-judges", title: "Eval judges", path: "/evals/judges", commands: ["eval label"] },
  { id: "eval-watch", title: "Watch an eval run", path: "/evals/watch", commands: ["eval watch"] },
] as const satisfies readonly {
  readonly id: string;
  readonly title: string;
  readonly path: `/${string}`;
  readonly commands: readonly string[];
}[];

export interface System {
  readonly id: Screen["id"];
  readonly title: string;
  /** The category of its commands. */
  readonly category: string;
  readonly question: string;
  readonly shows: readonly string[];
}

export const systems = {
  brain: {
    id: "brain",
    title: "Brain",
    category: "Brain",
    question:
      "Who is doing what right now, why is the code the way it is, and will my push conflict with someone else's?",
    shows: [
      "Active people and agents, and what they are about to change",
      "Decisions and handoffs for a file or a line",
      "Conflicts in unpushed work, before anyone merges",
    ],
  },
} as const satisfies Record<string, System>;
