/**
 * A screen whose code is loaded when it is first opened.
 *
 * If code cannot be loaded, the router reloads the page. While the server is unreachable that would end in the browser's error page,
 * so the error is turned into one that the screen shows itself.
 */
import { lazyRouteComponent } from "@tanstack/react-router";
import { ApiFault } from "../model/api-fault.ts";

export function screen<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent<Module, Name>(
    () =>
      load().catch((cause: unknown) => {
        const what =
          "This screen could not be loaded: the server is not responding, or was updated after this page was opened.";
        throw new ApiFault("unreachable", what, "devflow up -d", { cause });
      }),
    name,
  );
}
