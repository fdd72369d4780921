/** Intents and handoffs, newest first. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Page, Panel } from "../../parts/page.tsx";
import { BrainNav } from "./brain-nav.tsx";
import { useBrain } from "./brain-queries.ts";
import { HandoffLine, IntentLine, List } from "./rows.tsx";

export function IntentsPage() {
  const { all } = useSearch({ from: "/brain/intents" });
  const navigate = useNavigate({ from: "/brain/intents" });
  const intents = useBrain("intents", "list_intents", { ...(all ? {} : { states: ["active"] }), max_rows: 200 });
  return (
    <Page title="Intents" lead="What people and agents are about to do." above={<BrainNav />}>
      <Panel
        title={all ? "All intents" : "Active intents"}
        aside={
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
            Also shipped and abandoned
          </label>
        }
      >
        <List rows={intents} empty="No intents yet" command='devflow brain intent write "…"'>
          {(row) => <IntentLine row={row} />}
        </List>
      </Panel>
    </Page>
  );
}

export function HandoffsPage() {
  const handoffs = useBrain("handoffs", "list_handoffs", { max_rows: 200 });
  return (
    <Page title="Handoffs" lead="The notes that sessions left for those who go on." above={<BrainNav />}>
      <Panel title="Newest first">
        <List rows={handoffs} empty="No handoffs yet" command="devflow brain handoff auto">
          {(row) => <HandoffLine row={row} />}
        </List>
      </Panel>
    </Page>
  );
}
