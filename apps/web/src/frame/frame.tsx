/** The frame around every screen: navigation, top bar, palette and keyboard shortcuts. */
import { Outlet, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { GateNotices } from "./gate-notices.tsx";
import { Navigation } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { TopBar } from "./top-bar.tsx";
import { useFrameKeys } from "./use-frame-keys.ts";

export function Frame() {
  const router = useRouter();
  const [open, setOpen] = useState<"" | "palette" | "shortcuts">("");
  useFrameKeys({ openPalette: () => setOpen("palette"), openShortcuts: () => setOpen("shortcuts") });

  useEffect(
    () =>
      router.subscribe("onRendered", (event) => {
        // Not on the first load: there a screen reader starts at the top of the page anyway.
        if (event.fromLocation && event.pathChanged) focusHeading();
      }),
    [router],
  );

  return (
    <div className="min-h-dvh wide:grid wide:grid-cols-[216px_minmax(0,1fr)]">
      <a
        href="#content"
        className="absolute top-2 left-2 z-20 -translate-y-16 rounded-small bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <Navigation />
      <GateNotices />
      <div className="flex min-w-0 flex-col">
        <TopBar onSearch={() => setOpen("palette")} />
        <main id="content" tabIndex={-1} className="outline-none min-w-0 flex-1 pb-16 wide:pb-0">
          <Outlet />
        </main>
      </div>
      {open === "palette" && <Palette onClose={() => setOpen("")} />}
      {open === "shortcuts" && <ShortcutsDialog onClose={() => setOpen("")} />}
    </div>
  );
}

function focusHeading(): void {
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
}
