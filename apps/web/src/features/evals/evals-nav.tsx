/** Links between the eval screens; they keep the selected suite. */
import { SectionNav } from "../../parts/section-nav.tsx";

const links = [
  { to: "/evals", title: "Runs" },
  { to: "/evals/compare", title: "Compare" },
  { to: "/evals/trends", title: "Trends" },
  { to: "/evals/cost", title: "Cost" },
  { to: "/evals/judges", title: "Judges" },
  { to: "/evals/watch", title: "Watch" },
] as const;

export function EvalsNav({ suite, tier }: { suite?: string | undefined; tier?: string | undefined }) {
  return <SectionNav label="Evals" links={links.map((link) => ({ ...link, search: { suite, tier } }))} />;
}
