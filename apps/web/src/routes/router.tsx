/** All routes of the app. A screen's code is loaded when it is first opened. */
import { createRootRoute, createRoute, createRouter, retainSearchParams } from "@tanstack/react-router";
import { Frame } from "../frame/frame.tsx";
import { decisionsSearch, filesSearch, intentsSearch } from "../model/brain/brain-search.ts";
import { stepSearch, tabSearch } from "../model/browse/browse-search.ts";
import {
  caseSearch,
  compareSearch,
  costSearch,
  evalsSearch,
  resultsSearch,
  suiteSearch,
  trendSearch,
} from "../model/evals/eval-search.ts";
import { activitySearch, type FrameSearch, frameSearch, listSearch, sessionsSearch } from "../model/frame-search.ts";
import { runsSearch } from "../model/runs/run-filter.ts";
import { gateSearch, runSearch } from "../model/runs/run-search.ts";
import { metricSearch, recordsSearch } from "../model/team/metric-search.ts";
import { screen } from "./lazy-screen.ts";
import { NotFound, ScreenFault, ScreenLoading } from "./screen-states.tsx";

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  validateSearch: frameSearch,
  search: { middlewares: [retainSearchParams<FrameSearch>(["team", "repo"])] },
});
const parent = { getParentRoute: () => root };

const home = createRoute({
  ...parent,
  path: "/",
  component: screen(() => import("../features/home/home-page.tsx"), "HomePage"),
});
const runs = createRoute({
  ...parent,
  path: "/runs",
  validateSearch: runsSearch,
  component: screen(() => import("../features/runs/runs-page.tsx"), "RunsPage"),
});
const newRun = createRoute({
  ...parent,
  path: "/runs/new",
  component: screen(() => import("../features/runs/new-run-page.tsx"), "NewRunPage"),
});
const run = createRoute({
  ...parent,
  path: "/runs/$id",
  validateSearch: runSearch,
  component: screen(() => import("../features/runs/run-page.tsx"), "RunPage"),
});
const approvals = createRoute({
  ...parent,
  path: "/approvals",
  validateSearch: gateSearch,
  component: screen(() => import("../features/runs/approvals-page.tsx"), "ApprovalsPage"),
});
const sessions = createRoute({
  ...parent,
  path: "/sessions",
  validateSearch: sessionsSearch,
  component: screen(() => import("../features/runs/sessions-page.tsx"), "SessionsPage"),
});
const fleet = createRoute({
  ...parent,
  path: "/fleet",
  validateSearch: listSearch,
  component: screen(() => import("../features/runs/fleet-page.tsx"), "FleetPage"),
});
const templates = createRoute({
  ...parent,
  path: "/templates",
  validateSearch: listSearch,
  component: screen(() => import("../features/runs/templates-page.tsx"), "TemplatesPage"),
});
const template = createRoute({
  ...parent,
  path: "/templates/$name",
  component: screen(() => import("../features/runs/templates-page.tsx"), "TemplatePage"),
});
const personas = createRoute({
  ...parent,
  path: "/personas",
  validateSearch: listSearch,
  component: screen(() => import("../features/runs/personas-page.tsx"), "PersonasPage"),
});
const persona = createRoute({
  ...parent,
  path: "/personas/$name",
  component: screen(() => import("../features/runs/personas-page.tsx"), "PersonaPage"),
});
const evals = createRoute({
  ...parent,
  path: "/evals",
  validateSearch: evalsSearch,
  component: screen(() => import("../features/evals/evals-page.tsx"), "EvalsPage"),
});
const evalRun = createRoute({
  ...parent,
  path: "/evals/runs/$ref",
  validateSearch: resultsSearch,
  component: screen(() => import("../features/evals/eval-run-page.tsx"), "EvalRunPage"),
});
const evalCase = createRoute({
  ...parent,
  path: "/evals/cases/$suite/$key",
  validateSearch: caseSearch,
  component: screen(() => import("../features/evals/case-page.tsx"), "CasePage"),
});
const evalCompare = createRoute({
  ...parent,
  path: "/evals/compare",
  validateSearch: compareSearch,
  component: screen(() => import("../features/evals/compare-page.tsx"), "ComparePage"),
});
const evalTrends = createRoute({
  ...parent,
  path: "/evals/trends",
  validateSearch: trendSearch,
  component: screen(() => import("../features/evals/trends-page.tsx"), "TrendsPage"),
});
const evalCost = createRoute({
  ...parent,
  path: "/evals/cost",
  validateSearch: costSearch,
  component: screen(() => import("../features/evals/cost-page.tsx"), "CostPage"),
});
const evalJudges = createRoute({
  ...parent,
  path: "/evals/judges",
  validateSearch: suiteSearch,
  component: screen(() => import("../features/evals/judges-page.tsx"), "JudgesPage"),
});
const evalWatch = createRoute({
  ...parent,
  path: "/evals/watch",
  validateSearch: suiteSearch,
  component: screen(() => import("../features/evals/watch-page.tsx"), "WatchPage"),
});
const brain = createRoute({
  ...parent,
  path: "/brain",
  component: screen(() => import("../features/brain/now-page.tsx"), "NowPage"),
});
const brainDecisions = createRoute({
  ...parent,
  path: "/brain/decisions",
  validateSearch: decisionsSearch,
  component: screen(() => import("../features/brain/decisions-page.tsx"), "DecisionsPage"),
});
const brainDecision = createRoute({
  ...parent,
  path: "/brain/decisions/$id",
  component: screen(() => import("../features/brain/decision-page.tsx"), "DecisionPage"),
});
const brainIntents = createRoute({
  ...parent,
  path: "/brain/intents",
  validateSearch: intentsSearch,
  component: screen(() => import("../features/brain/lists-pages.tsx"), "IntentsPage"),
});
const brainHandoffs = createRoute({
  ...parent,
  path: "/brain/handoffs",
  component: screen(() => import("../features/brain/lists-pages.tsx"), "HandoffsPage"),
});
const brainFiles = createRoute({
  ...parent,
  path: "/brain/files",
  validateSearch: filesSearch,
  component: screen(() => import("../features/brain/files-page.tsx"), "FilesPage"),
});
const browse = createRoute({
  ...parent,
  path: "/browse",
  component: screen(() => import("../features/browse/browse-page.tsx"), "BrowsePage"),
});
const browseWorkspace = createRoute({
  ...parent,
  path: "/browse/$workspace",
  validateSearch: tabSearch,
  component: screen(() => import("../features/browse/workspace-page.tsx"), "WorkspacePage"),
});
const browseBundle = createRoute({
  ...parent,
  path: "/browse/$workspace/evidence/$bundle",
  validateSearch: stepSearch,
  component: screen(() => import("../features/browse/bundle-page.tsx"), "BundlePage"),
});
const team = createRoute({
  ...parent,
  path: "/team",
  validateSearch: listSearch,
  component: screen(() => import("../features/team/team-page.tsx"), "TeamPage"),
});
const teamPulse = createRoute({
  ...parent,
  path: "/team/pulse",
  validateSearch: metricSearch,
  component: screen(() => import("../features/metrics/pulse-page.tsx"), "PulsePage"),
});
const teamVelocity = createRoute({
  ...parent,
  path: "/team/velocity",
  validateSearch: metricSearch,
  component: screen(() => import("../features/metrics/velocity-page.tsx"), "VelocityPage"),
});
const teamEvals = createRoute({
  ...parent,
  path: "/team/evals",
  validateSearch: metricSearch,
  component: screen(() => import("../features/metrics/team-evals-page.tsx"), "TeamEvalsPage"),
});
const teamCost = createRoute({
  ...parent,
  path: "/team/cost",
  validateSearch: metricSearch,
  component: screen(() => import("../features/metrics/team-cost-page.tsx"), "TeamCostPage"),
});
const teamQa = createRoute({
  ...parent,
  path: "/team/qa",
  validateSearch: metricSearch,
  component: screen(() => import("../features/metrics/qa-page.tsx"), "QaPage"),
});
const teamReviews = createRoute({
  ...parent,
  path: "/team/reviews",
  validateSearch: metricSearch,
  component: screen(() => import("../features/metrics/reviews-page.tsx"), "ReviewsPage"),
});
const teamAgents = createRoute({
  ...parent,
  path: "/team/agents",
  validateSearch: metricSearch,
  component: screen(() => import("../features/metrics/agents-page.tsx"), "AgentsPage"),
});
const teamRecords = createRoute({
  ...parent,
  path: "/team/records",
  validateSearch: recordsSearch,
  component: screen(() => import("../features/metrics/records-page.tsx"), "RecordsPage"),
});
const teamRecord = createRoute({
  ...parent,
  path: "/team/records/$id",
  component: screen(() => import("../features/metrics/record-page.tsx"), "RecordPage"),
});
const teamSettings = createRoute({
  ...parent,
  path: "/team/settings",
  validateSearch: metricSearch,
  component: screen(() => import("../features/metrics/team-settings-page.tsx"), "TeamSettingsPage"),
});
const member = createRoute({
  ...parent,
  path: "/team/members/$userId",
  component: screen(() => import("../features/team/member-page.tsx"), "MemberPage"),
});
const repository = createRoute({
  ...parent,
  path: "/team/repositories/$repoId",
  component: screen(() => import("../features/team/repository-page.tsx"), "RepositoryPage"),
});
const activity = createRoute({
  ...parent,
  path: "/activity",
  validateSearch: activitySearch,
  component: screen(() => import("../features/activity/activity-page.tsx"), "ActivityPage"),
});
const change = createRoute({
  ...parent,
  path: "/activity/$teamId/$seq",
  component: screen(() => import("../features/activity/change-page.tsx"), "ChangePage"),
});
const settings = createRoute({
  ...parent,
  path: "/settings",
  component: screen(() => import("../features/settings/settings-page.tsx"), "SettingsPage"),
});

