/** Links between the team's screens; the team and the repository in the address stay. */
import { SectionNav } from "../../parts/section-nav.tsx";

const links = [
  { to: "/team/pulse", title: "Pulse" },
  { to: "/team/velocity", title: "Velocity" },
  { to: "/team/evals", title: "Evals" },
  { to: "/team/cost", title: "Cost" },
  { to: "/team/qa", title: "QA" },
  { to: "/team/reviews", title: "Reviews" },
  { to: "/team/agents", title: "Agents" },
  { to: "/team/records", title: "Records" },
  { to: "/team", title: "People" },
  { to: "/team/settings", title: "Settings" },
] as const;

export function TeamNav() {
  return <SectionNav label="Team" links={links.map((link) => ({ ...link, search: {} }))} />;
}
