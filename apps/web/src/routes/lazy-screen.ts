/**
 * A screen whose code comes when it is first needed.
 *
 * The router answers code that cannot be loaded with a reload of the page. With the server gone that would trade a page which says so
 * for the browser's error page, so the fault is made one that the screen itself shows.
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
