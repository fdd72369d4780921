/**
 * Chromium's lifecycle: started on first use, driven through a pipe that no other process can reach, stopped with the daemon.
 *
 * - `ensure()` the running browser, started if necessary.
 * - `close()` stops it and waits until it is gone.
 * - `onLost` is called when it ends unexpectedly.
 */
import type { Environment } from "@devflow/core/environment";
import { liveProcess } from "@devflow/core/process-table";
import type { Browser, CDPSession } from "playwright-core";
import { withoutFeatures } from "./chromium-features.ts";
import { explainFailure } from "./explain-failure.ts";
import { decideSandbox, findChromium, type Sandbox } from "./find-chromium.ts";
import { type Guard, startGuard } from "./guard.ts";

export interface ChromiumOptions {
  readonly configuredPath: string | undefined;
  readonly sandbox: "auto" | "on" | "off";
  readonly searchFolders: readonly string[];
  readonly env: Environment;
  /** All connections go through this proxy. */
  readonly proxyPort: () => number;
  readonly onLost: () => void;
}

export interface RunningChromium {
  readonly browser: Browser;
  /** Answers come from the browser process, so no page can delay them. */
  readonly cdp: CDPSession;
  readonly pid: number;
  readonly version: string;
  readonly path: string;
}

/** Variables that Chromium gets: none of Devflow's, no keys, no tokens. */
const allowedVariables =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|FONTCONFIG_\w+|DEVFLOW_TEST_TAG)$/;

export function chromiumEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => allowedVariables.test(entry[0]) && entry[1] !== undefined,
    ),
  );
}

/** No debugging port, no background requests, no connections around the proxy. */
export function chromiumArguments(proxyPort: number): string[] {
  return [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-crash-reporter",
    // Otherwise Chromium retries failed pages on its own, in the middle of the next command.
    "--disable-auto-reload",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--metrics-recording-only",
    withoutFeatures(),
    `--proxy-server=socks5://127.0.0.1:${proxyPort}`,
    // Loopback too: by default Chromium bypasses the proxy for it.
    "--proxy-bypass-list=<-loopback>",
    // Only the proxy resolves names, so that the address it checked is the address it connects to.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
  ];
}

export class Chromium {
  readonly sandbox: Sandbox;
  readonly #options: ChromiumOptions;
  #running: RunningChromium | undefined;
  #starting: Promise<RunningChromium> | undefined;
  #guard: Guard | undefined;
  #isClosing = false;
  #hasEnded = false;

  constructor(options: ChromiumOptions) {
    this.#options = options;
    this.sandbox = decideSandbox(options.sandbox, process.getuid?.() === 0);
  }

  get running(): RunningChromium | undefined {
    return this.#running;
  }

  /** Show a window, from the next start on. */
  hasWindow = false;

  get state(): "not started" | "running" | "ended" {
    if (this.#running) return "running";
    return this.#hasEnded ? "ended" : "not started";
  }

  ensure(): Promise<RunningChromium> {
    if (this.#running) return Promise.resolve(this.#running);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Whether this failed because Chromium ended during it. */
  wasLost(error: unknown): boolean {
    const message =
      error instanceof Error ? `${error.message} ${(error.cause as Error | undefined)?.message ?? ""}` : "";
    return (
      !this.#running?.browser.isConnected() &&
      /has been closed|Target closed|disconnected|Process exited/i.test(message)
    );
  }

  /**
   * Cleans up a browser that was just killed. Playwright notices only when the last of its processes has closed the pipe,
   * which takes seconds. This kills the remaining processes, so that the next command can start a new browser at once.
   */
  reapIfKilled(): void {
    const running = this.#running;
    if (!running || process.platform !== "linux" || !isDying(running.pid)) return;
    killGroup(running.pid, { alsoLeader: false });
    this.#ended(running);
  }

  async close(): Promise<void> {
    await this.#starting?.catch(() => {});
    const running = this.#running;
    if (!running) return;
    this.#isClosing = true;
    // Playwright asks Chromium to close and kills its process group if that takes too long.
    await Promise.race([running.browser.close().catch(() => {}), delay(5_000)]);
    if (this.#running === running) killGroup(running.pid);
    this.#isClosing = false;
  }

  async #start(): Promise<RunningChromium> {
    const path = findChromium({
      configured: this.#options.configuredPath,
      folders: this.#options.searchFolders,
      platform: process.platform,
    });
    const env = chromiumEnvironment(this.#options.env);
    const { chromium } = await import("playwright-core");
    const { preparePages } = await import("../page-world/ask-page.ts");
    const { withoutCallSites } = await import("../page-world/without-call-sites.ts");
    await preparePages();
    const browser = await chromium
      .launch({
        executablePath: path,
        headless: !this.hasWindow,
        chromiumSandbox: this.sandbox.isOn,
        args: chromiumArguments(this.#options.proxyPort()),
        env,
        handleSIGHUP: false,
        handleSIGINT: false,
        handleSIGTERM: false,
        timeout: 60_000,
      })
      .catch((error) => {
        throw explainFailure(error, { command: "start" });
      });
    const cdp = await withoutCallSites(await browser.newBrowserCDPSession());
    const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
    const pid = processInfo.find(({ type }) => type === "browser")?.id ?? 0;
    const running = { browser, cdp, pid, version: browser.version(), path };
    browser.on("disconnected", () => this.#ended(running));
    this.#running = running;
    if (!browser.isConnected()) this.#ended(running);
    else void this.#startGuard(running, env);
    return running;
  }

  /** Runs alongside the first command, which does not wait for it. */
  async #startGuard(running: RunningChromium, env: NodeJS.ProcessEnv): Promise<void> {
    const guard = await startGuard(running.pid, env);
    if (this.#running === running) this.#guard = guard;
    else guard.dismiss();
  }

  #ended(which: RunningChromium): void {
    // An abandoned browser may report its end when another one is already running.
    if (this.#running !== which) return;
    this.#running = undefined;
    this.#hasEnded = true;
    this.#guard?.dismiss();
    this.#guard = undefined;
    if (!this.#isClosing) this.#options.onLost();
  }
}

/** A killed process loses its memory, and with it its command line, a moment before it counts as dead. */
function isDying(pid: number): boolean {
  return (liveProcess(pid)?.argv.length ?? 0) === 0;
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** `alsoLeader` only while the pid is known to be the leader's, since pids are reused. */
function killGroup(pid: number, { alsoLeader } = { alsoLeader: true }): void {
  if (pid <= 1) return;
  for (const target of alsoLeader ? [-pid, pid] : [-pid]) {
    try {
      process.kill(target, "SIGKILL");
      return;
    } catch {
      // Not a group leader, or already gone.
    }
  }
}
