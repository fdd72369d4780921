/** Links between the run screens. */
import { SectionNav } from "../../parts/section-nav.tsx";
import { useWaitingCount } from "./run-queries.ts";

const links = [
  { to: "/runs", title: "Runs" },
  { to: "/approvals", title: "Approvals" },
  { to: "/sessions", title: "Sessions" },
  { to: "/fleet", title: "Fleet" },
  { to: "/templates", title: "Templates" },
  { to: "/personas", title: "Personas" },
] as const;

export function RunsNav() {
  const waiting = useWaitingCount();
  const mark = waiting > 0 && <span className="text-warn tabular-nums">{waiting}</span>;
  return <SectionNav label="Runs" links={links.map((link) => ({ ...link, mark: link.to === "/approvals" && mark }))} />;
}
