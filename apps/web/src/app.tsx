/** Which of three things the tab shows: signing in, how to sign in, or the app. */
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
      return <SignInPage reason={session.reason} />;
    case "signed-in":
      // Another person's or another token's data is never shown again: a new token, a new cache.
      return <SignedIn key={session.token} />;
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
 * The screens that were not opened yet, once the first one stands: a few kilobytes each. Without them a navigation would need the server,
 * and show the browser's own error page where ours says that the connection is lost.
 */
function loadOtherScreens(router: ReturnType<typeof createAppRouter>): () => void {
  const timer = setTimeout(() => {
    for (const route of Object.values(router.routesById)) void router.loadRouteChunk(route)?.catch(() => undefined);
  }, 500);
  return () => clearTimeout(timer);
}
