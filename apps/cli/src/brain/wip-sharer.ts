/**
 * Work in progress of this machine's agents, shared where their repository has turned it on (`"hooks": {"wip": true}`, committed).
 *
 * - `turn(present)` shares at most once a minute per agent, one after the other, and waits for none of it; of agents that are gone, it
 *   takes it back.
 * - `stop()` takes all of it back, as far as that is possible in a few seconds.
 *
 * Best effort: a remote that cannot be reached or refuses it leaves a line in the hooks' log, and is tried again after a while.
 */
import { hookSettings } from "@devflow/brain/hooks";
import type { Presence } from "@devflow/brain/presence";
import type { SharedWip } from "@devflow/brain/wip";
import type { Environment } from "@devflow/core/config";
import type { Home } from "@devflow/core/home";
import { parseJson } from "@devflow/core/read-if-there";
import { logHookFault } from "../hooks/hook-log.ts";

const everyMs = 60_000;
const afterFaultMs = 10 * 60_000;
const limitMs = 20_000;
const lastLimitMs = 5_000;

interface Shared {
  readonly folder: string;
  readonly wip: SharedWip;
  readonly nextMs: number;
}

export class WipSharer {
  readonly #ports: { readonly home: Home; readonly env: Environment };
  readonly #shared = new Map<string, Shared>();
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(ports: { readonly home: Home; readonly env: Environment }) {
    this.#ports = ports;
  }

  turn(present: readonly Presence[]): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#work = this.#share(present).finally(() => {
      this.#isBusy = false;
    });
  }

  async stop(): Promise<void> {
    await this.#work;
    for (const agent of this.#shared.keys()) await this.#drop(agent, lastLimitMs);
  }

  async #share(present: readonly Presence[]): Promise<void> {
    const ids = new Set(present.map(({ agent }) => agent.id));
    for (const agent of this.#shared.keys()) if (!ids.has(agent)) await this.#drop(agent, limitMs);
    for (const one of present) await this.#shareOne(one);
  }

  async #shareOne({ agent, folder }: Presence): Promise<void> {
    const before = this.#shared.get(agent.id);
    if (folder === undefined || Date.now() < (before?.nextMs ?? 0)) return;
    const wip = before?.wip ?? { tree: undefined };
    const next = (ms: number, now: SharedWip) =>
      this.#shared.set(agent.id, { folder, wip: now, nextMs: Date.now() + ms });
    try {
      if (!(await this.#isWanted(folder))) return void next(everyMs, wip);
      const { shareWip } = await import("@devflow/brain/wip");
      const of = { agent: agent.id, who: agent.handle ?? agent.host, last: wip };
      next(everyMs, await shareWip(this.#place(folder, limitMs), of));
    } catch (error) {
      next(afterFaultMs, wip);
      this.#tell(agent.host, error);
    }
  }

  /** As committed: an agent could write into the file in its worktree. */
  async #isWanted(folder: string): Promise<boolean> {
    const { git } = await import("@devflow/git");
    const place = { ...this.#place(folder, limitMs), answers: [128] };
    const { stdout, exit } = await git(["show"], { ...place, revisions: ["HEAD:./.devflow.json"] });
    return exit === 0 && hookSettings(parseJson(stdout)).sharesWip;
  }

  async #drop(agent: string, ms: number): Promise<void> {
    const { folder, wip } = this.#shared.get(agent) ?? {};
    this.#shared.delete(agent);
    if (folder === undefined || wip?.tree === undefined) return;
    try {
      const { dropWip } = await import("@devflow/brain/wip");
      await dropWip(this.#place(folder, ms), agent);
    } catch (error) {
      this.#tell("git", error);
    }
  }

  #place(cwd: string, ms: number) {
    return { cwd, env: this.#ports.env, signal: AbortSignal.timeout(ms) };
  }

  #tell(host: string, error: unknown): void {
    const problem = `work in progress was not shared: ${error instanceof Error ? error.message : String(error)}`;
    logHookFault(this.#ports.home, { host, moment: "wip", problem });
  }
}
