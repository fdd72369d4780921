/** Decisions: searched by words, or listed newest first. */
import type { FoundDecision } from "@devflow/protocol";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Page, Panel } from "../../parts/page.tsx";
import { BrainNav } from "./brain-nav.tsx";
import { useBrain } from "./brain-queries.ts";
import { DecisionLine, List } from "./rows.tsx";

const typingMs = 200;

export function DecisionsPage() {
  const { q, all, type } = useSearch({ from: "/brain/decisions" });
  const navigate = useNavigate({ from: "/brain/decisions" });
  const [typed, setTyped] = useState(q ?? "");
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed !== (q ?? ""))
        void navigate({ search: (old) => ({ ...old, q: typed === "" ? undefined : typed }), replace: true });
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed, q, navigate]);
  const chosen = { ...(type ? { types: [type] } : {}), ...(all ? { states: null } : {}) };
  const isSearching = q !== undefined;
  const listed = useBrain("decisions", "list_decisions", { ...chosen, max_rows: 200 }, { enabled: !isSearching });
  const found = useBrain(
    "decisions",
    "search_decisions",
    { ...chosen, query: q ?? "", max_rows: 50 },
    { enabled: isSearching },
  );
  return (
    <Page title="Decisions" lead="What was decided, learned and frozen, and why." above={<BrainNav />}>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <input
          type="search"
          aria-label="Search decisions"
          placeholder="Words, or a question"
          value={typed}
          maxLength={500}
          onChange={(event) => setTyped(event.target.value)}
          className="h-9 min-w-0 flex-1 basis-60 rounded-small border border-line-strong bg-raised px-3"
        />
        <select
          aria-label="Type"
          value={type ?? ""}
          onChange={(event) =>
            void navigate({
              search: (old) => ({ ...old, type: (event.target.value || undefined) as typeof type }),
              replace: true,
            })
          }
          className="h-9 rounded-small border border-line-strong bg-raised px-2"
        >
          <option value="">All types</option>
          <option value="decision">Decisions</option>
          <option value="learning">Learnings</option>
          <option value="freeze">Freezes</option>
        </select>
        <label className="flex items-center gap-2 text-meta">
          <input
            type="checkbox"
            checked={all === true}
            onChange={(event) =>
              void navigate({
                search: (old) => ({ ...old, all: event.target.checked ? true : undefined }),
                replace: true,
              })
            }
          />
          Also what no longer holds
        </label>
      </div>
      <Panel title={isSearching ? "Best first" : "Newest first"}>
        {isSearching ? (
          <List rows={found} empty="No decision was found">
            {(row: FoundDecision) => <DecisionLine row={row} reasons={row.reasons} />}
          </List>
        ) : (
          <List rows={listed} empty="No decisions yet" command="devflow brain decide import docs/adr">
            {(row) => <DecisionLine row={row} />}
          </List>
        )}
      </Panel>
    </Page>
  );
}
