/** The services that views use: the API client and the session. Created once in `main.tsx`. */
import { createContext, use, useSyncExternalStore } from "react";
import type { Api } from "./model/api.ts";
import type { Session, SessionState } from "./model/session.ts";
import type { TeamSession } from "./model/team-session.ts";

export interface AppServices {
  readonly api: Api;
  readonly session: Session;
  readonly team: TeamSession;
}

const AppContext = createContext<AppServices | undefined>(undefined);
export const AppServicesProvider = AppContext.Provider;

export function useServices(): AppServices {
  const services = use(AppContext);
  if (!services) throw new Error("A view was rendered outside of the app.");
  return services;
}

export function useSessionState(): SessionState {
  const { session } = useServices();
  return useSyncExternalStore(session.subscribe, session.state);
}

/** A team server has people, records and tokens; runs, evals and browsers are on the machines of its members. */
export function useIsTeamServer(): boolean {
  const state = useSessionState();
  return state.is === "signed-in" && state.mode === "team";
}
