/**
 * What `policy allow` and `policy block` set, stored in the workspace. Rules can only narrow what may be reached, so an
 * untrusted file permits nothing new.
 */
import { rm } from "node:fs/promises";
import { readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import { parseJson } from "@devflow/core/read-if-there";
import { z } from "zod";
import type { PolicyRules } from "../command.ts";
import { alwaysForbidden, type HostRules } from "./url-policy.ts";

const RulesFile = z.object({ allow: z.array(z.string()), block: z.array(z.string()) });

export class WorkspaceRules implements PolicyRules {
  readonly #path: string;
  readonly #configured: readonly string[];
  #rules: HostRules = { allow: [], block: [] };

  readonly #onChange: () => void;

  constructor(path: string, configured: readonly string[], onChange: () => void = () => {}) {
    this.#path = path;
    this.#configured = configured;
    this.#onChange = onChange;
  }

  async load(): Promise<void> {
    const text = await readPrivateFile(this.#path).catch(() => undefined);
    if (text === undefined) return;
    // An unreadable file must not permit what it had forbidden.
    const parsed = RulesFile.safeParse(parseJson(text));
    this.#rules = parsed.success ? parsed.data : { allow: ["invalid"], block: [] };
  }

  inForce(): readonly HostRules[] {
    return [{ allow: this.#configured, block: [] }, this.#rules];
  }

  describe() {
    const allow = this.#rules.allow.length > 0 ? this.#rules.allow : this.#configured;
    return { allow, block: this.#rules.block, always: alwaysForbidden };
  }

  async allow(hosts: readonly string[]): Promise<void> {
    await this.#change({ ...this.#rules, allow: [...new Set([...this.#rules.allow, ...hosts])] });
  }

  async block(hosts: readonly string[]): Promise<void> {
    await this.#change({ ...this.#rules, block: [...new Set([...this.#rules.block, ...hosts])] });
  }

  async reset(): Promise<void> {
    this.#rules = { allow: [], block: [] };
    await rm(this.#path, { force: true });
  }

  async #change(rules: HostRules): Promise<void> {
    this.#rules = rules;
    this.#onChange();
    await writeFileAtomic(this.#path, `${JSON.stringify(rules)}\n`);
  }
}
