/** The top bar: team, repository, search, open gates, and whether the page is current. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useIsTeamServer } from "../app-context.tsx";
import { useWaitingCount } from "../features/runs/run-queries.ts";
import { Icon } from "../parts/icon.tsx";
import { isMac, Keys } from "../parts/kbd.tsx";
import { useIsEvalsOnly, useRepos, useStatus, useTeam } from "../queries.ts";
import { LiveIndicator } from "./live-indicator.tsx";

export function TopBar({ onSearch }: { onSearch: () => void }) {
  const status = useStatus();
  const isEvalsOnly = useIsEvalsOnly();
  const isTeam = useIsTeamServer();
  return (
    <header className="sticky top-0 z-10 flex h-14 items-center gap-1 border-b border-line bg-canvas px-2 wide:gap-2 wide:px-8">
      {/* Hidden until the names are known, so that the pickers do not shift. */}
      <div className={`flex min-w-0 items-center gap-1 wide:gap-2 ${status.isPending ? "invisible" : ""}`}>
        {isEvalsOnly ? (
          <span className="truncate text-ink-soft">Eval results on this machine</span>
        ) : (
          <>
            <TeamPicker />
            <span aria-hidden="true" className="text-ink-soft">
              /
            </span>
            <RepositoryPicker />
          </>
        )}
      </div>
      <button
        type="button"
        onClick={onSearch}
        aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"}
        className="ml-auto flex h-8 min-w-8 items-center justify-center gap-2 rounded-small border border-line bg-sunken px-2 text-ink-soft hover:bg-hover hover:text-ink"
      >
        <Icon name="search" />
        <span className="sr-only broad:not-sr-only broad:w-48 broad:text-left broad:whitespace-nowrap">
          Search or copy a command
        </span>
        <span className="hidden wide:inline" aria-hidden="true">
          <Keys keys={["Mod", "K"]} />
        </span>
      </button>
      {!isEvalsOnly && !isTeam && <Waiting />}
      <LiveIndicator />
    </header>
  );
}

/** The number of open gates and permission requests; on a phone the only link to them. */
function Waiting() {
  const count = useWaitingCount();
  return (
    <Link
      to="/approvals"
      className={`flex h-8 min-w-8 shrink-0 items-center justify-center gap-1 rounded-small px-2 text-meta font-medium hover:bg-hover ${count > 0 ? "text-warn" : "text-ink-soft"}`}
    >
      <Icon name="approvals" />
      {count > 0 && <span className="tabular-nums">{count}</span>}
      <span className="sr-only">
        {count === 0 ? "Nothing waits" : count === 1 ? "question waits" : "questions wait"} for you
      </span>
    </Link>
  );
}

function TeamPicker() {
  const status = useStatus();
  const team = useTeam();
  const navigate = useNavigate();
  const teams = status.data?.teams ?? [];
  return (
    <Picker
      label="Team"
      value={team?.slug ?? ""}
      onPick={(slug) => void navigate({ to: ".", search: (now) => ({ ...now, team: slug, repo: undefined }) })}
    >
      {teams.length === 0 && <option value="">No team</option>}
      {teams.map((each) => (
        <option key={each.id} value={each.slug}>
          {each.name}
        </option>
      ))}
    </Picker>
  );
}

function RepositoryPicker() {
  const repos = useRepos();
  const { repo } = useSearch({ from: "__root__" });
  const navigate = useNavigate();
  const list = repos.data ?? [];
  const unknown = repo !== undefined && !list.some((each) => each.name === repo);
  return (
    <Picker
      label="Repository"
      value={repo ?? ""}
      onPick={(name) => void navigate({ to: ".", search: (now) => ({ ...now, repo: name || undefined }) })}
    >
      <option value="">All repositories</option>
      {unknown && <option value={repo}>{repo}</option>}
      {list.map((each) => (
        <option key={each.id} value={each.name}>
          {each.name}
        </option>
      ))}
    </Picker>
  );
}

function Picker(props: { label: string; value: string; onPick: (value: string) => void; children: ReactNode }) {
  return (
    <select
      aria-label={props.label}
      value={props.value}
      onChange={(event) => props.onPick(event.target.value)}
      className="h-8 min-w-0 max-w-28 truncate rounded-small bg-canvas px-1 font-medium hover:bg-hover wide:max-w-56"
    >
      {props.children}
    </select>
  );
}
