/**
 * Common parts of the browse benchmarks: the same pages and the same Chromium for every contender.
 *
 * - `commandBenchmark(record)` one command, warm, on an open page: from the start of the process to its end.
 * - `peerGoal(limit)` a limit for our time, as a multiple of agent-browser's.
 */
import { type Benchmark, defineBenchmark, type Goal, ratioGoal } from "../benchmark.ts";
import { type Driver, openDrivers } from "./drivers.ts";
import { servePages } from "./pages.ts";

interface CommandBenchmark extends Pick<Benchmark, "name" | "what" | "goals"> {
  readonly unit?: Benchmark["unit"];
  readonly rounds?: number;
  /** Compare with agent-browser only: the others take seconds for each command. */
  readonly isQuick?: boolean;
  readonly page: Parameters<ReturnType<typeof servePages>["url"]>[0];
  /** Called once on the open page: returns the words that each round times. */
  readonly words: (driver: Driver, snapshot: string) => readonly string[] | ((round: number) => readonly string[]);
  /** The figure of a run; by default its time. */
  readonly figure?: (out: string) => number;
  /** Additional variants of ours. */
  readonly also?: Readonly<Record<string, (driver: Driver) => readonly string[]>>;
}

export function commandBenchmark(record: CommandBenchmark): Benchmark {
  const { name, what, goals, unit = "ms", rounds = 7 } = record;
  return defineBenchmark({
    name,
    what,
    goals,
    unit,
    rounds,
    warmUp: 1,
    prepare: async (context) => {
      const pages = servePages();
      const opened = await openDrivers(context);
      const drivers = record.isQuick ? opened.filter(({ name }) => name === "devflow" || name === peer) : opened;
      const finish = async () => {
        for (const driver of drivers) await driver.end();
        pages.stop();
      };
      try {
        const contenders = [];
        for (const driver of drivers) {
          for (const words of driver.cold(pages.url(record.page))) await driver.run(words);
          const { out } = await driver.run(driver.snapshot);
          const ways: [string, ReturnType<typeof record.words>][] = [[driver.name, record.words(driver, out)]];
          if (driver === drivers[0]) {
            for (const [way, make] of Object.entries(record.also ?? {}))
              ways.push([`${driver.name}, ${way}`, make(driver)]);
          }
          for (const [title, words] of ways) {
            let round = 0;
            const sample = async () => {
              const ran = await driver.run(typeof words === "function" ? words(round++) : words);
              return [record.figure ? record.figure(ran.out) : ran.ms];
            };
            contenders.push({ name: title, sample });
          }
        }
        await Bun.sleep(settleMs);
        return { contenders, finish };
      } catch (error) {
        await finish();
        throw error;
      }
    },
  });
}

/** A Chromium goes on starting after its first page is shown; every contender's first commands would compete with it for the cores. */
const settleMs = 3_000;

export const bytesOf = (text: string): number => Buffer.byteLength(text);

const peer = "agent-browser";

export function peerGoal(limit: number): Goal {
  const goal = ratioGoal(`at most ${limit}× the time of ${peer}`, "devflow", peer, limit);
  return {
    ...goal,
    judge(of) {
      try {
        return goal.judge(of);
      } catch {
        // The peers could not be installed, which was said; then there is nothing to compare with.
        return { figure: "nothing to compare with", met: true };
      }
    },
  };
}
