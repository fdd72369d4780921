/**
 * The page where a person chooses the sites whose cookies an agent gets. It shows domains and counts, never a value.
 *
 * - `pickerPage(nonce)` the page, without any data, so that opening its URL shows nothing.
 * - `PickerState` what the page may request: the one-time code returns the list and a key, the key allows one import.
 *
 * The code is in the URL's fragment, which a browser does not send. A wrong code, a second use and a late use get the same
 * answer.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { DomainCount } from "./imported-cookie.ts";

const openRequest = z.object({ code: z.string().max(200) });
const importRequest = z.object({ key: z.string().max(200), domains: z.array(z.string().max(300)).max(10_000) });

export interface PickerAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface PickerTask {
  readonly browser: string;
  readonly domains: readonly DomainCount[];
  /** Imports the chosen domains' cookies into the session; returns how many. */
  readonly choose: (domains: readonly string[]) => Promise<number>;
}

const tries = 5;

export class PickerState {
  readonly code = randomBytes(24).toString("base64url");
  readonly #task: PickerTask;
  #key: string | undefined;
  #failures = 0;
  #isSpent = false;

  constructor(task: PickerTask) {
    this.#task = task;
  }

  /** No further request is accepted. */
  get isSpent(): boolean {
    return this.#isSpent || this.#failures >= tries;
  }

  async answer(path: string, body: unknown): Promise<PickerAnswer> {
    if (this.isSpent) return refused;
    if (path === "/open") return this.#open(openRequest.safeParse(body).data?.code);
    if (path === "/import") return await this.#import(importRequest.safeParse(body).data);
    return { status: 404, body: { error: "Not found." } };
  }

  #open(code: string | undefined): PickerAnswer {
    if (this.#key !== undefined || code === undefined || !isSame(code, this.code)) return this.#refuse();
    this.#key = randomBytes(24).toString("base64url");
    const { browser, domains } = this.#task;
    return { status: 200, body: { key: this.#key, browser, domains } };
  }

  async #import(request: z.output<typeof importRequest> | undefined): Promise<PickerAnswer> {
    if (!request || this.#key === undefined || !isSame(request.key, this.#key)) return this.#refuse();
    this.#isSpent = true;
    const known = new Set(this.#task.domains.map(({ domain }) => domain));
    const imported = await this.#task.choose(request.domains.filter((domain) => known.has(domain)));
    return { status: 200, body: { imported } };
  }

  #refuse(): PickerAnswer {
    this.#failures += 1;
    return refused;
  }
}

const refused: PickerAnswer = {
  status: 403,
  body: { error: "This page was already used or has expired. Start again: devflow browse cookie-import <browser>" },
};

/** By digest, so that timing reveals neither length nor similarity. */
function isSame(shown: string, kept: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(shown), digest(kept));
}

export function pickerPage(nonce: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Cookies for the agent's browser</title>
<style nonce="${nonce}">
body { font: 15px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
ul { list-style: none; padding: 0; max-height: 60vh; overflow: auto; border: 1px solid #ccc; border-radius: 6px }
li label { display: flex; gap: .6rem; padding: .3rem .8rem } li:nth-child(even) { background: #f6f6f6 }
.count { margin-left: auto; color: #666 } input[type=search] { width: 100%; padding: .4rem; box-sizing: border-box }
button { font: inherit; padding: .5rem 1rem }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1a1a1a } li:nth-child(even) { background: #242424 } ul { border-color: #444 } }
</style>
<h1>Which sites may the agent use as you?</h1>
<p id="say" role="status">Loading …</p>
<form hidden><input type="search" aria-label="Find a site" placeholder="Find a site"><ul></ul><button>Import into the agent's browser</button></form>
<script nonce="${nonce}">
const say = document.querySelector("#say"), form = document.querySelector("form"), list = document.querySelector("ul");
const ask = async (path, body) => {
  const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.error);
  return content;
};
const fail = (error) => { form.hidden = true; say.textContent = error.message; };
const code = location.hash.slice(1);
history.replaceState(null, "", "/");
ask("/open", { code }).then(({ key, browser, domains }) => {
  say.textContent = "Sites with cookies in " + browser + ". Values are never shown.";
  for (const { domain, count } of domains) {
    const item = document.createElement("li"), label = document.createElement("label"), box = document.createElement("input"), number = document.createElement("span");
    box.type = "checkbox"; box.value = domain; number.className = "count"; number.textContent = count;
    label.append(box, domain, number); item.append(label); list.append(item);
  }
  form.hidden = false;
  document.querySelector("input[type=search]").oninput = (event) => {
    for (const item of list.children) item.hidden = !item.textContent.includes(event.target.value.toLowerCase());
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    const chosen = [...list.querySelectorAll(":checked")].map(({ value }) => value);
    ask("/import", { key, domains: chosen }).then(({ imported }) => {
      form.hidden = true; say.textContent = imported + " cookies were imported. You can close this page.";
    }).catch(fail);
  };
}).catch(fail);
</script></html>
`;
}
