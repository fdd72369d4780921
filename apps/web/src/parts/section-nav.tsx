/**
 * Links between the screens of a system, above each of them. Where they do not fit, the row can be scrolled; the current one is in view.
 * A scroll bar under it would be taller than the links.
 */
import { Link, type LinkProps } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";

export interface SectionLink {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly search?: NonNullable<LinkProps["search"]>;
  readonly title: string;
  readonly mark?: ReactNode;
}

export function SectionNav({ label, links }: { label: string; links: readonly SectionLink[] }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, []);
  return (
    <nav ref={nav} aria-label={label} className="-mx-1 mb-4 flex gap-1 overflow-x-auto [scrollbar-width:none]">
      {links.map(({ to, search, title, mark }) => (
        <Link
          key={to}
          to={to}
          {...(search && { search })}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: "bg-hover text-ink", "aria-current": "page" }}
          inactiveProps={{ className: "text-ink-soft hover:text-ink" }}
          className="flex h-7 shrink-0 items-center gap-1 rounded-small px-2 text-meta font-medium outline-offset-[-2px]"
        >
          {title}
          {mark}
        </Link>
      ))}
    </nav>
  );
}
