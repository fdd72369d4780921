import { connect } from "node:net";
import { homeAt } from "@devflow/core/home";
import { plainLine } from "@devflow/core/plain-text";
import { Fleet } from "@devflow/protocol";
import { callServer } from "../../server/client.ts";
import { findServer } from "../../server/state.ts";
import { type Check, pass, warn } from "../check.ts";

/** Only a warning: the inline engine needs no Temporal, and runs on Temporal wait for it. */
export const checkTemporal: Check = {
  name: "temporal",
  run: async ({ inspection: { config } }) => {
    const address = config?.temporalAddress;
    const isEngine = config?.engine === "temporal";
    if (!address) {
      return isEngine
        ? warn("the engine is temporal, and no address is set", "devflow config set temporal_address <host:port>")
        : pass("not configured; runs use the inline engine");
    }
    const [host = "127.0.0.1", port = "7233"] = address.split(/:(?=\d+$)/);
    const problem = await connectProblem(host, Number(port));
    if (problem)
      return warn(`${address} does not answer: ${problem}`, "Start it, or: devflow config unset temporal_address");
    const [first] = isEngine ? await workerProblems(config.home) : [];
    return first === undefined ? pass(`${address} answers`) : warn(first, "devflow fleet list");
  },
};

/** As the server knows them from its workers; none while it does not run. */
async function workerProblems(home: string): Promise<readonly string[]> {
  const server = await findServer(homeAt(home));
  if (!server) return [];
  return (await callServer(server, "/api/fleet", Fleet)).problems.map(plainLine);
}

function connectProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end());
    socket.once("timeout", () => end("no answer within 2 s"));
    socket.once("error", (error) => end(error.message));
  });
}
