/** Links between the brain's screens. */
import { SectionNav } from "../../parts/section-nav.tsx";

const links = [
  { to: "/brain", title: "Now" },
  { to: "/brain/decisions", title: "Decisions" },
  { to: "/brain/intents", title: "Intents" },
  { to: "/brain/handoffs", title: "Handoffs" },
  { to: "/brain/files", title: "Files" },
] as const;

export function BrainNav() {
  return <SectionNav label="Brain" links={links} />;
}
