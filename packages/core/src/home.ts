/** Paths under the home folder; see "Files on this machine" in docs/ARCHITECTURE.md. */
import { join } from "node:path";

export interface Home {
  readonly root: string;
  readonly configFile: string;
  /** 0600 {pid, port, token, version}: the running server. */
  readonly serverFile: string;
  /** Held by the server as long as it runs. */
  readonly serverLock: string;
  readonly logFolder: string;
  readonly serverLog: string;
  readonly postgresFolder: string;
  /** 0700: what no agent may read. Nothing that an agent is given leads here. */
  readonly keysFolder: string;
  /** 0600: the key that signs this machine's tokens. */
  readonly signingKeyFile: string;
  /** 0600: the key that signs the reports of runs. */
  readonly runSigningKeyFile: string;
  /** 0600: who has signed in to which team server. */
  readonly authFile: string;
  /** Held while it is changed. */
  readonly authLock: string;
  /** This machine's stable id. */
  readonly machineIdFile: string;
  readonly workspaces: string;
  /** The texts of the installed skills, which the agents' folders link to. */
  readonly skillsFolder: string;
  /** The newest version found by the last release check. */
  readonly offeredRelease: string;
  /** What hooks remember from one call to the next. */
  readonly hooksFolder: string;
  /** What went wrong in hooks: one line each. */
  readonly hooksLog: string;
  /** Which skills were used and when; never sent anywhere. */
  readonly skillUseLog: string;
}

export function homeAt(root: string): Home {
  return {
    root,
    configFile: join(root, "config.yaml"),
    serverFile: join(root, "server.json"),
    serverLock: join(root, "server.lock"),
    logFolder: join(root, "log"),
    serverLog: join(root, "log", "server.log"),
    postgresFolder: join(root, "pg"),
    keysFolder: join(root, "keys"),
    signingKeyFile: join(root, "keys", "signing.key"),
    runSigningKeyFile: join(root, "keys", "run-signing.key"),
    authFile: join(root, "auth.json"),
    authLock: join(root, "auth.lock"),
    machineIdFile: join(root, "machine-id"),
    workspaces: join(root, "workspaces"),
    skillsFolder: join(root, "skills"),
    offeredRelease: join(root, "offered-release"),
    hooksFolder: join(root, "hooks"),
    hooksLog: join(root, "log", "hooks.log"),
    skillUseLog: join(root, "log", "skill-use.jsonl"),
  };
}
