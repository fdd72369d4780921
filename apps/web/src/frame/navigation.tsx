/** The main navigation: on the left of a wide page, at the bottom on a phone. */
import { Link, useRouterState } from "@tanstack/react-router";
import { useIsTeamServer } from "../app-context.tsx";
import { useWaitingCount } from "../features/runs/run-queries.ts";
import { belongsTo, screensOf } from "../model/screens.ts";
import { Icon } from "../parts/icon.tsx";
import { Keys } from "../parts/kbd.tsx";
import { useIsEvalsOnly, useStatus } from "../queries.ts";

const active = "text-accent wide:bg-accent-soft font-medium";

export function Navigation() {
  const status = useStatus();
  const isEvalsOnly = useIsEvalsOnly();
  const isTeam = useIsTeamServer();
  const waiting = useWaitingCount();
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <div className="fixed inset-x-0 bottom-0 z-10 border-t border-line bg-sunken pb-[env(safe-area-inset-bottom)] wide:sticky wide:inset-auto wide:top-0 wide:flex wide:h-dvh wide:flex-col wide:border-t-0 wide:border-r wide:p-3">
      <div className="hidden h-9 items-center gap-2 px-2 font-semibold wide:flex">
        <img src="/icon.svg" alt="" width="20" height="20" />
        Devflow
      </div>
      <nav aria-label="Main" className="wide:mt-3">
        <ul className={`grid ${isTeam ? "grid-cols-4" : "grid-cols-7"} wide:flex wide:flex-col wide:gap-1`}>
          {screensOf(isTeam)
            .filter(({ id }) => !isEvalsOnly || id === "evals")
            .map((screen) => (
              // A phone has no room for nested screens; approvals are reached from the top bar there.
              <li key={screen.id} className={screen.within ? "hidden wide:block" : undefined}>
                <Link
                  to={screen.path}
                  activeOptions={{ exact: screen.path === "/", includeSearch: false }}
                  activeProps={{ className: active, "aria-current": "page" }}
                  inactiveProps={
                    belongsTo(screen, path)
                      ? { className: active, "aria-current": "true" }
                      : { className: "text-ink-soft hover:text-ink wide:hover:bg-hover" }
                  }
                  className={`group flex h-14 flex-col items-center justify-center gap-1 rounded-small text-meta outline-offset-[-2px] wide:h-8 wide:flex-row wide:justify-start wide:gap-3 wide:text-body ${screen.within ? "wide:pr-2 wide:pl-9" : "wide:px-2"}`}
                >
                  {!screen.within && <Icon name={screen.id} />}
                  {screen.title}
                  {screen.id === "approvals" && waiting > 0 && (
                    <span className="rounded-small bg-warn-soft px-2 text-meta font-medium text-warn tabular-nums">
                      {waiting}
                      <span className="sr-only"> waiting</span>
                    </span>
                  )}
                  <span
                    className="ml-auto hidden opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100 wide:inline"
                    aria-hidden="true"
                  >
                    <Keys keys={["g", screen.key]} />
                  </span>
                </Link>
              </li>
            ))}
        </ul>
      </nav>
      <p className="mt-auto hidden min-h-8 truncate px-2 text-meta text-ink-soft wide:block">
        {status.data && (
          <>
            {status.data.user.name}
            <br />
            Devflow {status.data.version}
          </>
        )}
      </p>
    </div>
  );
}