const device = createRoute({
  ...parent,
  path: "/device",
  component: screen(() => import("../features/sign-in/device-page.tsx"), "DevicePage"),
});
const invite = createRoute({
  ...parent,
  path: "/invite",
  component: screen(() => import("../features/sign-in/join-page.tsx"), "JoinPage"),
});
const confirm = createRoute({
  ...parent,
  path: "/confirm",
  component: screen(() => import("../features/sign-in/confirm-page.tsx"), "ConfirmPage"),
});

const routeTree = root.addChildren([
  home,
  runs,
  newRun,
  run,
  approvals,
  sessions,
  fleet,
  templates,
  template,
  personas,
  persona,
  evals,
  evalRun,
  evalCase,
  evalCompare,
  evalTrends,
  evalCost,
  evalJudges,
  evalWatch,
  brain,
  brainDecisions,
  brainDecision,
  brainIntents,
  brainHandoffs,
  brainFiles,
  team,
  teamPulse,
  teamVelocity,
  teamEvals,
  teamCost,
  teamQa,
  teamReviews,
  teamAgents,
  teamRecords,
  teamRecord,
  teamSettings,
  member,
  repository,
  browse,
  browseWorkspace,
  browseBundle,
  activity,
  change,
  settings,
  device,
  invite,
  confirm,
]);

export function createAppRouter() {
  return createRouter({
    routeTree,
    defaultPreload: "intent",
    defaultPendingComponent: ScreenLoading,
    defaultErrorComponent: ScreenFault,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
