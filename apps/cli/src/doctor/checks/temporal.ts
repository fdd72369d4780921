import { connect } from "node:net";
import { type Check, pass, warn } from "../check.ts";

/** Only a warning: the inline engine needs no Temporal. */
export const checkTemporal: Check = {
  name: "temporal",
  run: async ({ inspection: { config } }) => {
    const address = config?.temporalAddress;
    if (!address) return pass("not configured; runs use the inline engine");
    const [host = "127.0.0.1", port = "7233"] = address.split(/:(?=\d+$)/);
    const problem = await connectProblem(host, Number(port));
    if (!problem) return pass(`${address} answers`);
    return warn(`${address} does not answer: ${problem}`, "Start it, or: devflow config unset temporal_address");
  },
};

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
