/** The screens of the frame: where they are, which key goes there, and for the systems what they answer. */
export interface Screen {
  readonly id: "home" | "runs" | "evals" | "brain" | "team" | "browse" | "settings";
  readonly title: string;
  readonly path: "/" | "/runs" | "/evals" | "/brain" | "/team" | "/browse" | "/settings";
  /** After `g`. */
  readonly key: string;
  /** Commands whose result this screen shows, best first; the first that exists is its equivalent. */
  readonly commands: readonly string[];
}

export const screens: readonly Screen[] = [
  { id: "home", title: "Home", path: "/", key: "h", commands: ["status"] },
  { id: "runs", title: "Runs", path: "/runs", key: "r", commands: ["run list", "run"] },
  { id: "evals", title: "Evals", path: "/evals", key: "e", commands: ["eval list", "eval"] },
  { id: "brain", title: "Brain", path: "/brain", key: "b", commands: ["brain who", "brain"] },
  { id: "team", title: "Team", path: "/team", key: "t", commands: ["team members", "team"] },
  { id: "browse", title: "Browse", path: "/browse", key: "w", commands: ["browse status", "browse"] },
  { id: "settings", title: "Settings", path: "/settings", key: "s", commands: ["config list"] },
];

export interface System {
  readonly id: Screen["id"];
  readonly title: string;
  /** The category of its commands in the command records. */
  readonly category: string;
  readonly question: string;
  readonly shows: readonly string[];
}

export const systems = {
  runs: {
    id: "runs",
    title: "Runs",
    category: "Runs",
    question:
      "Get this piece of work done by agents, with people deciding at the gates, and lose nothing when a machine dies.",
    shows: [
      "Runs by state, each with its phases, attempts and cost",
      "Approvals: what is asked, with the artifact, the diff and the findings beside it",
      "Sessions of the agents at work, with their transcripts",
    ],
  },
  evals: {
    id: "evals",
    title: "Evals",
    category: "Evals",
    question: "Is the AI getting better or worse, at what cost, and is the difference real?",
    shows: [
      "Eval runs with their cases, expectations and judges",
      "Comparisons with intervals, so that noise is not taken for a regression",
      "What each model and each agent cost",
    ],
  },
  brain: {
    id: "brain",
    title: "Brain",
    category: "Brain",
    question: "Who is doing what right now, why is the code as it is, and will my push collide with somebody's?",
    shows: [
      "People and agents that are live, and what they are about to change",
      "Decisions and handoffs, found from a file or a line",
      "Conflicts between unpushed work, before anyone merges",
    ],
  },
  browse: {
    id: "browse",
    title: "Browse",
    category: "Browse",
    question: "Does it really work in a browser?",
    shows: [
      "Browser sessions that agents drive, with what each action visibly changed",
      "Evidence bundles that replay",
      "Console and network logs of the pages under test",
    ],
  },
} as const satisfies Record<string, System>;
