/**
 * The Chromium of this machine, as tests start it: `chromium.launch(testChromium())`.
 *
 * The headless shell is the same engine without the windows that nobody sees here: a page in it costs a quarter of the
 * processor time (0.2 s instead of 0.9 s, Chromium 156). Where there is none, the whole browser does.
 */
const shellNames = ["chromium-headless-shell", "chrome-headless-shell"];
const wholeNames = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Tests may run as root, where Chromium has no sandbox, and ask nothing of the network but what they test. */
const switches = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** `isWhole`: never the shell, for what only a whole browser has, such as notifications. */
export function testChromium({ isWhole = false } = {}): { readonly executablePath: string; readonly args: string[] } {
  const names = isWhole ? wholeNames : [...shellNames, ...wholeNames];
  const [executablePath] = names.flatMap((name) => Bun.which(name) ?? []);
  if (executablePath === undefined) {
    throw new Error("There is no Chromium on the PATH. npm test installs it; by hand: apt-get install chromium");
  }
  return { executablePath, args: [...switches] };
}
