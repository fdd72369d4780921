/**
 * What a person does, and how it becomes commands.
 *
 * - `parseAct(text)` what a page's world tells; undefined when it is not an act.
 * - `replaces(next, before)` pure: the next act is the same one, continued: typing after the click into a field, more typing,
 *   another choice, the second click of two.
 * - `didOf(act)` for the receipt.
 */
import { z } from "zod";
import type { PageReading } from "../page-world/questions.ts";
import { quote } from "../snapshot/line.ts";

const shape = z.object({
  do: z.enum(["click", "dblclick", "fill", "select", "press", "upload"]),
  on: z.object({
    selector: z.string().min(1),
    role: z.string(),
    name: z.string(),
    isSecret: z.boolean(),
    document: z.string(),
    ref: z.string(),
  }),
  with: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  look: z
    .object({ state: z.custom<PageReading>((value) => typeof value === "object"), url: z.string(), title: z.string() })
    .optional(),
});

export type Act = z.output<typeof shape>;

export function parseAct(text: string): Act | undefined {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const continued: Readonly<Record<string, readonly Act["do"][]>> = {
  fill: ["click", "dblclick", "fill"],
  select: ["click", "select"],
  upload: ["click", "upload"],
  dblclick: ["click"],
};

export function replaces(next: Act, before: Act): boolean {
  const isSame = next.on.selector === before.on.selector && next.on.document === before.on.document;
  return isSame && (continued[next.do]?.includes(before.do) ?? false);
}

const done: Readonly<Record<Act["do"], string>> = {
  click: "clicked",
  dblclick: "double-clicked",
  fill: "filled",
  select: "selected",
  press: "pressed",
  upload: "uploaded",
};

export function didOf({ do: what, on, with: given }: Act): string {
  const target = `${on.role || "element"}${on.name ? ` ${quote(on.name, 80)}` : ""}`;
  return what === "press" ? `pressed ${String(given.key)} in ${target}` : `${done[what]} ${target}`;
}
