/** What a reader of a figure needs to know about the machine, without identifying it. */
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { version } from "@devflow/core/version";

export function machineFacts(now: Date): string {
  const model = cpus()[0]?.model.trim() || "unknown processor";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB of memory`;
  const system = `${type()} ${release().split(/[-+]/)[0]}, ${process.arch}`;
  const day = now.toISOString().slice(0, 10);
  return `Measured on ${day}: Devflow ${version}, Bun ${Bun.version}, ${availableParallelism()} cores (${model}), ${memory}, ${system}.`;
}
