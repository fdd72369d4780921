/** The top of the app: the sign-in progress, the sign-in page, or the screens. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useSessionState } from "./app-context.tsx";
import { SignInPage } from "./features/sign-in/sign-in-page.tsx";
import { LiveProvider } from "./live-context.tsx";
import { ApiFault } from "./model/api-fault.ts";
import { createAppRouter } from "./routes/router.tsx";

export function App() {
  const session = useSessionState();
  switch (session.is) {
    case "exchanging":
      return (
        <main className="grid min-h-dvh place-items-center text-ink-soft" aria-busy="true">
          <h1 className="text-body font-normal">Signing in…</h1>
        </main>
      );
    case "signed-out":
      return <SignInPage reason={session.reason} ways={session.ways} />;
    case "signed-in":
      // Another person gets a new cache. The token of a team server changes while the same person goes on.
      return <SignedIn key={session.mode === "team" ? session.user.id : session.token} />;
  }
}

function SignedIn() {
  const [queries] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: {
            staleTime: 10_000,
            retry: (count, fault) => fault instanceof ApiFault && fault.kind === "unreachable" && count < 1,
            retryDelay: 500,
          },
        },
      }),
  );
  const [router] = useState(createAppRouter);
  useEffect(() => loadOtherScreens(router), [router]);
  return (
    <QueryClientProvider client={queries}>
      <LiveProvider>
        <RouterProvider router={router} />
      </LiveProvider>
    </QueryClientProvider>
  );
}

/**
 * Loads the code of the other screens after the first one is shown, a few kilobytes each. Without it, navigation would fail while the
 * server is unreachable.
 */
function loadOtherScreens(router: ReturnType<typeof createAppRouter>): () => void {
  const timer = setTimeout(() => {
    for (const route of Object.values(router.routesById)) void router.loadRouteChunk(route)?.catch(() => undefined);
  }, 500);
  return () => clearTimeout(timer);
}
