/** Every address of the app. A screen's code is loaded when it is first opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { Frame } from "../frame/frame.tsx";
import { activitySearch, type FrameSearch, frameSearch, listSearch } from "../model/frame-search.ts";
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
  component: lazyRouteComponent(() => import("../features/home/home-page.tsx"), "HomePage"),
});
const system = () => import("../features/system/system-page.tsx");
const runs = createRoute({ ...parent, path: "/runs", component: lazyRouteComponent(system, "RunsPage") });
const evals = createRoute({ ...parent, path: "/evals", component: lazyRouteComponent(system, "EvalsPage") });
const brain = createRoute({ ...parent, path: "/brain", component: lazyRouteComponent(system, "BrainPage") });
const browse = createRoute({ ...parent, path: "/browse", component: lazyRouteComponent(system, "BrowsePage") });
const team = createRoute({
  ...parent,
  path: "/team",
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import("../features/team/team-page.tsx"), "TeamPage"),
});
const member = createRoute({
  ...parent,
  path: "/team/members/$userId",
  component: lazyRouteComponent(() => import("../features/team/member-page.tsx"), "MemberPage"),
});
const repository = createRoute({
  ...parent,
  path: "/team/repositories/$repoId",
  component: lazyRouteComponent(() => import("../features/team/repository-page.tsx"), "RepositoryPage"),
});
const activity = createRoute({
  ...parent,
  path: "/activity",
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => import("../features/activity/activity-page.tsx"), "ActivityPage"),
});
const change = createRoute({
  ...parent,
  path: "/activity/$teamId/$seq",
  component: lazyRouteComponent(() => import("../features/activity/change-page.tsx"), "ChangePage"),
});
const settings = createRoute({
  ...parent,
  path: "/settings",
  component: lazyRouteComponent(() => import("../features/settings/settings-page.tsx"), "SettingsPage"),
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
