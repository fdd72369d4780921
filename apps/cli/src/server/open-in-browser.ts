/** Opens a link in the user's browser. */
import { spawn } from "node:child_process";

/** Best effort: the link was printed anyway. */
export function openInBrowser(url: string): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
