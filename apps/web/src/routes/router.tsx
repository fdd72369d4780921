/** Every address of the app. A screen's code is loaded when it is first opened. */
import { createRootRoute, createRoute, createRouter, retainSearchParams } from "@tanstack/react-router";
import { Frame } from "../frame/frame.tsx";
import { activitySearch, type FrameSearch, frameSearch, listSearch } from "../model/frame-search.ts";
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
const system = () => import("../features/system/system-page.tsx");
const runs = createRoute({ ...parent, path: "/runs", component: screen(system, "RunsPage") });
const evals = createRoute({ ...parent, path: "/evals", component: screen(system, "EvalsPage") });
const brain = createRoute({ ...parent, path: "/brain", component: screen(system, "BrainPage") });
const browse = createRoute({ ...parent, path: "/browse", component: screen(system, "BrowsePage") });
const team = createRoute({
  ...parent,
  path: "/team",
  validateSearch: listSearch,
  component: screen(() => import("../features/team/team-page.tsx"), "TeamPage"),
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

const routeTree = root.addChildren([
  home,
  runs,
  evals,
  brain,
  team,
  member,
  repository,
  browse,
  activity,
  change,
  settings,
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
