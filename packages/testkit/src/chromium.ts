/**
 * The Chromium of this machine, for tests: `chromium.launch(testChromium())`.
 *
 * The headless shell is the same engine without a user interface: a page takes a quarter of the CPU time (0.2 s instead of
 * 0.9 s, Chromium 156). Without it, the full browser is used.
 */
const shellNames = ["chromium-headless-shell", "chrome-headless-shell"];
const wholeNames = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Tests may run as root, where Chromium has no sandbox, and use no network except what they test. */
const switches = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** `isWhole`: never the shell, for features that only the full browser has, such as notifications. */
export function testChromium({ isWhole = false } = {}): { readonly executablePath: string; readonly args: string[] } {
  const names = isWhole ? wholeNames : [...shellNames, ...wholeNames];
  const [executablePath] = names.flatMap((name) => Bun.which(name) ?? []);
  if (executablePath === undefined) {
    throw new Error(
      "There is no Chromium on PATH. npm test installs it; to install it yourself: apt-get install chromium",
    );
  }
  return { executablePath, args: [...switches] };
}
