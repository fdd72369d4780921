/** Settings of this browser (theme, notifications, session), facts about the server, and the shortcuts. */
import { useState } from "react";
import { useIsTeamServer, useServices, useSessionState } from "../../app-context.tsx";
import { applyTheme, readTheme, type Theme, themes } from "../../model/theme.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { ShortcutList } from "../../parts/shortcut-list.tsx";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useStatus } from "../../queries.ts";
import { versionRows } from "../home/versions.tsx";
import { NotifyChoice } from "../runs/notify-choice.tsx";
import { OtherDevices } from "./other-devices.tsx";

export function SettingsPage() {
  const { session, team } = useServices();
  const isTeam = useIsTeamServer();
  const state = useSessionState();
  const status = useStatus();
  return (
    <Page
      title="Settings"
      lead={
        <>
          Settings for this browser. Server settings are on the command line:{" "}
          <CopyCommand command="devflow config list" quiet />
        </>
      }
    >
      <div className="grid max-w-[720px] gap-8">
        <Panel title="Theme">
          <ThemeChoice />
        </Panel>
        <Panel title="Notifications">
          <div className="px-4 py-3">
            <NotifyChoice />
          </div>
        </Panel>
        <Panel title="Session">
          <div className="flex flex-wrap items-center justify-between gap-4 px-4 py-3">
            <p className="min-w-0 flex-1 basis-48 text-ink-soft">
              {state.is === "signed-in" && `Signed in as ${state.user.name}.`}{" "}
              {isTeam ? "Signing out ends it in every tab of this browser." : "Signing out deletes this tab's token."}
            </p>
            <button
              type="button"
              onClick={() => (isTeam ? void team.end() : session.end("forgotten"))}
              className="h-8 rounded-small border border-line-strong px-3 hover:bg-hover"
            >
              Sign out
            </button>
          </div>
        </Panel>
        {isTeam && (
          <Panel title="Other devices">
            <OtherDevices />
          </Panel>
        )}
        <Panel title="Server">
          {status.isPending && <SkeletonRows count={8} height="fact" />}
          {status.isError && <FaultNote fault={status.error} onRetry={() => void status.refetch()} />}
          {status.data && (
            <Facts
              rows={[
                ["Address", location.origin],
                ["Mode", status.data.mode],
                ...versionRows(status.data),
                ["Connected pages", status.data.live.subscribers],
              ]}
            />
          )}
        </Panel>
        <Panel title="Keyboard">
          <ShortcutList />
        </Panel>
      </div>
    </Page>
  );
}

const labels: Record<Theme, string> = { system: "Same as system", light: "Light", dark: "Dark" };

function ThemeChoice() {
  const [theme, setTheme] = useState(() => readTheme(localStorage));
  return (
    <fieldset className="flex flex-wrap gap-x-6 gap-y-2 px-4 py-3">
      <legend className="sr-only">Theme</legend>
      {themes.map((each) => (
        <label key={each} className="flex min-h-6 items-center gap-2">
          <input
            type="radio"
            name="theme"
            value={each}
            checked={theme === each}
            onChange={() => {
              applyTheme(each, localStorage, document.documentElement);
              setTheme(each);
            }}
            className="size-4 accent-accent"
          />
          {labels[each]}
        </label>
      ))}
    </fieldset>
  );
}
