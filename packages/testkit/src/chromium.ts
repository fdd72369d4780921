/** The Chromium of this machine, as tests start it: `chromium.launch(testChromium())`. */
const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Tests may run as root, where Chromium has no sandbox, and ask nothing of the network but what they test. */
const switches = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export function testChromium(): { readonly executablePath: string; readonly args: string[] } {
  const [executablePath] = names.flatMap((name) => Bun.which(name) ?? []);
  if (executablePath === undefined) {
    throw new Error("There is no Chromium on the PATH. npm test installs it; by hand: apt-get install chromium");
  }
  return { executablePath, args: [...switches] };
}
