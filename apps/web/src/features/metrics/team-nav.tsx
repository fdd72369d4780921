/** Links between the team's screens; the team and the repository in the address stay. */
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

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
  const nav = useRef<HTMLElement>(null);
  // On a phone the list is wider than the screen.
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, []);
  return (
    <nav ref={nav} aria-label="Team" className="-mx-1 mb-4 flex gap-1 overflow-x-auto">
      {links.map(({ to, title }) => (
        <Link
          key={to}
          to={to}
          search={{}}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: "bg-hover text-ink", "aria-current": "page" }}
          inactiveProps={{ className: "text-ink-soft hover:text-ink" }}
          className="flex h-7 shrink-0 items-center rounded-small px-2 text-meta font-medium outline-offset-[-2px]"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
