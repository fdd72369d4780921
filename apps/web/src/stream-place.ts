/**
 * Gives up the live stream of a page that nobody looks at. A browser opens six connections to a site over HTTP/1.1, and every stream keeps
 * one: with seven tabs, or six pages that the back button keeps, the next page could not even ask for its data.
 *
 * - `followVisibility(pause)` pauses the stream of a page that was left or is hidden; returns what ends it.
 *
 * Of all hidden tabs one keeps its stream, for the notices about gates. The tabs agree about which one by a lock of the browser; where there
 * is none (plain HTTP to another machine), a hidden tab keeps its stream.
 */
const lockName = "devflow: the stream of hidden tabs";

export function followVisibility(pause: (isPaused: boolean) => void): () => void {
  let hidden: AbortController | undefined;
  let isLeft = false;

  function look(): void {
    if (!isLeft && document.visibilityState === "visible") {
      hidden?.abort();
      hidden = undefined;
      pause(false);
    } else if (isLeft) {
      hidden?.abort();
      hidden = undefined;
      pause(true);
    } else if (!hidden && "locks" in navigator) {
      hidden = new AbortController();
      pause(true);
      void keepForAll(hidden.signal);
    }
  }

  async function keepForAll(signal: AbortSignal): Promise<void> {
    try {
      await navigator.locks.request(lockName, { signal }, async () => {
        if (signal.aborted) return;
        pause(false);
        await new Promise<void>((end) => signal.addEventListener("abort", () => end(), { once: true }));
      });
    } catch {
      // The page is shown again, or was left, before its turn came.
    }
  }

  const leave = () => {
    isLeft = true;
    look();
  };
  const come = () => {
    isLeft = false;
    look();
  };
  document.addEventListener("visibilitychange", look);
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", come);
  return () => {
    document.removeEventListener("visibilitychange", look);
    window.removeEventListener("pagehide", leave);
    window.removeEventListener("pageshow", come);
    hidden?.abort();
  };
}
