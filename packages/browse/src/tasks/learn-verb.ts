/**
 * Makes a verb of recorded evidence.
 *
 * - `verbFrom(commands, records)` pure: the steps that did something; what was typed or chosen becomes a value that the verb
 *   takes, named after its field. Secrets were not recorded, so they must be given.
 */
import type { AnyBrowseCommand } from "../command.ts";
import type { CommandBody, DurableTarget } from "../journal/index.ts";
import { expectationOf } from "./expectation.ts";
import { slug } from "./slug.ts";
import type { Verb, VerbStep } from "./verb-file.ts";

/** Arguments that a person would choose differently the next time. */
const chosen: Readonly<Record<string, string>> = { fill: "value", type: "text", select: "options" };
const left = new Set(["tab", "newtab", "closetab", "download", "state load", "state save", "cookie-import"]);

export function verbFrom(commands: readonly CommandBody[], records: readonly AnyBrowseCommand[]): Verb {
  const takes: Record<string, string | null> = {};
  const steps = commands.flatMap((body): VerbStep[] => {
    const record = records.find(({ name }) => name === body.command);
    const isStep = body.effect === "write" || body.command === "wait";
    if (!record || !isStep || left.has(body.command) || body.outcome.kind === "failed") return [];
    const on = body.targets.target;
    const given = Object.entries(withoutDefaults(record, body.input)).filter(([key]) => !(key === "target" && on));
    const input = Object.fromEntries(
      given.map(([key, value]) => (chosen[body.command] === key ? [key, taken(takes, on?.name, value)] : [key, value])),
    );
    const known = Object.values(takes).filter((value) => value !== null);
    const expect = expectationOf(body.command, body.outcome, known);
    return [
      {
        do: body.command,
        ...(on && { on: targetOf(on) }),
        ...(Object.keys(input).length > 0 && { with: input }),
        ...(expect && { expect }),
      },
    ];
  });
  return { takes, steps };
}

const targetOf = ({ role, name, selector, after, before }: DurableTarget): VerbStep["on"] => ({
  ...{ role, name, selector },
  ...(after !== undefined && { after }),
  ...(before !== undefined && { before }),
});

/** Notes the value under a free name, and gives the placeholder for it. */
function taken(takes: Record<string, string | null>, field: string | undefined, value: unknown): unknown {
  const base = slug(field ?? "") || "value";
  let name = base;
  for (let number = 2; name in takes; number++) name = `${base}-${number}`;
  const text = String(Array.isArray(value) ? value[0] : value);
  takes[name] = /^\{\{SECRET_\d+\}\}$/.test(text) ? null : text;
  return Array.isArray(value) ? [`{${name}}`, ...value.slice(1)] : `{${name}}`;
}

function withoutDefaults({ args }: AnyBrowseCommand, input: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(input).filter(([key, value]) => {
      const { [key]: _, ...others } = input;
      const parsed = args.safeParse(others);
      return !parsed.success || JSON.stringify(parsed.data[key]) !== JSON.stringify(value);
    }),
  );
}
