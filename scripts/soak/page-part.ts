/**
 * Parts of docs/reliability.md, each with a heading of its own, which are measured and written apart. Pure.
 *
 * - `headings` the parts, in the order of the page.
 * - `partOf(page, heading)` the part as it stands on the page, or nothing.
 * - `withPart(page, heading, part)` the page with a new one.
 */
export const headings = { fleet: "\n## Fleet\n", team: "\n## Team sync\n", agents: "\n## Real agents\n" } as const;
type Heading = (typeof headings)[keyof typeof headings];

export function partOf(page: string, heading: Heading): string {
  const at = page.indexOf(heading);
  if (at < 0) return "";
  const next = page.indexOf("\n## ", at + heading.length);
  return next < 0 ? page.slice(at) : page.slice(at, next);
}

export function withPart(page: string, heading: Heading, part: string): string {
  const old = partOf(page, heading);
  const rest = old === "" ? page : page.replace(old, () => "");
  const order = Object.values(headings);
  const places = order.slice(order.indexOf(heading) + 1).map((one) => rest.indexOf(one));
  const at = places.find((place) => place >= 0) ?? rest.length;
  return rest.slice(0, at) + part + rest.slice(at);
}
