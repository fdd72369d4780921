import type { CommandHandler } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { plainLine } from "@devflow/core/plain-text";
import { ServerStatus } from "@devflow/protocol";
import { counted, duration } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import { callServer } from "./client.ts";
import { locateServer, urlOf } from "./state.ts";

export const status: CommandHandler = async (_input, { inspectConfig, output }) => {
  const home = homeAt(inspectConfig().home);
  const located = await locateServer(home);
  if (located.is === "silent") {
    const { pid } = located.process;
    output.result(
      { running: true, home: home.root, pid, url: null },
      `A server (pid ${pid}) holds ${home.root}: it is starting or stopping, or cannot write its state file.\nSee why: devflow logs. Stop it: devflow down --force`,
    );
    return 1;
  }
  if (located.is === "none") {
    output.result(
      { running: false, home: home.root },
      `Devflow is not running for ${home.root}.\nStart it: devflow up -d`,
    );
    return 1;
  }
  const { state } = located;
  const told = await callServer(state, "/api/status", ServerStatus);
  const rows = [
    [
      "Server",
      `${urlOf(state)}  version ${told.version}, pid ${state.pid}, up ${duration(Date.now() - Date.parse(told.startedAt))}`,
    ],
    [
      "Database",
      `${told.postgres.kind} Postgres ${told.postgres.version}, ${counted(told.migrations.applied, "migration")} applied`,
    ],
    ["Work", told.busy.length > 0 ? told.busy.join(", ") : "idle"],
    ["Live", `${counted(told.live.subscribers, "subscriber")}`],
    [
      "You",
      `${told.user.name}${told.teams.length > 0 ? `, in ${told.teams.map((team) => team.name).join(", ")}` : ""}`,
    ],
    ["Home", home.root],
    ...told.problems.map((problem, index) => [index === 0 ? "Problems" : "", plainLine(problem)]),
  ];
  output.result(
    { running: true, home: home.root, url: urlOf(state), pid: state.pid, status: told },
    textTable([{ title: "" }, { title: "" }], rows),
  );
  return 0;
};
