/**
 * Every migration, in order, compiled in as text. A test compares this list with the folder.
 * To add one: add the file `migrations/<number>_<name>.sql` and its line here. Never edit one that has landed.
 */
import foundation from "../migrations/0001_foundation.sql" with { type: "text" };
import runs from "../migrations/0002_runs.sql" with { type: "text" };
import driversAndLanes from "../migrations/0003_drivers_and_lanes.sql" with { type: "text" };
import waivers from "../migrations/0004_waivers.sql" with { type: "text" };
import repositoryDefinitions from "../migrations/0005_repository_definitions.sql" with { type: "text" };
import stepFailures from "../migrations/0006_step_failures.sql" with { type: "text" };
import realAgents from "../migrations/0007_real_agents.sql" with { type: "text" };
import teamRecords from "../migrations/0008_team_records.sql" with { type: "text" };
import membersAndTokens from "../migrations/0009_members_and_tokens.sql" with { type: "text" };
import pullRequestsAndNotifications from "../migrations/0010_pull_requests_and_notifications.sql" with { type: "text" };
import forksAndAudit from "../migrations/0011_forks_and_audit.sql" with { type: "text" };
import talkingToRuns from "../migrations/0012_talking_to_runs.sql" with { type: "text" };
import teamMetrics from "../migrations/0013_team_metrics.sql" with { type: "text" };
import alertsAndRetention from "../migrations/0014_alerts_and_retention.sql" with { type: "text" };
import brain from "../migrations/0015_brain.sql" with { type: "text" };
import distributedEngine from "../migrations/0016_distributed_engine.sql" with { type: "text" };
import hostsAndWorkers from "../migrations/0017_hosts_and_workers.sql" with { type: "text" };
import lanes from "../migrations/0018_lanes.sql" with { type: "text" };
import agentUsage from "../migrations/0019_agent_usage.sql" with { type: "text" };
import brainAtScale from "../migrations/0020_brain_at_scale.sql" with { type: "text" };
import dashboardsAtScale from "../migrations/0021_dashboards_at_scale.sql" with { type: "text" };
import pullAtScale from "../migrations/0022_pull_at_scale.sql" with { type: "text" };
import lanesOnManyMachines from "../migrations/0023_lanes_on_many_machines.sql" with { type: "text" };
import peopleDecide from "../migrations/0024_people_decide.sql" with { type: "text" };
import digestCounts from "../migrations/0025_digest_counts.sql" with { type: "text" };
import platformSql from "../platform/roles-and-auth.sql" with { type: "text" };

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  { number: 1, name: "0001_foundation", sql: foundation },
  { number: 2, name: "0002_runs", sql: runs },
  { number: 3, name: "0003_drivers_and_lanes", sql: driversAndLanes },
  { number: 4, name: "0004_waivers", sql: waivers },
  { number: 5, name: "0005_repository_definitions", sql: repositoryDefinitions },
  { number: 6, name: "0006_step_failures", sql: stepFailures },
  { number: 7, name: "0007_real_agents", sql: realAgents },
  { number: 8, name: "0008_team_records", sql: teamRecords },
  { number: 9, name: "0009_members_and_tokens", sql: membersAndTokens },
  { number: 10, name: "0010_pull_requests_and_notifications", sql: pullRequestsAndNotifications },
  { number: 11, name: "0011_forks_and_audit", sql: forksAndAudit },
  { number: 12, name: "0012_talking_to_runs", sql: talkingToRuns },
  { number: 13, name: "0013_team_metrics", sql: teamMetrics },
  { number: 14, name: "0014_alerts_and_retention", sql: alertsAndRetention },
  { number: 15, name: "0015_brain", sql: brain },
  { number: 16, name: "0016_distributed_engine", sql: distributedEngine },
  { number: 17, name: "0017_hosts_and_workers", sql: hostsAndWorkers },
  { number: 18, name: "0018_lanes", sql: lanes },
  { number: 19, name: "0019_agent_usage", sql: agentUsage },
  { number: 20, name: "0020_brain_at_scale", sql: brainAtScale },
  { number: 21, name: "0021_dashboards_at_scale", sql: dashboardsAtScale },
  { number: 22, name: "0022_pull_at_scale", sql: pullAtScale },
  { number: 23, name: "0023_lanes_on_many_machines", sql: lanesOnManyMachines },
  { number: 24, name: "0024_people_decide", sql: peopleDecide },
  { number: 25, name: "0025_digest_counts", sql: digestCounts },
];

/** Roles and `auth`, if no platform provides them; not numbered, runs again whenever it changes. */
export const platform = platformSql;

/** Where it is noted what has been applied. */
export const ledgerSql = `
    create schema if not exists devflow;
    -- Applied migrations are not secret, and a role without other rights has to check whether they suffice.
    grant usage on schema devflow to public;
    create table if not exists devflow.migrations (
      number int primary key, name text not null, hash text not null, applied_at timestamptz not null default now()
    );
    create table if not exists devflow.platform (
      only_row boolean primary key default true check (only_row), hash text not null
    );
    grant select on devflow.migrations, devflow.platform to public;`;
