/**
 * Chromium's life: started on first use, driven through a pipe that no other process can reach, ended with the daemon.
 *
 * - `ensure()` the running browser, started when there is none.
 * - `close()` ends it and waits until it is gone.
 * - `onLost` is called when it ended by itself.
 */
import type { Environment } from "@devflow/core/environment";
import { liveProcess } from "@devflow/core/process-table";
import type { Browser, CDPSession } from "playwright-core";
import { explainFailure } from "./explain-failure.ts";
import { decideSandbox, findChromium, type Sandbox } from "./find-chromium.ts";
import { type Guard, startGuard } from "./guard.ts";

export interface ChromiumOptions {
  readonly configuredPath: string | undefined;
  readonly sandbox: "auto" | "on" | "off";
  readonly searchFolders: readonly string[];
  readonly env: Environment;
  /** All connections go through it. */
  readonly proxyPort: () => number;
  readonly onLost: () => void;
}

export interface RunningChromium {
  readonly browser: Browser;
  /** Answers from the browser's own process: no page can make it wait. */
  readonly cdp: CDPSession;
  readonly pid: number;
  readonly version: string;
  readonly path: string;
}

/** What Chromium may know of this machine. Nothing of Devflow's, no keys, no tokens. */
const passedOn =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|FONTCONFIG_\w+|DEVFLOW_TEST_TAG)$/;

export function chromiumEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => passedOn.test(entry[0]) && entry[1] !== undefined),
  );
}

/** No port, nothing that phones home, nothing beside the proxy. */
export function chromiumArguments(proxyPort: number): string[] {
  return [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-crash-reporter",
    // Chromium tries failed pages again by itself, into the middle of the next command.
    "--disable-auto-reload",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--metrics-recording-only",
    `--proxy-server=socks5://127.0.0.1:${proxyPort}`,
    // Also for loopback: by default Chromium goes there without the proxy.
    "--proxy-bypass-list=<-loopback>",
    // Names are looked up by the proxy alone, so that what was checked is what is connected to.
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

  /** A window instead of none, from the next start on. */
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

  /** Did this go wrong because Chromium ended in the middle of it? */
  wasLost(error: unknown): boolean {
    const said = error instanceof Error ? `${error.message} ${(error.cause as Error | undefined)?.message ?? ""}` : "";
    return (
      !this.#running?.browser.isConnected() && /has been closed|Target closed|disconnected|Process exited/i.test(said)
    );
  }

  /**
   * A browser that was just killed: Playwright knows only when the last of its processes has let go of the pipe, which
   * takes seconds. The rest of them is ended here, and the next command starts a new one at once.
   */
  settle(): void {
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
    // Playwright asks Chromium to close and kills its group when that takes too long.
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
    const cdp = await browser.newBrowserCDPSession();
    const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
    const pid = processInfo.find(({ type }) => type === "browser")?.id ?? 0;
    const running = { browser, cdp, pid, version: browser.version(), path };
    browser.on("disconnected", () => this.#ended(running));
    this.#running = running;
    if (!browser.isConnected()) this.#ended(running);
    else void this.#watchOver(running, env);
    return running;
  }

  /** Beside the first command, which does not wait for it. */
  async #watchOver(running: RunningChromium, env: NodeJS.ProcessEnv): Promise<void> {
    const guard = await startGuard(running.pid, env);
    if (this.#running === running) this.#guard = guard;
    else guard.dismiss();
  }

  #ended(which: RunningChromium): void {
    // One that was given up before may tell so when another runs already.
    if (this.#running !== which) return;
    this.#running = undefined;
    this.#hasEnded = true;
    this.#guard?.dismiss();
    this.#guard = undefined;
    if (!this.#isClosing) this.#options.onLost();
  }
}

/** A killed process loses its memory, and its command line with it, a moment before it counts as dead. */
function isDying(pid: number): boolean {
  return (liveProcess(pid)?.argv.length ?? 0) === 0;
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** The leader's pid alone only while it is known to be the leader's: pids are given again. */
function killGroup(pid: number, { alsoLeader } = { alsoLeader: true }): void {
  if (pid <= 1) return;
  for (const target of alsoLeader ? [-pid, pid] : [-pid]) {
    try {
      process.kill(target, "SIGKILL");
      return;
    } catch {
      // Not the leader of a group, or gone meanwhile.
    }
  }
}
